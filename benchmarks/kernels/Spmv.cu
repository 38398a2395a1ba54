// Spmv.cu - sparse matrix times vector in jagged diagonal storage.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "spmv": memory, EPC 0.72, 5148 registers, no shared memory.
// Data: rows sorted by length, entry k of all rows stored together, rows padded to the longest row
// of their group of 32; start of each diagonal and length of each group in constant memory.
// Shape kept: blocks of 192 threads, one row per thread, gather of the vector through the column
// index, result scattered through the row permutation. A launch multiplies several times.
// Measured (nvcc 13.0, sm_90): 32 registers per thread, 6144 per block; no shared memory.
#include "benchmarks/kernels/Workload.h"

#include <algorithm>
#include <numeric>

constexpr int kThreads = 192, kGroup = 32;
constexpr int kMaxGroups = 12288, kMaxDiagonals = 2048;

__constant__ int diagonalStart[kMaxDiagonals];
__constant__ int groupLength[kMaxGroups];

__global__ void spmv(float* __restrict__ out, const float* __restrict__ values,
                     const int* __restrict__ columns, const int* __restrict__ permutation,
                     const float* __restrict__ vector, int rows) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0;
  const int length = groupLength[row / kGroup];
  for (int entry = 0; entry < length; ++entry) {
    const int at = diagonalStart[entry] + row;
    sum += values[at] * vector[columns[at]];
  }
  out[permutation[row]] = sum;
}

namespace {

class Spmv : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    rows_ = bench::pick(size, 12000, 100000, 390000);
    rounds_ = bench::pick(size, 2, 10, 200);
    bench::Random random(seed);
    chooseLengths(random);
    fillDiagonals(random);
    vector_.resize(rows_);
    for (float& value : vector_)
      value = random.uniform(-1, 1);
    deviceValues_.upload(values_);
    deviceColumns_.upload(columns_);
    devicePermutation_.upload(permutation_);
    deviceVector_.upload(vector_);
    out_.allocate(rows_);
    copyToConstant();
  }

  void launch(cudaStream_t stream) override {
    for (int round = 0; round < rounds_; ++round)
      spmv<<<(rows_ + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
          out_.get(), deviceValues_.get(), deviceColumns_.get(), devicePermutation_.get(),
          deviceVector_.get(), rows_);
  }

  bench::Bytes result() override { return out_.take(); }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<float> got = bench::view<float>(result);
    bench::Comparison comparison(1e-4, 1e-4);
    for (int row = 0; row < rows_; ++row) {
      double sum = 0;
      for (int entry = 0; entry < lengths_[row]; ++entry) {
        const std::size_t at = starts_[entry] + row;
        sum += static_cast<double>(values_[at]) * vector_[columns_[at]];
      }
      comparison.expect(permutation_[row], sum, got[permutation_[row]]);
    }
    return comparison;
  }

private:
  /// Row lengths, longest first: most rows short, a few long.
  void chooseLengths(bench::Random& random) {
    lengths_.resize(rows_);
    for (int& length : lengths_)
      length =
          4 + static_cast<int>(random.below(16) + (random.below(32) == 0 ? random.below(64) : 0));
    std::sort(lengths_.begin(), lengths_.end(), [](int left, int right) { return left > right; });
    permutation_.resize(rows_);
    std::iota(permutation_.begin(), permutation_.end(), 0);
    for (int row = rows_ - 1; row > 0; --row)
      std::swap(permutation_[row], permutation_[random.below(row + 1)]);
    for (int row = 0; row < rows_; row += kGroup)
      groups_.push_back(lengths_[row]);
  }

  void fillDiagonals(bench::Random& random) {
    int start = 0, groups = static_cast<int>(groups_.size());
    for (int entry = 0; entry < lengths_[0]; ++entry) {
      while (groups > 0 && groups_[groups - 1] <= entry)
        --groups;
      starts_.push_back(start);
      start += groups * kGroup;
    }
    values_.assign(start, 0.0f);
    columns_.assign(start, 0);
    for (int row = 0; row < rows_; ++row)
      for (int entry = 0; entry < lengths_[row]; ++entry) {
        values_[starts_[entry] + row] = random.uniform(-1, 1);
        columns_[starts_[entry] + row] = static_cast<int>(random.below(rows_));
      }
  }

  void copyToConstant() {
    bench::require(cudaMemcpyToSymbol(diagonalStart, starts_.data(), starts_.size() * sizeof(int)),
                   "diagonal starts");
    bench::require(cudaMemcpyToSymbol(groupLength, groups_.data(), groups_.size() * sizeof(int)),
                   "group lengths");
  }

  int rows_ = 0, rounds_ = 1;
  std::vector<int> lengths_, permutation_, groups_, starts_, columns_;
  std::vector<float> values_, vector_;
  bench::DeviceArray<float> deviceValues_, deviceVector_, out_;
  bench::DeviceArray<int> deviceColumns_, devicePermutation_;
};

} // namespace

BENCH_WORKLOAD(Spmv, "spmv")
