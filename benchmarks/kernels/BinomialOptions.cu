// BinomialOptions.cu - European call options on a binomial tree, one tree per block.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "binomialOptions" (bo): compute, EPC 5.93, 4096 registers and 516 bytes per block.
// Data: per option price, strike, up factor and two discounted probabilities, in constant memory.
// Shape kept: 128 threads per option, consecutive leaves of the tree in registers (16 each for the
// 2048-step tree), 129 floats (516 bytes) of shared memory to hand the first leaf of each thread
// to its left neighbour, two barriers per time step. Smaller sizes use the same template with
// fewer leaves per thread.
// Measured (nvcc 13.0, sm_90): 32 registers per thread, 4096 per block; 516 bytes shared.
#include "benchmarks/kernels/Workload.h"

#include <cmath>

constexpr int kThreads = 128, kMaxOptions = 1024;

struct Option {
  float price, strike;
  float logUp;    ///< volatility times square root of a step
  float up, down; ///< discounted probabilities
};

__constant__ Option options[kMaxOptions];

template <int kLeaves> __global__ void binomialOptions(float* values) {
  __shared__ float exchange[kThreads + 1];
  constexpr int steps = kThreads * kLeaves;
  const Option option = options[blockIdx.x];
  const int first = threadIdx.x * kLeaves;
  float leaf[kLeaves + 1];
#pragma unroll
  for (int index = 0; index < kLeaves; ++index) {
    const float rise = option.logUp * (2.0f * (first + index) - steps);
    leaf[index] = fmaxf(option.price * expf(rise) - option.strike, 0.0f);
  }
  if (threadIdx.x == 0)
    exchange[kThreads] = fmaxf(option.price * expf(option.logUp * steps) - option.strike, 0.0f);

  for (int remaining = steps; remaining > 0; --remaining) {
    exchange[threadIdx.x] = leaf[0];
    __syncthreads();
    leaf[kLeaves] = exchange[threadIdx.x + 1];
    __syncthreads();
    if (first < remaining) {
#pragma unroll
      for (int index = 0; index < kLeaves; ++index)
        leaf[index] = option.up * leaf[index + 1] + option.down * leaf[index];
    }
  }
  if (threadIdx.x == 0)
    values[blockIdx.x] = leaf[0];
}

namespace {

class BinomialOptions : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    leaves_ = bench::pick(size, 4, 8, 16);
    rounds_ = bench::pick(size, 1, 2, 40);
    options_.resize(bench::pick(size, 16, 256, kMaxOptions));
    bench::Random random(seed);
    for (Option& option : options_)
      option = makeOption(random);
    bench::require(cudaMemcpyToSymbol(options, options_.data(), options_.size() * sizeof(Option)),
                   "options");
    values_.allocate(options_.size());
  }

  void launch(cudaStream_t stream) override {
    for (int round = 0; round < rounds_; ++round) {
      if (leaves_ == 4)
        start<4>(stream);
      else if (leaves_ == 8)
        start<8>(stream);
      else
        start<16>(stream);
    }
  }

  bench::Bytes result() override { return values_.take(); }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<float> got = bench::view<float>(result);
    bench::Comparison comparison(2e-3, 2e-3);
    const std::size_t stride = bench::sampleStride(got.size(), 100);
    for (std::size_t index = 0; index < got.size(); index += stride)
      comparison.expect(index, reference(options_[index]), got[index]);
    return comparison;
  }

private:
  template <int kLeaves> void start(cudaStream_t stream) {
    binomialOptions<kLeaves>
        <<<static_cast<unsigned>(options_.size()), kThreads, 0, stream>>>(values_.get());
  }

  Option makeOption(bench::Random& random) const {
    const double years = random.uniform(0.25f, 5), rate = 0.06, volatility = 0.10;
    const double step = years / (kThreads * leaves_), logUp = volatility * std::sqrt(step);
    const double growth = std::exp(rate * step), up = std::exp(logUp), down = std::exp(-logUp);
    const double probability = (growth - down) / (up - down);
    return {random.uniform(5, 30), random.uniform(5, 30), static_cast<float>(logUp),
            static_cast<float>(probability / growth),
            static_cast<float>((1 - probability) / growth)};
  }

  double reference(const Option& option) const {
    const int steps = kThreads * leaves_;
    std::vector<double> leaf(steps + 1);
    for (int index = 0; index <= steps; ++index)
      leaf[index] = std::fmax(
          option.price * std::exp(double(option.logUp) * (2 * index - steps)) - option.strike, 0.0);
    for (int remaining = steps; remaining > 0; --remaining)
      for (int index = 0; index < remaining; ++index)
        leaf[index] = option.up * leaf[index + 1] + option.down * leaf[index];
    return leaf[0];
  }

  int leaves_ = 0, rounds_ = 1;
  std::vector<Option> options_;
  bench::DeviceArray<float> values_;
};

} // namespace

BENCH_WORKLOAD(BinomialOptions, "binomialOptions")
