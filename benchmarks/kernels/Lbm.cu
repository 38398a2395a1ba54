// Lbm.cu - lattice-Boltzmann fluid in a box with a moving lid, 19 velocities.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "lbm": L1 cache, EPC 0.59, 4800 registers, no shared memory.
// Data: 19 float distributions per cell, one array per velocity, two copies used in turn; a flag
// per cell: fluid, obstacle (bounces back) or driven (fluid with a forced velocity).
// Shape kept: a block of 120 threads is one row of 120 cells (not a multiple of 32); each thread
// gathers its cell, collides (BGK) and scatters to the 19 neighbours.
// A scatter is a fixed shift of the flat index, so every element is written once per step.
// Measured (nvcc 13.0, sm_90): 40 registers per thread, 4800 per block; no shared memory.
#include "benchmarks/kernels/Workload.h"

constexpr int kWidth = 120, kVelocities = 19;
constexpr float kOmega = 1.2f, kLidX = 0.005f, kLidY = 0.002f;
enum Cell : unsigned char { kFluid, kObstacle, kDriven };

/// Component `axis` of velocity `index`; index and index ^ 1 are opposite, 18 is at rest.
__host__ __device__ constexpr int velocity(int index, int axis) {
  constexpr signed char table[kVelocities][3] = {
      {1, 0, 0},   {-1, 0, 0},  {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1}, {1, 1, 0},
      {-1, -1, 0}, {1, -1, 0},  {-1, 1, 0}, {1, 0, 1},  {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1},
      {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1}, {0, 0, 0}};
  return table[index][axis];
}
__host__ __device__ constexpr int opposite(int index) {
  return index == 18 ? 18 : index ^ 1;
}
__host__ __device__ constexpr float weight(int index) {
  return index == 18 ? 1.0f / 3 : index < 6 ? 1.0f / 18 : 1.0f / 36;
}

/// Distributions after the collision of one cell, the same text for kernel and reference.
__host__ __device__ inline void collide(float (&f)[kVelocities], unsigned char cell) {
  if (cell == kObstacle) {
#pragma unroll
    for (int index = 0; index < kVelocities - 1; index += 2) {
      const float held = f[index];
      f[index] = f[index + 1];
      f[index + 1] = held;
    }
    return;
  }
  float density = 0, ux = 0, uy = 0, uz = 0;
#pragma unroll
  for (int index = 0; index < kVelocities; ++index) {
    density += f[index];
    ux += velocity(index, 0) * f[index];
    uy += velocity(index, 1) * f[index];
    uz += velocity(index, 2) * f[index];
  }
  ux = cell == kDriven ? kLidX : ux / density;
  uy = cell == kDriven ? kLidY : uy / density;
  uz = cell == kDriven ? 0.0f : uz / density;
  const float still = 1.0f - 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int index = 0; index < kVelocities; ++index) {
    const float along = velocity(index, 0) * ux + velocity(index, 1) * uy + velocity(index, 2) * uz;
    const float rest = weight(index) * density * (3.0f * along + 4.5f * along * along + still);
    f[index] = (1.0f - kOmega) * f[index] + kOmega * rest;
  }
}

/// Distance in cells that velocity `index` moves the flat index.
__host__ __device__ constexpr int shift(int index, int height) {
  return velocity(index, 0) + kWidth * (velocity(index, 1) + height * velocity(index, 2));
}

__global__ void lbm(const float* in, float* out, const unsigned char* cells, int margin,
                    int pitch) {
  const int height = gridDim.x;
  const int cell = (blockIdx.y * height + blockIdx.x) * kWidth + threadIdx.x;
  float f[kVelocities];
#pragma unroll
  for (int index = 0; index < kVelocities; ++index)
    f[index] = in[index * pitch + margin + cell];
  collide(f, cells[cell]);
#pragma unroll
  for (int index = 0; index < kVelocities; ++index)
    out[index * pitch + margin + cell + shift(index, height)] = f[index];
}

namespace {

class Lbm : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    height_ = bench::pick(size, 16, 60, 120);
    depth_ = bench::pick(size, 12, 30, 150);
    steps_ = bench::pick(size, 2, 4, 60);
    margin_ = kWidth * height_ + kWidth + 1;
    pitch_ = cells() + 2 * margin_;
    markCells(seed);
    initial_.assign(static_cast<std::size_t>(pitch_) * kVelocities, 0.0f);
    for (int index = 0; index < kVelocities; ++index)
      for (int cell = 0; cell < cells(); ++cell)
        initial_[static_cast<std::size_t>(index) * pitch_ + margin_ + cell] = weight(index);
    deviceCells_.upload(cells_);
    deviceInitial_.upload(initial_);
    even_.allocate(initial_.size());
    odd_.allocate(initial_.size());
  }

  void launch(cudaStream_t stream) override {
    even_.copyFrom(deviceInitial_, stream);
    odd_.clear(stream);
    for (int step = 0; step < steps_; ++step) {
      const bool even = step % 2 == 0;
      lbm<<<dim3(height_, depth_), kWidth, 0, stream>>>(even ? even_.get() : odd_.get(),
                                                        even ? odd_.get() : even_.get(),
                                                        deviceCells_.get(), margin_, pitch_);
    }
  }

  bench::Bytes result() override { return steps_ % 2 == 0 ? even_.take() : odd_.take(); }

  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<float> got = bench::view<float>(result);
    std::vector<float> in = initial_, out(initial_.size(), 0.0f);
    for (int step = 0; step < steps_; ++step, in.swap(out))
      referenceStep(in, out);
    bench::Comparison comparison(1e-3, 1e-6);
    for (int index = 0; index < kVelocities; ++index)
      for (int cell = 0; cell < cells(); ++cell) {
        const std::size_t at = static_cast<std::size_t>(index) * pitch_ + margin_ + cell;
        comparison.expect(at, in[at], got[at]);
      }
    return comparison;
  }

private:
  int cells() const { return kWidth * height_ * depth_; }

  void markCells(std::uint64_t seed) {
    bench::Random random(seed);
    cells_.resize(cells());
    for (int cell = 0; cell < cells(); ++cell) {
      const int x = cell % kWidth, y = cell / kWidth % height_, z = cell / (kWidth * height_);
      const bool wall =
          x == 0 || x == kWidth - 1 || y == 0 || y == height_ - 1 || z == 0 || z == depth_ - 1;
      const bool lid = z == depth_ - 2;
      cells_[cell] = wall || random.below(16) == 0 ? kObstacle : lid ? kDriven : kFluid;
    }
  }

  void referenceStep(const std::vector<float>& in, std::vector<float>& out) const {
    for (int cell = 0; cell < cells(); ++cell) {
      float f[kVelocities];
      for (int index = 0; index < kVelocities; ++index)
        f[index] = in[static_cast<std::size_t>(index) * pitch_ + margin_ + cell];
      collide(f, cells_[cell]);
      for (int index = 0; index < kVelocities; ++index)
        out[static_cast<std::size_t>(index) * pitch_ + margin_ + cell + shift(index, height_)] =
            f[index];
    }
  }

  int height_ = 0, depth_ = 0, steps_ = 0, margin_ = 0, pitch_ = 0;
  std::vector<unsigned char> cells_;
  std::vector<float> initial_;
  bench::DeviceArray<unsigned char> deviceCells_;
  bench::DeviceArray<float> deviceInitial_, even_, odd_;
};

} // namespace

BENCH_WORKLOAD(Lbm, "lbm")
