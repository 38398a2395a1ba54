// Syr2k.cu - symmetric rank-2k update C = alpha (A B' + B A') + beta C, one element per thread.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "syr2k" (sy): memory, EPC 0.12, 6144 registers, no shared memory.
// Data: A and B n x k, C n x n, all float, row-major.
// Shape kept: 32x8 = 256 threads; each thread reads four rows with stride one, so neighbouring
// threads of a warp read different rows: uncoalesced, through the L1 cache.
// Measured (nvcc 13.0, sm_90): 32 registers per thread, 8192 per block; no shared memory.
#include "benchmarks/kernels/Workload.h"

__global__ void syr2k(const float* a, const float* b, float* c, int n, int k, float alpha,
                      float beta) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && column < n) {
    float sum = beta * c[row * n + column];
    for (int inner = 0; inner < k; ++inner)
      sum += alpha * a[row * k + inner] * b[column * k + inner] +
             alpha * b[row * k + inner] * a[column * k + inner];
    c[row * n + column] = sum;
  }
}

namespace {

class Syr2k : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    n_ = bench::pick(size, 120, 512, 2048);
    k_ = bench::pick(size, 100, 512, 2048);
    bench::Random random(seed);
    fill(a_, random, static_cast<std::size_t>(n_) * k_);
    fill(b_, random, static_cast<std::size_t>(n_) * k_);
    fill(start_, random, static_cast<std::size_t>(n_) * n_);
    deviceA_.upload(a_);
    deviceB_.upload(b_);
    deviceStart_.upload(start_);
    c_.allocate(start_.size());
  }

  void launch(cudaStream_t stream) override {
    c_.copyFrom(deviceStart_, stream);
    syr2k<<<dim3((n_ + 31) / 32, (n_ + 7) / 8), dim3(32, 8), 0, stream>>>(
        deviceA_.get(), deviceB_.get(), c_.get(), n_, k_, kAlpha, kBeta);
  }

  bench::Bytes result() override { return c_.take(); }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<float> got = bench::view<float>(result);
    bench::Comparison comparison(1e-3, 1e-3);
    const std::size_t stride = bench::sampleStride(got.size(), 40000);
    for (std::size_t index = 0; index < got.size(); index += stride) {
      const std::size_t row = index / n_ * k_, column = index % n_ * k_;
      double sum = kBeta * static_cast<double>(start_[index]);
      for (int inner = 0; inner < k_; ++inner)
        sum += kAlpha * (static_cast<double>(a_[row + inner]) * b_[column + inner] +
                         static_cast<double>(b_[row + inner]) * a_[column + inner]);
      comparison.expect(index, sum, got[index]);
    }
    return comparison;
  }

private:
  static constexpr float kAlpha = 1.5f, kBeta = 0.5f;

  static void fill(std::vector<float>& values, bench::Random& random, std::size_t count) {
    values.resize(count);
    for (float& value : values)
      value = random.uniform(-1, 1);
  }

  int n_ = 0, k_ = 0;
  std::vector<float> a_, b_, start_;
  bench::DeviceArray<float> deviceA_, deviceB_, deviceStart_, c_;
};

} // namespace

BENCH_WORKLOAD(Syr2k, "syr2k")
