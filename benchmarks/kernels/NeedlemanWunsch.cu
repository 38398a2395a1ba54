// NeedlemanWunsch.cu - global alignment scores of two sequences, tile by tile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "needleman-wunsch" (nw): memory, EPC 0.31, 656 registers and 2180 bytes per block.
// Data: an (n+1)x(n+1) integer score matrix and an nxn matrix of substitution scores.
// Shape kept: 16 threads per block, 16x16 tiles, 17x17 scores and 16x16 substitutions in shared
// memory (1156 + 1024 = 2180 bytes), one launch per tile diagonal: growing ones by one kernel,
// shrinking ones by another. The tile itself is a device function with barriers and shared memory.
// Measured (nvcc 13.0, sm_90): 32 registers per thread, 512 per block; 2180 bytes shared.
#include "benchmarks/kernels/Workload.h"

#include <algorithm>

constexpr int kTile = 16, kPenalty = 10;

/// Scores of tile (tileX, tileY); one thread per column. Every thread of the block calls it.
__device__ inline void fillTile(const int* substitution, int* scores, int length, int tileX,
                                int tileY) {
  __shared__ int score[kTile + 1][kTile + 1];
  __shared__ int pair[kTile][kTile];
  const int column = threadIdx.x, pitch = length + 1;
  int* corner = scores + tileY * kTile * pitch + tileX * kTile;
  const int* pairs = substitution + tileY * kTile * length + tileX * kTile;
  for (int row = 0; row < kTile; ++row)
    pair[row][column] = pairs[row * length + column];
  score[column + 1][0] = corner[(column + 1) * pitch];
  score[0][column + 1] = corner[column + 1];
  if (column == 0)
    score[0][0] = corner[0];
  __syncthreads();

  for (int step = 0; step < 2 * kTile - 1; ++step) {
    const int row = step - column;
    if (row >= 0 && row < kTile) {
      const int diagonal = score[row][column] + pair[row][column];
      const int gap = max(score[row][column + 1], score[row + 1][column]) - kPenalty;
      score[row + 1][column + 1] = max(diagonal, gap);
    }
    __syncthreads();
  }
  for (int row = 0; row < kTile; ++row)
    corner[(row + 1) * pitch + column + 1] = score[row + 1][column + 1];
}

__global__ void alignGrowing(const int* substitution, int* scores, int length, int diagonal) {
  const int tileX = blockIdx.x;
  fillTile(substitution, scores, length, tileX, diagonal - tileX);
}

__global__ void alignShrinking(const int* substitution, int* scores, int length, int diagonal) {
  const int tiles = length / kTile;
  const int tileX = diagonal - tiles + 1 + blockIdx.x;
  fillTile(substitution, scores, length, tileX, diagonal - tileX);
}

namespace {

class NeedlemanWunsch : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    length_ = bench::pick(size, 256, 1024, 8192);
    bench::Random random(seed);
    std::vector<int> rows(length_), columns(length_);
    for (int index = 0; index < length_; ++index) {
      rows[index] = static_cast<int>(random.below(20));
      columns[index] = random.below(3) == 0 ? static_cast<int>(random.below(20)) : rows[index];
    }
    substitution_.resize(static_cast<std::size_t>(length_) * length_);
    for (int row = 0; row < length_; ++row)
      for (int column = 0; column < length_; ++column)
        substitution_[static_cast<std::size_t>(row) * length_ + column] =
            similarity(rows[row], columns[column]);
    boundary_.assign(static_cast<std::size_t>(length_ + 1) * (length_ + 1), 0);
    for (int index = 1; index <= length_; ++index) {
      boundary_[index] = -index * kPenalty;
      boundary_[static_cast<std::size_t>(index) * (length_ + 1)] = -index * kPenalty;
    }
    deviceSubstitution_.upload(substitution_);
    deviceBoundary_.upload(boundary_);
    scores_.allocate(boundary_.size());
  }

  void launch(cudaStream_t stream) override {
    const int tiles = length_ / kTile;
    scores_.copyFrom(deviceBoundary_, stream);
    for (int diagonal = 0; diagonal < tiles; ++diagonal)
      alignGrowing<<<diagonal + 1, kTile, 0, stream>>>(deviceSubstitution_.get(), scores_.get(),
                                                       length_, diagonal);
    for (int diagonal = tiles; diagonal < 2 * tiles - 1; ++diagonal)
      alignShrinking<<<2 * tiles - 1 - diagonal, kTile, 0, stream>>>(
          deviceSubstitution_.get(), scores_.get(), length_, diagonal);
  }

  bench::Bytes result() override { return scores_.take(); }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<int> got = bench::view<int>(result);
    std::vector<int> score = boundary_;
    bench::Comparison comparison(0, 0);
    const std::size_t pitch = length_ + 1;
    for (std::size_t row = 1; row < pitch; ++row)
      for (std::size_t column = 1; column < pitch; ++column) {
        const std::size_t at = row * pitch + column;
        const int pair = substitution_[(row - 1) * length_ + column - 1];
        score[at] = std::max(score[at - pitch - 1] + pair,
                             std::max(score[at - pitch], score[at - 1]) - kPenalty);
        comparison.expect(at, score[at], got[at]);
      }
    return comparison;
  }

private:
  /// Symmetric, highest for equal letters.
  static int similarity(int left, int right) {
    return left == right ? 4 + left % 5 : (left * right + 3 * (left + right)) % 6 - 4;
  }

  int length_ = 0;
  std::vector<int> substitution_, boundary_;
  bench::DeviceArray<int> deviceSubstitution_, deviceBoundary_, scores_;
};

} // namespace

BENCH_WORKLOAD(NeedlemanWunsch, "needleman-wunsch")
