// LavaMd.cu - forces between particles in a box and its up to 26 neighbour boxes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "lavaMD" (lm): compute, EPC 0.17, 7168 registers and 7200 bytes per block.
// Data: boxes of 100 particles (4 doubles and a charge), one block of 128 threads per box.
// Shape kept: home particles, neighbour particles and neighbour charges in shared memory (3200 +
// 3200 + 800 = 7200 bytes), two barriers per neighbour box, a double-precision exp() per pair.
// Differs: the force stays in registers until the end.
// Measured (nvcc 13.0, sm_90): 67 registers per thread, 8576 per block; 7200 bytes shared.
#include "benchmarks/kernels/Workload.h"

#include <algorithm>
#include <cmath>

constexpr int kParticles = 100; ///< per box
constexpr int kThreads = 128;
constexpr double kAlphaSquared = 0.5;

struct Particle {
  double x, y, z;
  double w; ///< in: squared distance from the origin; out: potential
};

struct Box {
  int first; ///< index of the first particle
  int neighbours;
  int neighbour[26];
};

__global__ void lavaMd(const Box* boxes, const Particle* particles, const double* charges,
                       Particle* forces) {
  __shared__ Particle home[kParticles];
  __shared__ Particle other[kParticles];
  __shared__ double charge[kParticles];
  const Box& box = boxes[blockIdx.x];
  const bool owns = threadIdx.x < kParticles;
  for (int index = threadIdx.x; index < kParticles; index += blockDim.x)
    home[index] = particles[box.first + index];
  __syncthreads();

  Particle force = {0, 0, 0, 0};
  for (int entry = -1; entry < box.neighbours; ++entry) {
    const int first = entry < 0 ? box.first : boxes[box.neighbour[entry]].first;
    for (int index = threadIdx.x; index < kParticles; index += blockDim.x) {
      other[index] = particles[first + index];
      charge[index] = charges[first + index];
    }
    __syncthreads();
    if (owns) {
      const Particle mine = home[threadIdx.x];
      for (int index = 0; index < kParticles; ++index) {
        const Particle theirs = other[index];
        const double dot = mine.x * theirs.x + mine.y * theirs.y + mine.z * theirs.z;
        const double potential = exp(-kAlphaSquared * (mine.w + theirs.w - 2 * dot));
        const double weight = charge[index] * 2 * potential;
        force.w += charge[index] * potential;
        force.x += weight * (mine.x - theirs.x);
        force.y += weight * (mine.y - theirs.y);
        force.z += weight * (mine.z - theirs.z);
      }
    }
    __syncthreads();
  }
  if (owns)
    forces[box.first + threadIdx.x] = force;
}

namespace {

class LavaMd : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    const int x = bench::pick(size, 4, 8, 30), y = bench::pick(size, 2, 8, 30);
    const int z = bench::pick(size, 1, 8, 30);
    linkBoxes(x, y, z);
    placeParticles(x, y, seed);
    deviceBoxes_.upload(boxes_);
    deviceParticles_.upload(particles_);
    deviceCharges_.upload(charges_);
    forces_.allocate(particles_.size());
  }

  void launch(cudaStream_t stream) override {
    lavaMd<<<static_cast<unsigned>(boxes_.size()), kThreads, 0, stream>>>(
        deviceBoxes_.get(), deviceParticles_.get(), deviceCharges_.get(), forces_.get());
  }

  bench::Bytes result() override { return forces_.take(); }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<Particle> got = bench::view<Particle>(result);
    bench::Comparison comparison(1e-9, 1e-9);
    const std::size_t stride = bench::sampleStride(particles_.size(), 6000);
    for (std::size_t index = 0; index < particles_.size(); index += stride) {
      const Particle expected = reference(index);
      comparison.expect(4 * index, expected.x, got[index].x);
      comparison.expect(4 * index + 1, expected.y, got[index].y);
      comparison.expect(4 * index + 2, expected.z, got[index].z);
      comparison.expect(4 * index + 3, expected.w, got[index].w);
    }
    return comparison;
  }

private:
  void linkBoxes(int x, int y, int z) {
    boxes_.resize(static_cast<std::size_t>(x) * y * z);
    for (int index = 0; index < x * y * z; ++index) {
      Box& box = boxes_[index];
      box.first = index * kParticles;
      box.neighbours = 0;
      const int bx = index % x, by = index / x % y, bz = index / (x * y);
      for (int offset = 0; offset < 27; ++offset) {
        const int nx = bx + offset % 3 - 1, ny = by + offset / 3 % 3 - 1, nz = bz + offset / 9 - 1;
        const bool inside = nx >= 0 && nx < x && ny >= 0 && ny < y && nz >= 0 && nz < z;
        if (offset != 13 && inside)
          box.neighbour[box.neighbours++] = (nz * y + ny) * x + nx;
      }
    }
  }

  void placeParticles(int x, int y, std::uint64_t seed) {
    bench::Random random(seed);
    for (int index = 0; index < static_cast<int>(boxes_.size()); ++index) {
      const int bx = index % x, by = index / x % y, bz = index / (x * y);
      for (int entry = 0; entry < kParticles; ++entry) {
        Particle particle = {bx + random.uniform(0, 1), by + random.uniform(0, 1),
                             bz + random.uniform(0, 1), 0};
        particle.w = particle.x * particle.x + particle.y * particle.y + particle.z * particle.z;
        particles_.push_back(particle);
        charges_.push_back(random.uniform(0.1f, 1.0f));
      }
    }
  }

  void addBox(const Particle& mine, int first, Particle& force) const {
    for (int index = first; index < first + kParticles; ++index) {
      const Particle& theirs = particles_[index];
      const double dx = mine.x - theirs.x, dy = mine.y - theirs.y, dz = mine.z - theirs.z;
      const double potential = std::exp(-kAlphaSquared * (dx * dx + dy * dy + dz * dz));
      force.w += charges_[index] * potential;
      force.x += charges_[index] * 2 * potential * dx;
      force.y += charges_[index] * 2 * potential * dy;
      force.z += charges_[index] * 2 * potential * dz;
    }
  }

  Particle reference(std::size_t index) const {
    Particle force = {0, 0, 0, 0};
    const Box& box = boxes_[index / kParticles];
    addBox(particles_[index], box.first, force);
    for (int entry = 0; entry < box.neighbours; ++entry)
      addBox(particles_[index], boxes_[box.neighbour[entry]].first, force);
    return force;
  }

  std::vector<Box> boxes_;
  std::vector<Particle> particles_;
  std::vector<double> charges_;
  bench::DeviceArray<Box> deviceBoxes_;
  bench::DeviceArray<Particle> deviceParticles_, forces_;
  bench::DeviceArray<double> deviceCharges_;
};

} // namespace

BENCH_WORKLOAD(LavaMd, "lavaMD")
