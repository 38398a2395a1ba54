// ImageFormat.cpp - CUDA's channel descriptors and view formats as the engine's texel formats.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/ImageFormat.h"

namespace gpusched::cudart {

using Kind = cpu::TexelFormat::Kind;

/// CUDA numbers formats 1, 2, 4 channels in turn.
static constexpr uint8_t kChannelsOf[] = {1, 2, 4};

static std::optional<ImageFormat> normalizedFormat(cudaChannelFormatKind kind) {
  if (kind < cudaChannelFormatKindUnsignedNormalized8X1 ||
      kind > cudaChannelFormatKindSignedNormalized16X4)
    return std::nullopt;
  unsigned index = unsigned(kind) - cudaChannelFormatKindUnsignedNormalized8X1;
  Kind sign = index < 6 ? Kind::Unsigned : Kind::Signed;
  return ImageFormat{{sign, uint8_t(index / 3 % 2 ? 2 : 1), kChannelsOf[index % 3]}, true};
}

std::optional<ImageFormat> imageFormat(const cudaChannelFormatDesc& description) {
  if (std::optional<ImageFormat> found = normalizedFormat(description.f))
    return found;
  if (description.f > cudaChannelFormatKindFloat)
    return std::nullopt;
  const int bits[] = {description.x, description.y, description.z, description.w};
  uint8_t channels = 0;
  while (channels < 4 && bits[channels] == bits[0])
    ++channels;
  for (unsigned k = channels; k < 4; ++k)
    if (bits[k] != 0)
      return std::nullopt;
  bool isFloat = description.f == cudaChannelFormatKindFloat;
  bool width = bits[0] == 16 || bits[0] == 32 || (bits[0] == 8 && !isFloat);
  if (!width || channels == 3)
    return std::nullopt;
  Kind kind = isFloat                                          ? Kind::Float
              : description.f == cudaChannelFormatKindUnsigned ? Kind::Unsigned
                                                               : Kind::Signed;
  return ImageFormat{{kind, uint8_t(bits[0] / 8), channels}};
}

std::optional<ImageFormat> imageFormat(cudaResourceViewFormat format) {
  if (format < cudaResViewFormatUnsignedChar1 || format > cudaResViewFormatFloat4)
    return std::nullopt;
  struct Group {
    Kind kind;
    uint8_t bytes;
  };
  static constexpr Group kGroups[] = {{Kind::Unsigned, 1}, {Kind::Signed, 1},   {Kind::Unsigned, 2},
                                      {Kind::Signed, 2},   {Kind::Unsigned, 4}, {Kind::Signed, 4},
                                      {Kind::Float, 2},    {Kind::Float, 4}};
  unsigned index = unsigned(format) - cudaResViewFormatUnsignedChar1;
  const Group& group = kGroups[index / 3];
  return ImageFormat{{group.kind, group.bytes, kChannelsOf[index % 3]}};
}

} // namespace gpusched::cudart
