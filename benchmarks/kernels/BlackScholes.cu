// BlackScholes.cu - prices of European call and put options in closed form.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "BlackScholes" (bs): memory, EPC 4.04, 2944 registers, no shared memory.
// Data: three input and two output arrays of floats; blocks of 128 threads, two neighbouring
// options per thread through float2, fast approximations of log, exp and square root.
// The normal distribution is the five-term polynomial of Abramowitz and Stegun 26.2.17. A launch
// prices the options several times, as the sample's iterations do.
// Measured (nvcc 13.0, sm_90): 25 registers per thread, 3200 per block; no shared memory.
#include "benchmarks/kernels/Workload.h"

#include <cmath>

constexpr int kThreads = 128;
constexpr float kRate = 0.02f, kVolatility = 0.30f;

__device__ inline float cumulativeNormal(float d) {
  const float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
  const float polynomial =
      k * (0.31938153f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228040143267794f * __expf(-0.5f * d * d) * polynomial;
  return d > 0 ? 1.0f - tail : tail;
}

__device__ inline void priceOption(float& call, float& put, float price, float strike,
                                   float years) {
  const float root = __fdividef(1.0f, rsqrtf(years));
  const float d1 = __fdividef(__logf(__fdividef(price, strike)) +
                                  (kRate + 0.5f * kVolatility * kVolatility) * years,
                              kVolatility * root);
  const float d2 = d1 - kVolatility * root;
  const float normal1 = cumulativeNormal(d1), normal2 = cumulativeNormal(d2);
  const float discounted = strike * __expf(-kRate * years);
  call = price * normal1 - discounted * normal2;
  put = discounted * (1.0f - normal2) - price * (1.0f - normal1);
}

__global__ __launch_bounds__(kThreads) void blackScholes(
    float2* __restrict__ calls, float2* __restrict__ puts, const float2* __restrict__ prices,
    const float2* __restrict__ strikes, const float2* __restrict__ years, int pairs) {
  const int pair = blockDim.x * blockIdx.x + threadIdx.x;
  if (pair >= pairs)
    return;
  float2 call, put;
  priceOption(call.x, put.x, prices[pair].x, strikes[pair].x, years[pair].x);
  priceOption(call.y, put.y, prices[pair].y, strikes[pair].y, years[pair].y);
  calls[pair] = call;
  puts[pair] = put;
}

namespace {

class BlackScholes : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    options_ = bench::pick(size, 60000, 4000000, 64000000);
    rounds_ = bench::pick(size, 1, 4, 32);
    bench::Random random(seed);
    fill(prices_, random, 5, 30);
    fill(strikes_, random, 1, 100);
    fill(years_, random, 0.25f, 10);
    devicePrices_.upload(prices_);
    deviceStrikes_.upload(strikes_);
    deviceYears_.upload(years_);
    calls_.allocate(options_);
    puts_.allocate(options_);
  }

  void launch(cudaStream_t stream) override {
    const int pairs = options_ / 2;
    for (int round = 0; round < rounds_; ++round)
      blackScholes<<<(pairs + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
          pairsOf(calls_), pairsOf(puts_), pairsOf(devicePrices_), pairsOf(deviceStrikes_),
          pairsOf(deviceYears_), pairs);
  }

  bench::Bytes result() override {
    bench::Bytes bytes = calls_.take();
    puts_.take(bytes);
    return bytes;
  }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<float> got = bench::view<float>(result);
    bench::Comparison comparison(1e-4, 1e-4);
    const std::size_t stride = bench::sampleStride(options_, 1000000);
    for (std::size_t index = 0; index < prices_.size(); index += stride) {
      double call = 0, put = 0;
      reference(prices_[index], strikes_[index], years_[index], call, put);
      comparison.expect(index, call, got[index]);
      comparison.expect(prices_.size() + index, put, got[prices_.size() + index]);
    }
    return comparison;
  }

private:
  void fill(std::vector<float>& values, bench::Random& random, float low, float high) {
    values.resize(options_);
    for (float& value : values)
      value = random.uniform(low, high);
  }

  static float2* pairsOf(const bench::DeviceArray<float>& array) {
    return reinterpret_cast<float2*>(array.get());
  }

  static double normal(double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); }

  static void reference(double price, double strike, double years, double& call, double& put) {
    const double root = std::sqrt(years), rate = kRate, volatility = kVolatility;
    const double d1 = (std::log(price / strike) + (rate + 0.5 * volatility * volatility) * years) /
                      (volatility * root);
    const double d2 = d1 - volatility * root, discounted = strike * std::exp(-rate * years);
    call = price * normal(d1) - discounted * normal(d2);
    put = discounted * normal(-d2) - price * normal(-d1);
  }

  int options_ = 0, rounds_ = 1;
  std::vector<float> prices_, strikes_, years_;
  bench::DeviceArray<float> devicePrices_, deviceStrikes_, deviceYears_, calls_, puts_;
};

} // namespace

BENCH_WORKLOAD(BlackScholes, "BlackScholes")
