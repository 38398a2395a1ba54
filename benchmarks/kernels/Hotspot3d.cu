// Hotspot3d.cu - temperature of a layered chip under a power map.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "hotspot3D" (hw): memory, EPC 2.32, 8192 registers, no shared memory.
// Data: two temperature volumes used in turn and a power volume, all float; the border repeats
// its own value.
// Shape kept: 64x4 = 256 threads per block, a thread marches through the layers of its column and
// keeps the layers below, at and above it in registers.
// Measured (nvcc 13.0, sm_90): 32 registers per thread, 8192 per block; no shared memory.
#include "benchmarks/kernels/Workload.h"

#include <algorithm>

constexpr int kBlockX = 64, kBlockY = 4;

/// Weights of one time step; they add up to one with the ambient share.
struct Conduction {
  float center, sideways, upDown, power, ambientShare;
};
constexpr float kAmbient = 80.0f;

__global__ void hotspot3d(const float* power, const float* in, float* out, int nx, int ny, int nz,
                          Conduction weight) {
  const int x = blockDim.x * blockIdx.x + threadIdx.x;
  const int y = blockDim.y * blockIdx.y + threadIdx.y;
  const int layer = nx * ny;
  int at = y * nx + x;
  const int west = x == 0 ? 0 : -1, east = x == nx - 1 ? 0 : 1;
  const int north = y == 0 ? 0 : -nx, south = y == ny - 1 ? 0 : nx;
  float below = in[at], here = below, above = in[at + layer];
  for (int z = 0; z < nz; ++z, at += layer) {
    const float sideways = in[at + west] + in[at + east] + in[at + north] + in[at + south];
    out[at] = weight.center * here + weight.sideways * sideways + weight.upDown * (below + above) +
              weight.power * power[at] + weight.ambientShare * kAmbient;
    below = here;
    here = above;
    above = in[z + 2 < nz ? at + 2 * layer : at + layer * (nz - 1 - z)];
  }
}

namespace {

class Hotspot3d : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    nx_ = bench::pick(size, 128, 512, 2048);
    ny_ = bench::pick(size, 64, 512, 2048);
    nz_ = 8;
    steps_ = bench::pick(size, 3, 10, 200);
    bench::Random random(seed);
    start_.resize(static_cast<std::size_t>(nx_) * ny_ * nz_);
    power_.resize(start_.size());
    for (std::size_t index = 0; index < start_.size(); ++index) {
      start_[index] = random.uniform(320, 340);
      power_[index] = random.uniform(0, 2);
    }
    devicePower_.upload(power_);
    deviceStart_.upload(start_);
    even_.allocate(start_.size());
    odd_.allocate(start_.size());
  }

  void launch(cudaStream_t stream) override {
    even_.copyFrom(deviceStart_, stream);
    const dim3 grid(nx_ / kBlockX, ny_ / kBlockY), block(kBlockX, kBlockY);
    for (int step = 0; step < steps_; ++step) {
      const float* in = step % 2 == 0 ? even_.get() : odd_.get();
      float* out = step % 2 == 0 ? odd_.get() : even_.get();
      hotspot3d<<<grid, block, 0, stream>>>(devicePower_.get(), in, out, nx_, ny_, nz_, kWeight);
    }
  }

  bench::Bytes result() override { return steps_ % 2 == 0 ? even_.take() : odd_.take(); }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<float> got = bench::view<float>(result);
    std::vector<float> in = start_, out = start_;
    for (int step = 0; step < steps_; ++step, in.swap(out))
      referenceStep(in, out);
    bench::Comparison comparison(1e-4, 1e-3);
    for (std::size_t index = 0; index < got.size(); ++index)
      comparison.expect(index, in[index], got[index]);
    return comparison;
  }

private:
  static constexpr Conduction kWeight = {0.50f, 0.08f, 0.08f, 0.25f, 0.02f};

  float at(const std::vector<float>& values, int x, int y, int z) const {
    x = std::clamp(x, 0, nx_ - 1);
    y = std::clamp(y, 0, ny_ - 1);
    z = std::clamp(z, 0, nz_ - 1);
    return values[(static_cast<std::size_t>(z) * ny_ + y) * nx_ + x];
  }

  void referenceStep(const std::vector<float>& in, std::vector<float>& out) const {
    for (int z = 0; z < nz_; ++z)
      for (int y = 0; y < ny_; ++y)
        for (int x = 0; x < nx_; ++x) {
          const float sideways =
              at(in, x - 1, y, z) + at(in, x + 1, y, z) + at(in, x, y - 1, z) + at(in, x, y + 1, z);
          out[(static_cast<std::size_t>(z) * ny_ + y) * nx_ + x] =
              kWeight.center * at(in, x, y, z) + kWeight.sideways * sideways +
              kWeight.upDown * (at(in, x, y, z - 1) + at(in, x, y, z + 1)) +
              kWeight.power * at(power_, x, y, z) + kWeight.ambientShare * kAmbient;
        }
  }

  int nx_ = 0, ny_ = 0, nz_ = 0, steps_ = 0;
  std::vector<float> start_, power_;
  bench::DeviceArray<float> devicePower_, deviceStart_, even_, odd_;
};

} // namespace

BENCH_WORKLOAD(Hotspot3d, "hotspot3D")
