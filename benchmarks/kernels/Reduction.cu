// Reduction.cu - sum of an array of doubles, one partial sum per block.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "reduction" (rd): memory, EPC 0.53, 4608 registers and about 2 KB shared per
// block. Data: doubles in, one per block out, then one block sums those. Shape kept: template over
// element type and block size, 256 threads, 2048 bytes of dynamic shared memory, grid-stride loop
// over two elements per thread and step, a tree that ends inside one warp. The order of the
// additions depends only on the shape, so the result is the same every time.
// Measured (nvcc 13.0, sm_90): 18 registers per thread, 4608 per block; 2048 dynamic bytes shared.
#include "benchmarks/kernels/Workload.h"

constexpr int kThreads = 256;

template <class T, int kBlockSize>
__global__ void reduction(const T* __restrict__ in, T* __restrict__ out, unsigned count) {
  extern __shared__ unsigned char storage[];
  T* partial = reinterpret_cast<T*>(storage);
  const unsigned thread = threadIdx.x, step = 2 * kBlockSize * gridDim.x;
  T sum = 0;
  for (unsigned index = 2 * kBlockSize * blockIdx.x + thread; index < count; index += step) {
    sum += in[index];
    if (index + kBlockSize < count)
      sum += in[index + kBlockSize];
  }
  partial[thread] = sum;
  __syncthreads();
#pragma unroll
  for (unsigned distance = kBlockSize / 2; distance >= 32; distance /= 2) {
    if (thread < distance)
      partial[thread] += partial[thread + distance];
    __syncthreads();
  }
  if (thread >= 32)
    return;
  sum = partial[thread];
#pragma unroll
  for (unsigned distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xFFFFFFFFu, sum, distance);
  if (thread == 0)
    out[blockIdx.x] = sum;
}

namespace {

class Reduction : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    rounds_ = bench::pick(size, 1, 4, 40);
    bench::Random random(seed);
    values_.resize(bench::pick(size, 1000001, 16000001, 128000001));
    for (double& value : values_)
      value = random.uniform(-1, 1);
    deviceValues_.upload(values_);
    partial_.allocate(bench::pick(size, 64, 256, 2112));
    total_.allocate(1);
  }

  void launch(cudaStream_t stream) override {
    const unsigned blocks = static_cast<unsigned>(partial_.count());
    constexpr std::size_t shared = kThreads * sizeof(double);
    for (int round = 0; round < rounds_; ++round)
      reduction<double, kThreads><<<blocks, kThreads, shared, stream>>>(
          deviceValues_.get(), partial_.get(), static_cast<unsigned>(values_.size()));
    reduction<double, kThreads>
        <<<1, kThreads, shared, stream>>>(partial_.get(), total_.get(), blocks);
  }

  bench::Bytes result() override {
    bench::Bytes bytes = total_.take();
    partial_.take(bytes);
    return bytes;
  }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<double> got = bench::view<double>(result);
    std::vector<double> expected(partial_.count() + 1, 0.0);
    for (std::size_t index = 0; index < values_.size(); ++index) {
      expected[1 + index / (2 * kThreads) % partial_.count()] += values_[index];
      expected[0] += values_[index];
    }
    bench::Comparison comparison(1e-9, 1e-7);
    for (std::size_t index = 0; index < got.size(); ++index)
      comparison.expect(index, expected[index], got[index]);
    return comparison;
  }

private:
  int rounds_ = 1;
  std::vector<double> values_;
  bench::DeviceArray<double> deviceValues_, partial_, total_;
};

} // namespace

BENCH_WORKLOAD(Reduction, "reduction")
