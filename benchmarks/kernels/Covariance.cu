// Covariance.cu - covariance matrix of many variables over few samples.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "covariance" (cov): memory, EPC 0.08, 5632 registers, no shared memory.
// Data: samples x variables floats, centred in place, then a symmetric variables x variables
// matrix. Shape kept: three kernels (means with 256 threads, centring with 32x8, covariance with
// 256); the last has one thread per variable with a triangular loop, so it has few blocks and
// uncoalesced loads: that is what makes its row of the thesis the most memory-bound one.
// Measured (nvcc 13.0, sm_90): 32 registers per thread, 8192 per block; no shared memory.
#include "benchmarks/kernels/Workload.h"

constexpr int kThreads = 256;

__global__ void covarianceMean(float* mean, const float* data, int variables, int samples) {
  const int variable = blockIdx.x * blockDim.x + threadIdx.x;
  if (variable < variables) {
    float sum = 0;
    for (int sample = 0; sample < samples; ++sample)
      sum += data[sample * variables + variable];
    mean[variable] = sum / samples;
  }
}

__global__ void covarianceCenter(const float* mean, float* data, int variables, int samples) {
  const int variable = blockIdx.x * blockDim.x + threadIdx.x;
  const int sample = blockIdx.y * blockDim.y + threadIdx.y;
  if (variable < variables && sample < samples)
    data[sample * variables + variable] -= mean[variable];
}

__global__ void covariance(float* matrix, const float* data, int variables, int samples) {
  const int left = blockIdx.x * blockDim.x + threadIdx.x;
  if (left < variables) {
    for (int right = left; right < variables; ++right) {
      float sum = 0;
      for (int sample = 0; sample < samples; ++sample)
        sum += data[sample * variables + left] * data[sample * variables + right];
      matrix[left * variables + right] = sum;
      matrix[right * variables + left] = sum;
    }
  }
}

namespace {

class Covariance : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    variables_ = bench::pick(size, 600, 1024, 4096);
    samples_ = bench::pick(size, 12, 64, 256);
    bench::Random random(seed);
    data_.resize(static_cast<std::size_t>(variables_) * samples_);
    for (float& value : data_)
      value = random.uniform(0, 4);
    deviceData_.upload(data_);
    centered_.allocate(data_.size());
    mean_.allocate(variables_);
    matrix_.allocate(static_cast<std::size_t>(variables_) * variables_);
  }

  void launch(cudaStream_t stream) override {
    const int blocks = (variables_ + kThreads - 1) / kThreads;
    const dim3 block(32, 8), grid((variables_ + 31) / 32, (samples_ + 7) / 8);
    centered_.copyFrom(deviceData_, stream);
    covarianceMean<<<blocks, kThreads, 0, stream>>>(mean_.get(), centered_.get(), variables_,
                                                    samples_);
    covarianceCenter<<<grid, block, 0, stream>>>(mean_.get(), centered_.get(), variables_,
                                                 samples_);
    covariance<<<blocks, kThreads, 0, stream>>>(matrix_.get(), centered_.get(), variables_,
                                                samples_);
  }

  bench::Bytes result() override { return matrix_.take(); }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<float> got = bench::view<float>(result);
    std::vector<double> mean(variables_, 0.0);
    for (std::size_t index = 0; index < data_.size(); ++index)
      mean[index % variables_] += data_[index] / static_cast<double>(samples_);
    bench::Comparison comparison(1e-3, 1e-3);
    const std::size_t stride = bench::sampleStride(got.size(), 400000);
    for (std::size_t index = 0; index < got.size(); index += stride) {
      const std::size_t left = index / variables_, right = index % variables_;
      double sum = 0;
      for (int sample = 0; sample < samples_; ++sample)
        sum += (data_[sample * std::size_t(variables_) + left] - mean[left]) *
               (data_[sample * std::size_t(variables_) + right] - mean[right]);
      comparison.expect(index, sum, got[index]);
    }
    return comparison;
  }

private:
  int variables_ = 0, samples_ = 0;
  std::vector<float> data_;
  bench::DeviceArray<float> deviceData_, centered_, mean_, matrix_;
};

} // namespace

BENCH_WORKLOAD(Covariance, "covariance")
