// Stencil.cu - seven-point Jacobi step on a 3-D grid.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "stencil": memory, EPC 5.68, 4096 registers and about 1 KB shared per block.
// Data: two float volumes used in turn; the outer layer is a fixed boundary.
// Shape kept: 32x4 = 128 threads, each owning two columns 32 apart, marching along z with the
// planes below and above in registers and the current plane in 1024 bytes of dynamic shared memory.
// Measured (nvcc 13.0, sm_90): 39 registers per thread, 4992 per block; 1024 dynamic bytes shared.
#include "benchmarks/kernels/Workload.h"

constexpr int kTileX = 32, kTileY = 4;
constexpr float kCenter = 1.0f / 6.0f, kAround = 1.0f / 36.0f;

struct Volume {
  int x, y, z;
};

/// One output point; `at` is its index in the shared plane, `global` in the volume.
__device__ inline float stencilPoint(const float* in, const float* plane, const Volume& size,
                                     int at, int column, long global, float below, float above) {
  const int row = threadIdx.y;
  const float left = column > 0 ? plane[at - 1] : in[global - 1];
  const float right = column < 2 * kTileX - 1 ? plane[at + 1] : in[global + 1];
  const float up = row > 0 ? plane[at - 2 * kTileX] : in[global - size.x];
  const float down = row < kTileY - 1 ? plane[at + 2 * kTileX] : in[global + size.x];
  return kAround * (left + right + up + down + below + above) - kCenter * plane[at];
}

__global__ void stencil(const float* in, float* out, Volume size) {
  extern __shared__ float plane[];
  const int column = threadIdx.x, far = column + kTileX;
  const int x = blockIdx.x * 2 * kTileX + column, y = blockIdx.y * kTileY + threadIdx.y;
  const int at = threadIdx.y * 2 * kTileX + column;
  const long layer = static_cast<long>(size.x) * size.y;
  const bool rowInside = y > 0 && y < size.y - 1;
  const bool nearInside = rowInside && x > 0, farInside = rowInside && x + kTileX < size.x - 1;

  long here = static_cast<long>(y) * size.x + x;
  float nearBelow = in[here], farBelow = in[here + kTileX];
  here += layer;
  float near = in[here], distant = in[here + kTileX];
  for (int z = 1; z < size.z - 1; ++z, here += layer) {
    const float nearAbove = in[here + layer], farAbove = in[here + layer + kTileX];
    __syncthreads();
    plane[at] = near;
    plane[at + kTileX] = distant;
    __syncthreads();
    if (nearInside)
      out[here] = stencilPoint(in, plane, size, at, column, here, nearBelow, nearAbove);
    if (farInside)
      out[here + kTileX] =
          stencilPoint(in, plane, size, at + kTileX, far, here + kTileX, farBelow, farAbove);
    nearBelow = near;
    near = nearAbove;
    farBelow = distant;
    distant = farAbove;
  }
}

namespace {

class Stencil : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    size_ = {bench::pick(size, 128, 256, 512), bench::pick(size, 64, 256, 512),
             bench::pick(size, 12, 64, 256)};
    steps_ = bench::pick(size, 2, 4, 40);
    bench::Random random(seed);
    input_.resize(static_cast<std::size_t>(size_.x) * size_.y * size_.z);
    for (float& value : input_)
      value = random.uniform(-1, 1);
    deviceInput_.upload(input_);
    even_.allocate(input_.size());
    odd_.allocate(input_.size());
  }

  void launch(cudaStream_t stream) override {
    even_.copyFrom(deviceInput_, stream);
    odd_.copyFrom(deviceInput_, stream);
    const dim3 grid(size_.x / (2 * kTileX), size_.y / kTileY), block(kTileX, kTileY);
    for (int step = 0; step < steps_; ++step) {
      const float* in = step % 2 == 0 ? even_.get() : odd_.get();
      float* out = step % 2 == 0 ? odd_.get() : even_.get();
      stencil<<<grid, block, 2 * kTileX * kTileY * sizeof(float), stream>>>(in, out, size_);
    }
  }

  bench::Bytes result() override { return steps_ % 2 == 0 ? even_.take() : odd_.take(); }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<float> got = bench::view<float>(result);
    std::vector<float> in = input_, out = input_;
    for (int step = 0; step < steps_; ++step, in.swap(out))
      referenceStep(in, out);
    bench::Comparison comparison(1e-4, 1e-5);
    for (std::size_t index = 0; index < got.size(); ++index)
      comparison.expect(index, in[index], got[index]);
    return comparison;
  }

private:
  void referenceStep(const std::vector<float>& in, std::vector<float>& out) const {
    const std::size_t row = size_.x, layer = row * size_.y;
    for (int z = 1; z < size_.z - 1; ++z)
      for (int y = 1; y < size_.y - 1; ++y)
        for (int x = 1; x < size_.x - 1; ++x) {
          const std::size_t at = z * layer + y * row + x;
          const float around = in[at - 1] + in[at + 1] + in[at - row] + in[at + row] +
                               in[at - layer] + in[at + layer];
          out[at] = kAround * around - kCenter * in[at];
        }
  }

  Volume size_ = {0, 0, 0};
  int steps_ = 0;
  std::vector<float> input_;
  bench::DeviceArray<float> deviceInput_, even_, odd_;
};

} // namespace

BENCH_WORKLOAD(Stencil, "stencil")
