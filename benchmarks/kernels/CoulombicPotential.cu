// CoulombicPotential.cu - direct Coulomb sum of charges over one plane of a lattice.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "cp": compute, EPC 3.41, 4224 registers, no shared memory.
// Data: up to 4000 atoms (x, y, squared height above the plane, charge) in constant memory.
// Shape kept: 16x8 = 128 threads, eight lattice points per thread, 16 apart in x, so that the
// stores stay coalesced; one launch per chunk of atoms, each adding to the plane.
// Measured (nvcc 13.0, sm_90): 32 registers per thread, 4096 per block; no shared memory.
#include "benchmarks/kernels/Workload.h"

#include <cmath>

constexpr int kBlockX = 16, kBlockY = 8, kPoints = 8, kMaxAtoms = 4000;

__constant__ float4 atoms[kMaxAtoms];

__global__ void coulombicPotential(float* plane, float spacing, int first, int count) {
  const int x = blockIdx.x * blockDim.x * kPoints + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int at = y * gridDim.x * blockDim.x * kPoints + x;
  const float px = spacing * x, py = spacing * y, stride = spacing * blockDim.x;
  float energy[kPoints] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int atom = first; atom < first + count; ++atom) {
    const float dy = py - atoms[atom].y;
    const float dyz = dy * dy + atoms[atom].z;
    float dx = px - atoms[atom].x;
#pragma unroll
    for (int point = 0; point < kPoints; ++point) {
      energy[point] += atoms[atom].w * rsqrtf(dx * dx + dyz);
      dx += stride;
    }
  }
#pragma unroll
  for (int point = 0; point < kPoints; ++point)
    plane[at + point * kBlockX] += energy[point];
}

namespace {

class CoulombicPotential : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    width_ = bench::pick(size, 256, 1024, 4096);
    height_ = bench::pick(size, 64, 1024, 4096);
    chunks_ = bench::pick(size, 2, 4, 10);
    atoms_.resize(bench::pick(size, 160, 1000, kMaxAtoms));
    bench::Random random(seed);
    for (float4& atom : atoms_) {
      atom.x = random.uniform(0, width_ * kSpacing);
      atom.y = random.uniform(0, height_ * kSpacing);
      const float above = random.uniform(0.5f, 20);
      atom.z = above * above;
      atom.w = random.uniform(-2, 2);
    }
    bench::require(cudaMemcpyToSymbol(atoms, atoms_.data(), atoms_.size() * sizeof(float4)),
                   "atoms");
    plane_.allocate(static_cast<std::size_t>(width_) * height_);
  }

  void launch(cudaStream_t stream) override {
    const dim3 block(kBlockX, kBlockY), grid(width_ / (kBlockX * kPoints), height_ / kBlockY);
    const int each = static_cast<int>(atoms_.size()) / chunks_;
    plane_.clear(stream);
    for (int chunk = 0; chunk < chunks_; ++chunk)
      coulombicPotential<<<grid, block, 0, stream>>>(plane_.get(), kSpacing, chunk * each, each);
  }

  bench::Bytes result() override { return plane_.take(); }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<float> got = bench::view<float>(result);
    bench::Comparison comparison(1e-3, 1e-3);
    const std::size_t stride = bench::sampleStride(got.size(), 10000);
    for (std::size_t index = 0; index < got.size(); index += stride)
      comparison.expect(index, reference(index % width_, index / width_), got[index]);
    return comparison;
  }

private:
  static constexpr float kSpacing = 0.1f;

  double reference(std::size_t x, std::size_t y) const {
    double energy = 0;
    for (const float4& atom : atoms_) {
      const double dx = x * double(kSpacing) - atom.x, dy = y * double(kSpacing) - atom.y;
      energy += atom.w / std::sqrt(dx * dx + dy * dy + atom.z);
    }
    return energy;
  }

  int width_ = 0, height_ = 0, chunks_ = 1;
  std::vector<float4> atoms_;
  bench::DeviceArray<float> plane_;
};

} // namespace

BENCH_WORKLOAD(CoulombicPotential, "cp")
