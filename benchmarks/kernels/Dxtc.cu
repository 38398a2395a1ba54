// Dxtc.cu - DXT1 (BC1) compression of an image by exhaustive cluster fit.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands for row "dxtc" (dx): compute, EPC 3.75, 4032 registers and 2048 bytes shared per block.
// Data: RGBA pixels in, one 8-byte block per 4x4 pixels out.
// Shape kept: 64 threads per 4x4 tile; the 16 colours are sorted along their principal axis, the
// threads share the 969 ways of cutting the order into four clusters (each: least-squares end
// points, rounding to 5:6:5, squared error), the smallest error wins in a shared-memory tree.
// Ties go to the smallest number, so the result does not depend on the order of the threads.
// Kernel and reference call the same functions in the same operation order with contraction kept
// out (explicit rounding), so results are compared exactly except where the axis itself differs.
// Measured (nvcc 13.0, sm_90): 39 registers per thread, 2496 per block; 1024 bytes shared.
#include "benchmarks/kernels/Workload.h"

#include <cmath>

constexpr int kPixels = 16, kThreads = 64, kCuts = 969, kAxisSteps = 8;

struct Color {
  float r, g, b;
};

__host__ __device__ inline float multiply(float left, float right) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(left, right);
#else
  return left * right;
#endif
}
__host__ __device__ inline float dot(const Color& left, const Color& right) {
  return multiply(left.r, right.r) + multiply(left.g, right.g) + multiply(left.b, right.b);
}
__host__ __device__ inline Color mix(const Color& left, float a, const Color& right, float b) {
  return {multiply(left.r, a) + multiply(right.r, b), multiply(left.g, a) + multiply(right.g, b),
          multiply(left.b, a) + multiply(right.b, b)};
}

/// The cut positions first <= second <= third of number `cut`, in 0..16.
__host__ __device__ inline void cutPositions(int cut, int& first, int& second, int& third) {
  for (first = 0;; ++first) {
    const int rest = kPixels - first, count = (rest + 1) * (rest + 2) / 2;
    if (cut < count)
      break;
    cut -= count;
  }
  for (second = first; cut > kPixels - second; ++second)
    cut -= kPixels - second + 1;
  third = second + cut;
}

/// Rounds a channel of 0..1 to `levels` steps.
__host__ __device__ inline int quantize(float value, int levels) {
  const float scaled = multiply(fminf(fmaxf(value, 0.0f), 1.0f), static_cast<float>(levels));
  return static_cast<int>(scaled + 0.5f);
}
__host__ __device__ inline unsigned pack(const Color& color) {
  return quantize(color.r, 31) << 11 | quantize(color.g, 63) << 5 | quantize(color.b, 31);
}
__host__ __device__ inline Color unpack(unsigned packed) {
  return {multiply(static_cast<float>(packed >> 11), 1.0f / 31),
          multiply(static_cast<float>(packed >> 5 & 63), 1.0f / 63),
          multiply(static_cast<float>(packed & 31), 1.0f / 31)};
}

/// Cluster of a sorted pixel: 0 = first end point, 3 = second end point.
__host__ __device__ inline int clusterOf(int pixel, int first, int second, int third) {
  return (pixel >= first) + (pixel >= second) + (pixel >= third);
}

/// Least-squares end points of one cut and its squared error after rounding.
__host__ __device__ inline float fitCut(const Color* sorted, int cut, unsigned& start,
                                        unsigned& end) {
  int first, second, third;
  cutPositions(cut, first, second, third);
  float aa = 0, bb = 0, ab = 0;
  Color ax = {0, 0, 0}, bx = {0, 0, 0};
  for (int pixel = 0; pixel < kPixels; ++pixel) {
    const float b = multiply(static_cast<float>(clusterOf(pixel, first, second, third)), 1.0f / 3);
    const float a = 1.0f - b;
    aa += multiply(a, a);
    bb += multiply(b, b);
    ab += multiply(a, b);
    ax = mix(ax, 1, sorted[pixel], a);
    bx = mix(bx, 1, sorted[pixel], b);
  }
  const float determinant = multiply(aa, bb) - multiply(ab, ab);
  const float scale = determinant > 1e-6f ? 1.0f / determinant : 0.0f;
  start = pack(mix(ax, multiply(bb, scale), bx, -multiply(ab, scale)));
  end = pack(mix(bx, multiply(aa, scale), ax, -multiply(ab, scale)));
  const Color from = unpack(start), to = unpack(end);
  float error = 0;
  for (int pixel = 0; pixel < kPixels; ++pixel) {
    const float b = multiply(static_cast<float>(clusterOf(pixel, first, second, third)), 1.0f / 3);
    const Color off = mix(mix(from, 1.0f - b, to, b), 1, sorted[pixel], -1);
    error += dot(off, off);
  }
  return error;
}

/// Direction of the largest spread of the tile's colours, by power iteration.
__host__ __device__ inline Color principalAxis(const Color* colors) {
  Color mean = {0, 0, 0};
  for (int pixel = 0; pixel < kPixels; ++pixel)
    mean = mix(mean, 1, colors[pixel], 1.0f / kPixels);
  Color rows[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int pixel = 0; pixel < kPixels; ++pixel) {
    const Color off = mix(colors[pixel], 1, mean, -1);
    rows[0] = mix(rows[0], 1, off, off.r);
    rows[1] = mix(rows[1], 1, off, off.g);
    rows[2] = mix(rows[2], 1, off, off.b);
  }
  Color axis = {1.0f, 0.9f, 0.8f};
  for (int step = 0; step < kAxisSteps; ++step) {
    axis = {dot(rows[0], axis), dot(rows[1], axis), dot(rows[2], axis)};
    const float largest = fmaxf(fabsf(axis.r), fmaxf(fabsf(axis.g), fabsf(axis.b)));
    const float scale = largest > 0 ? 1.0f / largest : 0.0f;
    axis = {multiply(axis.r, scale), multiply(axis.g, scale), multiply(axis.b, scale)};
  }
  return axis;
}

__host__ __device__ inline Color colorOf(unsigned pixel) {
  return {multiply(static_cast<float>(pixel & 255), 1.0f / 255),
          multiply(static_cast<float>(pixel >> 8 & 255), 1.0f / 255),
          multiply(static_cast<float>(pixel >> 16 & 255), 1.0f / 255)};
}

/// Number of the tile's pixels that come before `pixel` along the axis.
__host__ __device__ inline int rankOf(const float* along, int pixel) {
  int rank = 0;
  for (int other = 0; other < kPixels; ++other)
    rank += along[other] < along[pixel] || (along[other] == along[pixel] && other < pixel);
  return rank;
}

/// The two-bit code of a cluster in the block format: 0 and 1 are the end points.
__host__ __device__ inline unsigned codeOf(int cluster) {
  return 0x1320 >> 4 * cluster & 3;
}

/// The 8-byte block of the winning cut; `order[rank]` is the pixel with that rank.
__host__ __device__ inline uint2 encode(const Color* sorted, const int* order, int cut) {
  unsigned start, end, codes = 0;
  int first, second, third;
  fitCut(sorted, cut, start, end);
  cutPositions(cut, first, second, third);
  const bool swapped = start < end; // the format wants the larger end point first
  for (int rank = 0; rank < kPixels && start != end; ++rank) {
    const int cluster = clusterOf(rank, first, second, third);
    codes |= codeOf(swapped ? 3 - cluster : cluster) << 2 * order[rank];
  }
  return make_uint2(swapped ? start << 16 | end : end << 16 | start, codes);
}

__global__ void dxtc(const unsigned* image, uint2* blocks, int width) {
  __shared__ Color colors[kPixels], sorted[kPixels];
  __shared__ float along[kPixels];
  __shared__ int order[kPixels];
  __shared__ float errors[kThreads];
  __shared__ int cuts[kThreads];
  const int thread = threadIdx.x, tilesX = width / 4;
  const int tileX = blockIdx.x % tilesX, tileY = blockIdx.x / tilesX;
  if (thread < kPixels)
    colors[thread] = colorOf(image[(tileY * 4 + thread / 4) * width + tileX * 4 + thread % 4]);
  __syncthreads();
  if (thread < kPixels)
    along[thread] = dot(colors[thread], principalAxis(colors));
  __syncthreads();
  if (thread < kPixels) {
    const int rank = rankOf(along, thread);
    sorted[rank] = colors[thread];
    order[rank] = thread;
  }
  __syncthreads();

  float best = 1e30f;
  int bestCut = kCuts;
  unsigned start, end;
  for (int cut = thread; cut < kCuts; cut += kThreads) {
    const float error = fitCut(sorted, cut, start, end);
    if (error < best) {
      best = error;
      bestCut = cut;
    }
  }
  errors[thread] = best;
  cuts[thread] = bestCut;
  for (int distance = kThreads / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (thread >= distance)
      continue;
    const float other = errors[thread + distance];
    const int otherCut = cuts[thread + distance];
    if (other < errors[thread] || (other == errors[thread] && otherCut < cuts[thread])) {
      errors[thread] = other;
      cuts[thread] = otherCut;
    }
  }
  if (thread == 0)
    blocks[blockIdx.x] = encode(sorted, order, cuts[0]);
}

namespace {

class Dxtc : public bench::Workload {
public:
  void setup(bench::Size size, std::uint64_t seed) override {
    width_ = bench::pick(size, 32, 256, 2048);
    height_ = bench::pick(size, 16, 256, 2048);
    bench::Random random(seed);
    image_.resize(static_cast<std::size_t>(width_) * height_);
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        const unsigned noise = random.bits();
        const unsigned r = (x * 5 + (noise & 31)) & 255, g = (y * 7 + (noise >> 8 & 31)) & 255;
        const unsigned b = ((x + y) * 3 + (noise >> 16 & 63)) & 255;
        image_[static_cast<std::size_t>(y) * width_ + x] = r | g << 8 | b << 16 | 0xFF000000u;
      }
    deviceImage_.upload(image_);
    blocks_.allocate(image_.size() / kPixels);
  }

  void launch(cudaStream_t stream) override {
    dxtc<<<static_cast<unsigned>(blocks_.count()), kThreads, 0, stream>>>(deviceImage_.get(),
                                                                          blocks_.get(), width_);
  }

  bench::Bytes result() override { return blocks_.take(); }

  /// Compares the squared error of the decoded tile: another cut may fit equally well.
  bench::Comparison check(const bench::Bytes& result) const override {
    const std::vector<uint2> got = bench::view<uint2>(result);
    bench::Comparison comparison(1e-3, 1e-4);
    const std::size_t stride = bench::sampleStride(got.size(), 500);
    for (std::size_t tile = 0; tile < got.size(); tile += stride) {
      Color colors[kPixels];
      loadTile(tile, colors);
      comparison.expect(tile, decodedError(colors, reference(colors)),
                        decodedError(colors, got[tile]));
    }
    return comparison;
  }

private:
  void loadTile(std::size_t tile, Color* colors) const {
    const std::size_t tilesX = width_ / 4, x = tile % tilesX * 4, y = tile / tilesX * 4;
    for (int pixel = 0; pixel < kPixels; ++pixel)
      colors[pixel] = colorOf(image_[(y + pixel / 4) * width_ + x + pixel % 4]);
  }

  static uint2 reference(const Color* colors) {
    float along[kPixels], best = 1e30f;
    Color sorted[kPixels];
    int order[kPixels], bestCut = 0;
    const Color axis = principalAxis(colors);
    for (int pixel = 0; pixel < kPixels; ++pixel)
      along[pixel] = dot(colors[pixel], axis);
    for (int pixel = 0; pixel < kPixels; ++pixel) {
      const int rank = rankOf(along, pixel);
      sorted[rank] = colors[pixel];
      order[rank] = pixel;
    }
    unsigned start, end;
    for (int cut = 0; cut < kCuts; ++cut) {
      const float error = fitCut(sorted, cut, start, end);
      bestCut = error < best ? cut : bestCut;
      best = std::fmin(best, error);
    }
    return encode(sorted, order, bestCut);
  }

  static double decodedError(const Color* colors, uint2 block) {
    const Color from = unpack(block.x & 0xFFFF), to = unpack(block.x >> 16);
    const float share[4] = {0.0f, 1.0f, 1.0f / 3, 2.0f / 3};
    double error = 0;
    for (int pixel = 0; pixel < kPixels; ++pixel) {
      const float b = share[block.y >> 2 * pixel & 3];
      const Color off = mix(mix(from, 1 - b, to, b), 1, colors[pixel], -1);
      error += dot(off, off);
    }
    return error;
  }

  int width_ = 0, height_ = 0;
  std::vector<unsigned> image_;
  bench::DeviceArray<unsigned> deviceImage_;
  bench::DeviceArray<uint2> blocks_;
};

} // namespace

BENCH_WORKLOAD(Dxtc, "dxtc")
