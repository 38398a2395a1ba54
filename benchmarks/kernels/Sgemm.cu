// Sgemm.cu - C = alpha A B + beta C in single precision, register tiles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "sgemm" (sg): compute, EPC 4.02, 5376 registers and 512 bytes shared per block.
// Data: A column-major (m x k), B row-major (k x n), C column-major (m x n), all float.
// Shape kept: 16x8 = 128 threads compute a 128x16 tile of C; a thread owns one row and 16 columns
// in registers; 8x16 values of B (512 bytes) in shared memory per step, A straight from memory.
// Measured (nvcc 13.0, sm_90): 41 registers per thread, 5248 per block; 512 bytes shared.
#include "benchmarks/kernels/Workload.h"

constexpr int kTileM = 128, kTileN = 16, kTileK = 8;

__global__ void sgemm(const float* a, const float* b, float* c, int m, int n, int k, float alpha,
                      float beta) {
  __shared__ float tile[kTileK][kTileN];
  const int thread = threadIdx.y * kTileN + threadIdx.x;
  const int row = blockIdx.x * kTileM + thread, column = blockIdx.y * kTileN;
  float sum[kTileN];
#pragma unroll
  for (int index = 0; index < kTileN; ++index)
    sum[index] = 0;
  for (int base = 0; base < k; base += kTileK) {
    tile[threadIdx.y][threadIdx.x] = b[(base + threadIdx.y) * n + column + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int inner = 0; inner < kTileK; ++inner) {
      const float left = a[(base + inner) * m + row];
#pragma unroll
      for (int index = 0; index < kTileN; ++index)
        sum[index] += left * tile[inner][index];
    }
    __syncthreads();
  }
#pragma unroll
  for (int index = 0; index < kTileN; ++index) {
    const int at = (column + index) * m + row;
    c[at] = alpha * sum[index] + beta * c[at];
  }
}

namespace {

class Sgemm : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    m_ = bench::pick(size, 256, 1024, 8192);
    n_ = bench::pick(size, 96, 1024, 8192);
    k_ = bench::pick(size, 128, 1024, 4096);
    bench::Random random(seed);
    fill(a_, random, m_ * static_cast<std::size_t>(k_));
    fill(b_, random, k_ * static_cast<std::size_t>(n_));
    fill(start_, random, m_ * static_cast<std::size_t>(n_));
    deviceA_.upload(a_);
    deviceB_.upload(b_);
    deviceStart_.upload(start_);
    c_.allocate(start_.size());
  }

  void launch(cudaStream_t stream) override {
    c_.copyFrom(deviceStart_, stream);
    sgemm<<<dim3(m_ / kTileM, n_ / kTileN), dim3(kTileN, kTileK), 0, stream>>>(
        deviceA_.get(), deviceB_.get(), c_.get(), m_, n_, k_, kAlpha, kBeta);
  }

  bench::Bytes result() override { return c_.take(); }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<float> got = bench::view<float>(result);
    bench::Comparison comparison(1e-3, 1e-3);
    const std::size_t stride = bench::sampleStride(got.size(), 20000);
    for (std::size_t index = 0; index < got.size(); index += stride) {
      const std::size_t row = index % m_, column = index / m_;
      double sum = 0;
      for (int inner = 0; inner < k_; ++inner)
        sum += static_cast<double>(a_[static_cast<std::size_t>(inner) * m_ + row]) *
               b_[static_cast<std::size_t>(inner) * n_ + column];
      comparison.expect(index, kAlpha * sum + kBeta * start_[index], got[index]);
    }
    return comparison;
  }

private:
  static constexpr float kAlpha = 1.25f, kBeta = 0.75f;

  static void fill(std::vector<float>& values, bench::Random& random, std::size_t count) {
    values.resize(count);
    for (float& value : values)
      value = random.uniform(-1, 1);
  }

  int m_ = 0, n_ = 0, k_ = 0;
  std::vector<float> a_, b_, start_;
  bench::DeviceArray<float> deviceA_, deviceB_, deviceStart_, c_;
};

} // namespace

BENCH_WORKLOAD(Sgemm, "sgemm")
