// Cutcp.cu - short-range electrostatic potential on a lattice, atoms sorted into bins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "cutcp": compute, EPC 5.67, 3328 registers and about 4 KB shared per block.
// Data: a lattice of 8x8x8-point regions, spacing 0.5; bins of edge 4 hold up to 8 atoms each; the
// offsets of the bins that can reach a region are in constant memory.
// Shape kept: 8x2x8 = 128 threads per region, four points per thread, 32 bins (4096 bytes) staged
// in shared memory at a time, a bin's atom list ends at the first charge of zero.
// Measured (nvcc 13.0, sm_90): 32 registers per thread, 4096 per block; 4096 bytes shared.
#include "benchmarks/kernels/Workload.h"

#include <algorithm>
#include <cmath>

constexpr int kRegionEdge = 8;
constexpr int kBinDepth = 8;
constexpr int kCachedBins = 32;
constexpr int kMaxOffsets = 343;
constexpr float kSpacing = 0.5f;
constexpr float kBinEdge = kRegionEdge * kSpacing;

__constant__ int binOffsetCount;
__constant__ int3 binOffsets[kMaxOffsets];

__global__ void cutcp(const float4* bins, float* lattice, int pad, float cutoffSquared) {
  __shared__ float4 cache[kCachedBins * kBinDepth];
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  const int binsX = gridDim.x + 2 * pad, binsY = gridDim.y + 2 * pad;
  const int x = blockIdx.x * kRegionEdge + threadIdx.x;
  const int y = blockIdx.y * kRegionEdge + threadIdx.y;
  const int z = blockIdx.z * kRegionEdge + threadIdx.z;
  const float px = x * kSpacing, py = y * kSpacing, pz = z * kSpacing;
  const float inverseCutoff = 1.0f / cutoffSquared;
  float energy[4] = {0, 0, 0, 0};

  for (int start = 0; start < binOffsetCount; start += kCachedBins) {
    const int cached = min(kCachedBins, binOffsetCount - start);
    __syncthreads();
    for (int slot = thread; slot < cached * kBinDepth; slot += threads) {
      const int3 offset = binOffsets[start + slot / kBinDepth];
      const int bx = blockIdx.x + pad + offset.x, by = blockIdx.y + pad + offset.y;
      const int bz = blockIdx.z + pad + offset.z;
      cache[slot] = bins[((bz * binsY + by) * binsX + bx) * kBinDepth + slot % kBinDepth];
    }
    __syncthreads();
    for (int bin = 0; bin < cached; ++bin) {
      for (int entry = 0; entry < kBinDepth; ++entry) {
        const float4 atom = cache[bin * kBinDepth + entry];
        if (atom.w == 0)
          break;
        const float dx = atom.x - px, dz = atom.z - pz;
        const float dxz = dx * dx + dz * dz;
        float dy = atom.y - py;
#pragma unroll
        for (int point = 0; point < 4; ++point) {
          const float squared = dxz + dy * dy;
          if (squared < cutoffSquared) {
            const float smooth = 1.0f - squared * inverseCutoff;
            energy[point] += atom.w * rsqrtf(squared) * smooth * smooth;
          }
          dy -= 2 * kSpacing;
        }
      }
    }
  }
  const int width = gridDim.x * kRegionEdge, height = gridDim.y * kRegionEdge;
#pragma unroll
  for (int point = 0; point < 4; ++point)
    lattice[(z * height + y + 2 * point) * width + x] = energy[point];
}

namespace {

class Cutcp : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    regions_ =
        dim3(bench::pick(size, 4, 8, 40), bench::pick(size, 2, 8, 40), bench::pick(size, 2, 8, 32));
    cutoff_ = bench::pick(size, 4.0f, 12.0f, 12.0f);
    pad_ = static_cast<int>(std::ceil(cutoff_ / kBinEdge));
    collectOffsets();
    fillBins(seed);
    deviceBins_.upload(bins_);
    lattice_.allocate(static_cast<std::size_t>(regions_.x) * regions_.y * regions_.z * 512);
    const int count = static_cast<int>(offsets_.size());
    bench::require(cudaMemcpyToSymbol(binOffsetCount, &count, sizeof count), "bin count");
    bench::require(cudaMemcpyToSymbol(binOffsets, offsets_.data(), count * sizeof(int3)),
                   "bin offsets");
  }

  void launch(cudaStream_t stream) override {
    cutcp<<<regions_, dim3(8, 2, 8), 0, stream>>>(deviceBins_.get(), lattice_.get(), pad_,
                                                  cutoff_ * cutoff_);
  }

  bench::Bytes result() override { return lattice_.take(); }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<float> got = bench::view<float>(result);
    bench::Comparison comparison(2e-4, 2e-4);
    const std::size_t stride = bench::sampleStride(got.size(), 10000);
    for (std::size_t index = 0; index < got.size(); index += stride)
      comparison.expect(index, reference(index), got[index]);
    return comparison;
  }

private:
  static double gap(int offset) { return std::max(std::abs(offset) - 1, 0) * kBinEdge; }

  void collectOffsets() {
    for (int z = -pad_; z <= pad_; ++z)
      for (int y = -pad_; y <= pad_; ++y)
        for (int x = -pad_; x <= pad_; ++x)
          if (gap(x) * gap(x) + gap(y) * gap(y) + gap(z) * gap(z) < cutoff_ * cutoff_)
            offsets_.push_back(make_int3(x, y, z));
  }

  int binsAlong(unsigned regions) const { return static_cast<int>(regions) + 2 * pad_; }

  void fillBins(std::uint64_t seed) {
    bench::Random random(seed);
    const int nx = binsAlong(regions_.x), ny = binsAlong(regions_.y), nz = binsAlong(regions_.z);
    bins_.assign(static_cast<std::size_t>(nx) * ny * nz * kBinDepth, make_float4(0, 0, 0, 0));
    for (int bin = 0; bin < nx * ny * nz; ++bin) {
      const int x = bin % nx - pad_, y = bin / nx % ny - pad_, z = bin / (nx * ny) - pad_;
      const int atoms = 3 + static_cast<int>(random.below(kBinDepth - 2));
      for (int entry = 0; entry < atoms; ++entry) {
        float4& atom = bins_[static_cast<std::size_t>(bin) * kBinDepth + entry];
        atom.x = (x + random.uniform(0, 1)) * kBinEdge;
        atom.y = (y + random.uniform(0, 1)) * kBinEdge;
        atom.z = (z + random.uniform(0, 1)) * kBinEdge;
        atom.w = random.uniform(0.5f, 2.0f);
      }
    }
  }

  double reference(std::size_t index) const {
    const int width = regions_.x * kRegionEdge, height = regions_.y * kRegionEdge;
    const int x = index % width, y = index / width % height;
    const int z = static_cast<int>(index / (static_cast<std::size_t>(width) * height));
    const int nx = binsAlong(regions_.x), ny = binsAlong(regions_.y);
    double energy = 0;
    for (const int3& offset : offsets_) {
      const int bx = x / kRegionEdge + pad_ + offset.x, by = y / kRegionEdge + pad_ + offset.y;
      const int bz = z / kRegionEdge + pad_ + offset.z;
      const std::size_t first = ((static_cast<std::size_t>(bz) * ny + by) * nx + bx) * kBinDepth;
      for (int entry = 0; entry < kBinDepth; ++entry)
        energy += contribution(bins_[first + entry], x * kSpacing, y * kSpacing, z * kSpacing);
    }
    return energy;
  }

  double contribution(const float4& atom, double px, double py, double pz) const {
    const double dx = atom.x - px, dy = atom.y - py, dz = atom.z - pz;
    const double squared = dx * dx + dy * dy + dz * dz, limit = double(cutoff_) * cutoff_;
    if (atom.w == 0 || squared >= limit)
      return 0;
    return atom.w / std::sqrt(squared) * (1 - squared / limit) * (1 - squared / limit);
  }

  dim3 regions_;
  float cutoff_ = 0;
  int pad_ = 0;
  std::vector<int3> offsets_;
  std::vector<float4> bins_;
  bench::DeviceArray<float4> deviceBins_;
  bench::DeviceArray<float> lattice_;
};

} // namespace

BENCH_WORKLOAD(Cutcp, "cutcp")
