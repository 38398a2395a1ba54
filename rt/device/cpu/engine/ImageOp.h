// ImageOp.h - the operands of tex, tld4, suld, sust, sured and the queries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They do not fit a micro-op, so they are in a table of the module that its slot[1] indexes.
// Slots are those of the frame; a lane's value is 4 bytes unless said otherwise.
#pragma once

#include <cstdint>

namespace gpusched::cpu {

enum class ImageShape : uint8_t { Line, Plane, Volume, Cube };

/// What a surface access outside the image does.
enum class SurfaceBounds : uint8_t { Trap, Clamp, Zero };

enum class ImageQuery : uint8_t {
  Width,
  Height,
  Depth,
  ArraySize,
  Levels,
  NormalizedCoordinates,
};

struct ImageOp {
  enum class Level : uint8_t { None, Given, Gradients };
  static constexpr unsigned kMostElements = 4;

  ImageShape shape = ImageShape::Plane;
  bool layered = false;
  uint32_t handle = 0; // 8 bytes a lane
  uint32_t layer = 0;
  uint32_t coordinates[3] = {};

  // Textures.
  bool integerCoordinates = false;
  Level level = Level::None;
  uint8_t gathered = 0; // tld4: the channel
  bool hasOffset = false;
  uint32_t offset[3] = {}; // in texels
  uint32_t levelSlot = 0;
  uint32_t gradientX[3] = {}, gradientY[3] = {};
  uint32_t resident = 0; // a predicate that is set to true
  bool hasResident = false;

  // Results of textures, 4 of 4 bytes, 4 of f16 or 2 pairs of f16; the data of surfaces. Of sured
  // data[0] takes the addresses, 8 bytes a lane, and `resident` the lanes that have one.
  uint8_t elements = 4, elementBytes = 4, registerBytes = 4;
  uint32_t data[kMostElements] = {};
  SurfaceBounds bounds = SurfaceBounds::Trap;

  // Queries.
  ImageQuery query = ImageQuery::Width;

  unsigned dimensions() const {
    return shape == ImageShape::Line ? 1 : shape == ImageShape::Plane ? 2 : 3;
  }
};

} // namespace gpusched::cpu
