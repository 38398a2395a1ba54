// Convolution3d.cu - 3-D convolution with 15 taps, one launch per plane.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "3DConvolution" (conv): L1 cache, EPC 0.86, 5120 registers, no shared memory.
// Data: one float volume in, one out; the outer layer of the output stays zero.
// Shape kept: 32x8 = 256 threads, k along threadIdx.x, the host loops over the planes i and
// launches once for each; all reuse between neighbouring threads and planes is left to the cache.
// Measured (nvcc 13.0, sm_90): 30 registers per thread, 7680 per block; no shared memory.
#include "benchmarks/kernels/Workload.h"

constexpr int kTaps = 15;

struct Tap {
  signed char i, j, k;
  float weight;
};

/// Centre, six faces, eight corners.
__host__ __device__ constexpr Tap tap(int index) {
  constexpr Tap table[kTaps] = {{0, 0, 0, 6.0f},    {-1, 0, 0, -3.0f},  {1, 0, 0, -9.0f},
                                {0, -1, 0, 5.0f},   {0, 1, 0, 7.0f},    {0, 0, -1, -8.0f},
                                {0, 0, 1, 10.0f},   {-1, -1, -1, 2.0f}, {-1, -1, 1, 4.0f},
                                {-1, 1, -1, -2.5f}, {-1, 1, 1, 1.5f},   {1, -1, -1, -4.5f},
                                {1, -1, 1, 3.5f},   {1, 1, -1, 0.5f},   {1, 1, 1, -1.25f}};
  return table[index];
}

__global__ void convolution3d(const float* in, float* out, int nj, int nk, int ni, int i) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && i < ni - 1 && j > 0 && j < nj - 1 && k > 0 && k < nk - 1) {
    float sum = 0;
#pragma unroll
    for (int index = 0; index < kTaps; ++index)
      sum += tap(index).weight *
             in[((i + tap(index).i) * nj + j + tap(index).j) * nk + k + tap(index).k];
    out[(i * nj + j) * nk + k] = sum;
  }
}

namespace {

class Convolution3d : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    ni_ = bench::pick(size, 12, 64, 512);
    nj_ = bench::pick(size, 100, 256, 512);
    nk_ = bench::pick(size, 130, 256, 512);
    rounds_ = bench::pick(size, 1, 2, 20);
    bench::Random random(seed);
    input_.resize(static_cast<std::size_t>(ni_) * nj_ * nk_);
    for (float& value : input_)
      value = random.uniform(-1, 1);
    deviceInput_.upload(input_);
    output_.allocate(input_.size());
  }

  void launch(cudaStream_t stream) override {
    const dim3 block(32, 8), grid((nk_ + 31) / 32, (nj_ + 7) / 8);
    output_.clear(stream);
    for (int round = 0; round < rounds_; ++round)
      for (int i = 1; i < ni_ - 1; ++i)
        convolution3d<<<grid, block, 0, stream>>>(deviceInput_.get(), output_.get(), nj_, nk_, ni_,
                                                  i);
  }

  bench::Bytes result() override { return output_.take(); }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<float> got = bench::view<float>(result);
    bench::Comparison comparison(1e-4, 1e-4);
    const std::size_t stride = bench::sampleStride(got.size(), 4000000);
    for (std::size_t index = 0; index < got.size(); index += stride)
      comparison.expect(index, reference(index), got[index]);
    return comparison;
  }

private:
  double reference(std::size_t index) const {
    const int k = static_cast<int>(index % nk_), j = static_cast<int>(index / nk_ % nj_);
    const int i = static_cast<int>(index / (static_cast<std::size_t>(nk_) * nj_));
    if (i == 0 || i == ni_ - 1 || j == 0 || j == nj_ - 1 || k == 0 || k == nk_ - 1)
      return 0;
    double sum = 0;
    for (int entry = 0; entry < kTaps; ++entry) {
      const Tap at = tap(entry);
      sum += static_cast<double>(at.weight) *
             input_[(static_cast<std::size_t>(i + at.i) * nj_ + j + at.j) * nk_ + k + at.k];
    }
    return sum;
  }

  int ni_ = 0, nj_ = 0, nk_ = 0, rounds_ = 1;
  std::vector<float> input_;
  bench::DeviceArray<float> deviceInput_, output_;
};

} // namespace

BENCH_WORKLOAD(Convolution3d, "3DConvolution")
