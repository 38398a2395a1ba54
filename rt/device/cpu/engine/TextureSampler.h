// TextureSampler.h - the value of a texture at a coordinate.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas of the CUDA C++ Programming Guide, appendix "Texture Fetching". With N texels on
// an axis and x already multiplied by N where coordinates are normalised:
//
//   nearest  T[floor(x)]
//   linear   (1-a)(1-b) T[i,j] + a(1-b) T[i+1,j] + (1-a)b T[i,j+1] + ab T[i+1,j+1]
//            i = floor(x - 0.5), a = frac(x - 0.5) in 9-bit fixed point, 8 bits of it fraction
//   clamp    i in [0, N-1]         border  the border colour outside
//   wrap     x -> frac(x)          mirror  x -> frac(x) or 1 - frac(x), where floor(x) is odd
//
// The guide does not say how `a` is rounded (here: to nearest) nor in what precision the sum is
// taken (here: double, rounded once). Cubemap faces are filtered each for itself, and a footprint
// that the gradients make long is not sampled more than once (no anisotropy).
#pragma once

#include "rt/device/cpu/engine/Image.h"
#include "rt/device/cpu/engine/ImageOp.h"

namespace gpusched::cpu {

struct TextureCoordinates {
  float at[3] = {};
  uint32_t layer = 0;
  float level = 0;
  int32_t offset[3] = {}; // texels of the level that is read
};

/// The texels a value was made of, for counting.
struct TexelFootprint {
  static constexpr unsigned kMost = 16; // 8 of each of two levels
  const uint8_t* texels[kMost];
  unsigned count = 0;
};

class TextureSampler {
public:
  /// `footprint` may be null.
  TextureSampler(const ImageObject& object, ImageShape shape, bool layered,
                 TexelFootprint* footprint)
      : object_(object), sampler_(*object.sampler), shape_(shape), layered_(layered),
        footprint_(footprint) {}

  /// The texel at integer coordinates; zero outside.
  TexelBits fetch(const int32_t* at, uint32_t layer, int32_t level) const;
  TexelBits sample(TextureCoordinates coordinates) const;
  /// One channel of the four texels that linear filtering would use.
  TexelBits gather(TextureCoordinates coordinates, unsigned channel) const;
  /// log2 of the longer gradient in texels of level 0.
  float levelOf(const float* gradientX, const float* gradientY) const;

private:
  struct Axis {
    int64_t low = 0, high = 0; // texels; negative is outside
    double weight = 0;         // of `high`
  };

  unsigned axes() const {
    return shape_ == ImageShape::Volume ? 3 : shape_ == ImageShape::Line ? 1 : 2;
  }
  Axis axis(unsigned index, const TextureCoordinates& coordinates, uint32_t size,
            bool linear) const;
  int64_t sliceOf(const ImageLevel& level, uint32_t layer) const;
  TextureCoordinates faceOf(const TextureCoordinates& direction) const;
  TexelBits atLevel(const ImageLevel& level, const TextureCoordinates& coordinates) const;
  TexelBits filter(const ImageLevel& level, const Axis (&axes)[3]) const;
  TexelBits texel(const ImageLevel& level, int64_t x, int64_t y, int64_t z) const;

  const ImageObject& object_;
  const Sampler& sampler_;
  ImageShape shape_;
  bool layered_;
  TexelFootprint* footprint_;
};

} // namespace gpusched::cpu
