// Fdtd3d.cu - 25-point finite-difference step of radius 4 on a 3-D grid.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "FDTD3d" (ft): compute, EPC 0.55, 5120 registers and 1500 bytes shared per block.
// Data: two float volumes with a border of 4 cells on every side, used in turn.
// Shape kept: 16x8 = 128 threads marching along z with nine values in registers and the current
// plane with its halo in a 24x16 tile (1536 bytes) of shared memory; coefficients in constant
// memory.
// Measured (nvcc 13.0, sm_90): 32 registers per thread, 4096 per block; 1536 bytes shared.
#include "benchmarks/kernels/Workload.h"

constexpr int kRadius = 4, kTileX = 16, kTileY = 8;

__constant__ float coefficients[kRadius + 1];

struct Extent {
  int x, y, z; ///< without the border
};

/// Fills the halo of the tile: the threads near an edge load the cells beyond it.
__device__ inline void loadHalo(float (*tile)[kTileX + 2 * kRadius], const float* in, long at,
                                int row) {
  const int tx = threadIdx.x + kRadius, ty = threadIdx.y + kRadius;
  if (threadIdx.y < kRadius) {
    tile[threadIdx.y][tx] = in[at - kRadius * row];
    tile[threadIdx.y + kTileY + kRadius][tx] = in[at + kTileY * row];
  }
  if (threadIdx.x < kRadius) {
    tile[ty][threadIdx.x] = in[at - kRadius];
    tile[ty][threadIdx.x + kTileX + kRadius] = in[at + kTileX];
  }
}

__global__ void fdtd3d(const float* in, float* out, Extent extent) {
  __shared__ float tile[kTileY + 2 * kRadius][kTileX + 2 * kRadius];
  const int row = extent.x + 2 * kRadius;
  const long layer = static_cast<long>(row) * (extent.y + 2 * kRadius);
  const int x = blockIdx.x * kTileX + threadIdx.x, y = blockIdx.y * kTileY + threadIdx.y;
  const int tx = threadIdx.x + kRadius, ty = threadIdx.y + kRadius;
  long at = static_cast<long>(y + kRadius) * row + x + kRadius;

  float column[2 * kRadius + 1]; // column[kRadius] is the current plane
#pragma unroll
  for (int index = 1; index <= 2 * kRadius; ++index)
    column[index] = in[at + (index - 1) * layer];
  for (int z = 0; z < extent.z; ++z) {
#pragma unroll
    for (int index = 0; index < 2 * kRadius; ++index)
      column[index] = column[index + 1];
    column[2 * kRadius] = in[at + (z + 2 * kRadius) * layer];
    const long here = at + (z + kRadius) * layer;
    __syncthreads();
    loadHalo(tile, in, here, row);
    tile[ty][tx] = column[kRadius];
    __syncthreads();
    float value = coefficients[0] * column[kRadius];
#pragma unroll
    for (int reach = 1; reach <= kRadius; ++reach)
      value += coefficients[reach] *
               (column[kRadius - reach] + column[kRadius + reach] + tile[ty - reach][tx] +
                tile[ty + reach][tx] + tile[ty][tx - reach] + tile[ty][tx + reach]);
    out[here] = value;
  }
}

namespace {

class Fdtd3d : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    extent_ = {bench::pick(size, 64, 128, 384), bench::pick(size, 32, 128, 384),
               bench::pick(size, 12, 64, 256)};
    steps_ = bench::pick(size, 2, 4, 20);
    input_.resize(layer() * (extent_.z + 2 * kRadius));
    bench::Random random(seed);
    for (float& value : input_)
      value = random.uniform(-1, 1);
    for (int reach = 0; reach <= kRadius; ++reach)
      coefficient_[reach] = reach == 0 ? 0.4f : 0.1f / (reach * reach);
    bench::require(cudaMemcpyToSymbol(coefficients, coefficient_, sizeof coefficient_),
                   "coefficients");
    deviceInput_.upload(input_);
    even_.allocate(input_.size());
    odd_.allocate(input_.size());
  }

  void launch(cudaStream_t stream) override {
    even_.copyFrom(deviceInput_, stream);
    odd_.copyFrom(deviceInput_, stream);
    const dim3 grid(extent_.x / kTileX, extent_.y / kTileY), block(kTileX, kTileY);
    for (int step = 0; step < steps_; ++step) {
      const float* in = step % 2 == 0 ? even_.get() : odd_.get();
      float* out = step % 2 == 0 ? odd_.get() : even_.get();
      fdtd3d<<<grid, block, 0, stream>>>(in, out, extent_);
    }
  }

  bench::Bytes result() override { return steps_ % 2 == 0 ? even_.take() : odd_.take(); }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<float> got = bench::view<float>(result);
    std::vector<float> in = input_, out = input_;
    for (int step = 0; step < steps_; ++step, in.swap(out))
      referenceStep(in, out);
    bench::Comparison comparison(1e-3, 1e-4);
    for (std::size_t index = 0; index < got.size(); ++index)
      comparison.expect(index, in[index], got[index]);
    return comparison;
  }

private:
  std::size_t row() const { return extent_.x + 2 * kRadius; }
  std::size_t layer() const { return row() * (extent_.y + 2 * kRadius); }

  float around(const std::vector<float>& in, std::size_t at, int reach) const {
    return in[at - reach] + in[at + reach] + in[at - reach * row()] + in[at + reach * row()] +
           in[at - reach * layer()] + in[at + reach * layer()];
  }

  void referenceStep(const std::vector<float>& in, std::vector<float>& out) const {
    for (int z = 0; z < extent_.z; ++z)
      for (int y = 0; y < extent_.y; ++y)
        for (int x = 0; x < extent_.x; ++x) {
          const std::size_t at = (z + kRadius) * layer() + (y + kRadius) * row() + x + kRadius;
          float value = coefficient_[0] * in[at];
          for (int reach = 1; reach <= kRadius; ++reach)
            value += coefficient_[reach] * around(in, at, reach);
          out[at] = value;
        }
  }

  Extent extent_ = {0, 0, 0};
  int steps_ = 0;
  float coefficient_[kRadius + 1] = {};
  std::vector<float> input_;
  bench::DeviceArray<float> deviceInput_, even_, odd_;
};

} // namespace

BENCH_WORKLOAD(Fdtd3d, "FDTD3d")
