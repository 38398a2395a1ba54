// Image.h - what a texture or surface object stands for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image is texels in rows, rows in slices; every mipmap level is one more such box. Where the
// slices are layers or faces of a cubemap, `depth` counts them. CUDA leaves an array's layout to
// the device; here rows are plain memory, so a surface address in bytes means what it says.
// A texture is an image with a Sampler, a surface is an image without.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace gpusched::cpu {

struct TexelFormat {
  enum class Kind : uint8_t { Signed, Unsigned, Float };
  Kind kind = Kind::Float;
  uint8_t channelBytes = 4; // 1, 2 or 4
  uint8_t channels = 1;     // 1, 2 or 4
  unsigned bytes() const { return unsigned(channelBytes) * channels; }
};

struct ImageLevel {
  uint8_t* base = nullptr;
  uint32_t width = 1, height = 1, depth = 1; // texels, rows, slices
  uint64_t pitch = 0, slice = 0;             // bytes between rows and between slices
  uint8_t* row(int64_t y, int64_t z) const {
    return base + z * static_cast<int64_t>(slice) + y * static_cast<int64_t>(pitch);
  }
};

/// The numbers are CUDA's.
enum class AddressMode : uint8_t { Wrap, Clamp, Mirror, Border };

struct Sampler {
  std::array<AddressMode, 3> address{AddressMode::Wrap, AddressMode::Wrap, AddressMode::Wrap};
  bool linear = false;     // filter within a level
  bool normalized = false; // coordinates run over [0, 1)
  bool asFloat = false;    // integers are read as [0, 1] or [-1, 1]
  bool srgb = false;       // the colours of 8-bit texels are sRGB
  std::array<float, 4> border{};
  bool mipLinear = false; // filter between levels
  float levelBias = 0, minLevel = 0, maxLevel = 0;
};

struct ImageObject {
  TexelFormat format;
  std::vector<ImageLevel> levels; // at least one
  std::optional<Sampler> sampler; // textures
};

/// A texel as an instruction's result: four floats' or integers' bits.
struct TexelBits {
  uint32_t channel[4] = {};
};

} // namespace gpusched::cpu
