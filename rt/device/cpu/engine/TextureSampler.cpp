// TextureSampler.cpp - the value of a texture at a coordinate.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing here owns memory: a texel in freed memory ends the handler by a signal (FaultGuard.h).
#define GPUSCHED_ISA plain
#include "rt/device/cpu/engine/TextureSampler.h"

#include "rt/device/cpu/engine/HalfBits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace gpusched::cpu {
namespace {

constexpr double kWeightSteps = 256;
/// Coordinates beyond it are as good as infinite, and fit every integer below.
constexpr float kFarthest = 1e9f;

float sane(float x) {
  return x != x ? 0 : std::clamp(x, -kFarthest, kFarthest);
}

float fraction(float x) {
  return x - std::floor(x);
}

/// Brings texel `i` of an axis of `size` into it; -1 outside.
int64_t placed(AddressMode mode, int64_t i, int64_t size) {
  switch (mode) {
  case AddressMode::Clamp:
    return std::clamp<int64_t>(i, 0, size - 1);
  case AddressMode::Border:
    return i < 0 || i >= size ? -1 : i;
  case AddressMode::Wrap:
    return ((i % size) + size) % size;
  case AddressMode::Mirror:
    i = ((i % (2 * size)) + 2 * size) % (2 * size);
    return i < size ? i : 2 * size - 1 - i;
  }
  return -1;
}

template <class T> T read(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

uint32_t readInteger(const TexelFormat& format, const uint8_t* from) {
  const bool isSigned = format.kind == TexelFormat::Kind::Signed;
  if (format.channelBytes == 1)
    return isSigned ? static_cast<uint32_t>(int32_t(read<int8_t>(from))) : *from;
  if (format.channelBytes == 2)
    return isSigned ? static_cast<uint32_t>(int32_t(read<int16_t>(from))) : read<uint16_t>(from);
  return read<uint32_t>(from);
}

/// An integer channel as [0, 1], or [-1, 1] where the lowest two integers are both -1.
float normalized(const TexelFormat& format, uint32_t value) {
  const unsigned bits = format.channelBytes * 8;
  if (format.kind == TexelFormat::Kind::Unsigned)
    return static_cast<float>(double(value) / double((uint64_t(1) << bits) - 1));
  const double most = double((uint64_t(1) << (bits - 1)) - 1);
  return static_cast<float>(std::max(-1.0, double(static_cast<int32_t>(value)) / most));
}

float linearFromSrgb(float value) {
  return value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
}

uint32_t readChannel(const TexelFormat& format, const Sampler& sampler, const uint8_t* from,
                     unsigned channel) {
  if (format.kind == TexelFormat::Kind::Float)
    return format.channelBytes == 2 ? std::bit_cast<uint32_t>(static_cast<float>(
                                          plain::Half::toDouble(read<uint16_t>(from))))
                                    : read<uint32_t>(from);
  const uint32_t value = readInteger(format, from);
  if (!sampler.asFloat)
    return value;
  const float real = normalized(format, value);
  const bool colour = sampler.srgb && format.channelBytes == 1 && channel < 3;
  return std::bit_cast<uint32_t>(colour ? linearFromSrgb(real) : real);
}

bool givesFloats(const ImageObject& object) {
  return object.format.kind == TexelFormat::Kind::Float || object.sampler->asFloat;
}

TexelBits blend(const TexelBits& low, const TexelBits& high, double weight) {
  TexelBits result;
  for (unsigned c = 0; c < 4; ++c)
    result.channel[c] = std::bit_cast<uint32_t>(
        static_cast<float>((1 - weight) * double(std::bit_cast<float>(low.channel[c])) +
                           weight * double(std::bit_cast<float>(high.channel[c]))));
  return result;
}

double fixedPoint(double fraction) {
  return std::floor(fraction * kWeightSteps + 0.5) / kWeightSteps;
}

} // namespace

TextureSampler::Axis TextureSampler::axis(unsigned index, const TextureCoordinates& coordinates,
                                          uint32_t size, bool linear) const {
  const AddressMode mode = sampler_.address[index];
  const int32_t offset = coordinates.offset[index];
  float x = sane(coordinates.at[index]);
  if (sampler_.normalized) {
    if (mode == AddressMode::Wrap)
      x = fraction(x);
    else if (mode == AddressMode::Mirror)
      x = std::fmod(std::floor(x), 2.0f) == 0 ? fraction(x) : 1 - fraction(x);
    x *= static_cast<float>(size);
  }
  if (!linear) {
    const int64_t at = placed(mode, static_cast<int64_t>(std::floor(x)) + offset, size);
    return {at, at, 0};
  }
  const double shifted = double(x) - 0.5, whole = std::floor(shifted);
  const int64_t low = static_cast<int64_t>(whole) + offset;
  return {placed(mode, low, size), placed(mode, low + 1, size), fixedPoint(shifted - whole)};
}

int64_t TextureSampler::sliceOf(const ImageLevel& level, uint32_t layer) const {
  if (!layered_ && shape_ != ImageShape::Cube)
    return 0;
  return std::min(layer, level.depth - 1);
}

TexelBits TextureSampler::texel(const ImageLevel& level, int64_t x, int64_t y, int64_t z) const {
  TexelBits bits;
  const bool floats = givesFloats(object_);
  if (x < 0 || y < 0 || z < 0) {
    for (unsigned c = 0; c < 4; ++c)
      bits.channel[c] = floats ? std::bit_cast<uint32_t>(sampler_.border[c])
                               : static_cast<uint32_t>(static_cast<int64_t>(sampler_.border[c]));
    return bits;
  }
  const TexelFormat& format = object_.format;
  const uint8_t* from = level.row(y, z) + static_cast<uint64_t>(x) * format.bytes();
  if (footprint_ && footprint_->count < TexelFootprint::kMost)
    footprint_->texels[footprint_->count++] = from;
  for (unsigned c = 0; c < format.channels; ++c)
    bits.channel[c] = readChannel(format, sampler_, from + c * format.channelBytes, c);
  return bits;
}

TexelBits TextureSampler::fetch(const int32_t* at, uint32_t layer, int32_t levelIndex) const {
  if (levelIndex < 0 || static_cast<size_t>(levelIndex) >= object_.levels.size())
    return {};
  const ImageLevel& level = object_.levels[static_cast<size_t>(levelIndex)];
  const int64_t y = axes() > 1 ? at[1] : 0;
  const int64_t z = axes() > 2 ? at[2] : sliceOf(level, layer);
  const bool inside = at[0] >= 0 && at[0] < int64_t(level.width) && y >= 0 &&
                      y < int64_t(level.height) && z >= 0 && z < int64_t(level.depth);
  return inside ? texel(level, at[0], y, z) : TexelBits{};
}

TexelBits TextureSampler::filter(const ImageLevel& level, const Axis (&axes)[3]) const {
  // The sum is over all corners at once: one axis after the other would round more than once.
  double sum[4] = {};
  const unsigned count = this->axes();
  for (unsigned corner = 0; corner < 1u << count; ++corner) {
    double weight = 1;
    int64_t at[3] = {axes[0].low, axes[1].low, axes[2].low};
    for (unsigned k = 0; k < count; ++k) {
      const bool high = corner >> k & 1;
      weight *= high ? axes[k].weight : 1 - axes[k].weight;
      at[k] = high ? axes[k].high : axes[k].low;
    }
    if (weight == 0)
      continue;
    const TexelBits bits = texel(level, at[0], at[1], at[2]);
    for (unsigned c = 0; c < 4; ++c)
      sum[c] += weight * double(std::bit_cast<float>(bits.channel[c]));
  }
  TexelBits result;
  for (unsigned c = 0; c < 4; ++c)
    result.channel[c] = std::bit_cast<uint32_t>(static_cast<float>(sum[c]));
  return result;
}

TexelBits TextureSampler::atLevel(const ImageLevel& level,
                                  const TextureCoordinates& coordinates) const {
  const bool linear = sampler_.linear && givesFloats(object_);
  const uint32_t sizes[3] = {level.width, level.height, level.depth};
  Axis places[3];
  for (unsigned k = 0; k < axes(); ++k)
    places[k] = axis(k, coordinates, sizes[k], linear);
  if (axes() < 3)
    places[2].low = places[2].high = sliceOf(level, coordinates.layer);
  return linear ? filter(level, places) : texel(level, places[0].low, places[1].low, places[2].low);
}

/// Section "Cubemap Textures": the axis of the largest magnitude chooses the face.
TextureCoordinates TextureSampler::faceOf(const TextureCoordinates& direction) const {
  const float x = direction.at[0], y = direction.at[1], z = direction.at[2];
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  float major, s, t;
  uint32_t face;
  if (ax >= ay && ax >= az) {
    face = x >= 0 ? 0 : 1, major = ax, s = x >= 0 ? -z : z, t = -y;
  } else if (ay >= az) {
    face = y >= 0 ? 2 : 3, major = ay, s = x, t = y >= 0 ? z : -z;
  } else {
    face = z >= 0 ? 4 : 5, major = az, s = z >= 0 ? x : -x, t = -y;
  }
  TextureCoordinates result = direction;
  result.at[0] = (s / major + 1) / 2;
  result.at[1] = (t / major + 1) / 2;
  const uint32_t cubes = std::max<uint32_t>(1, object_.levels[0].depth / 6);
  result.layer = face + 6 * (layered_ ? std::min(direction.layer, cubes - 1) : 0);
  return result;
}

TexelBits TextureSampler::sample(TextureCoordinates coordinates) const {
  if (shape_ == ImageShape::Cube)
    coordinates = faceOf(coordinates);
  const size_t last = object_.levels.size() - 1;
  if (last == 0)
    return atLevel(object_.levels[0], coordinates);
  float level = sane(coordinates.level) + sampler_.levelBias;
  level = std::clamp(std::min(level, sampler_.maxLevel), sampler_.minLevel,
                     std::max(sampler_.minLevel, sampler_.maxLevel));
  level = std::clamp(level, 0.0f, static_cast<float>(last));
  if (!sampler_.mipLinear || !givesFloats(object_))
    return atLevel(object_.levels[static_cast<size_t>(std::floor(level + 0.5f))], coordinates);
  const size_t below = static_cast<size_t>(std::floor(level));
  const TexelBits low = atLevel(object_.levels[below], coordinates);
  const double weight = fixedPoint(double(level) - double(below));
  return weight == 0
             ? low
             : blend(low, atLevel(object_.levels[std::min(below + 1, last)], coordinates), weight);
}

TexelBits TextureSampler::gather(TextureCoordinates coordinates, unsigned channel) const {
  if (shape_ == ImageShape::Cube)
    coordinates = faceOf(coordinates);
  const ImageLevel& level = object_.levels[0];
  const Axis x = axis(0, coordinates, level.width, true);
  const Axis y = axis(1, coordinates, level.height, true);
  const int64_t z = sliceOf(level, coordinates.layer);
  TexelBits result;
  result.channel[0] = texel(level, x.low, y.high, z).channel[channel];
  result.channel[1] = texel(level, x.high, y.high, z).channel[channel];
  result.channel[2] = texel(level, x.high, y.low, z).channel[channel];
  result.channel[3] = texel(level, x.low, y.low, z).channel[channel];
  return result;
}

float TextureSampler::levelOf(const float* gradientX, const float* gradientY) const {
  const ImageLevel& level = object_.levels[0];
  const float sizes[3] = {static_cast<float>(level.width), static_cast<float>(level.height),
                          static_cast<float>(level.depth)};
  const unsigned count = shape_ == ImageShape::Cube ? 3 : axes();
  float longest = 0;
  for (const float* gradient : {gradientX, gradientY}) {
    float square = 0;
    for (unsigned k = 0; k < count; ++k) {
      // A unit of a cubemap's direction spans half a face.
      const float scale = shape_ == ImageShape::Cube ? sizes[0] / 2
                          : sampler_.normalized      ? sizes[k]
                                                     : 1;
      square += gradient[k] * scale * gradient[k] * scale;
    }
    longest = std::max(longest, std::sqrt(square));
  }
  return longest > 0 ? std::log2(longest) : -kFarthest;
}

} // namespace gpusched::cpu
