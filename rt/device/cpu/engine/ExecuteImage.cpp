// ExecuteImage.cpp - texture fetches, surface accesses and image queries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lane by lane; every lane's operands are read before any result is written, since a result may
// lie in the slot of an operand. Operands are said in ImageOp.h, values in TextureSampler.h.
#define GPUSCHED_ISA plain
#include "rt/device/cpu/engine/AccessRuns.h"
#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/DeviceServices.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/HalfBits.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/MemoryTrace.h"
#include "rt/device/cpu/engine/Program.h"
#include "rt/device/cpu/engine/TextureSampler.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <utility>

namespace gpusched::cpu::handlers {
namespace {

template <class T> T lane(const uint8_t* frame, uint32_t slot, unsigned index) {
  T value;
  std::memcpy(&value, frame + slot + index * sizeof(T), sizeof value);
  return value;
}

const ImageOp& imageOf(const MicroOp* op, const Warp& warp) {
  return warp.frame->function->module->imageOps[op->slot[1]];
}

/// Finds the lanes' objects; almost always it is one.
class Objects {
public:
  explicit Objects(const Warp& warp) : table_(warp.block->launch.services->images) {}
  const ImageObject* find(uint64_t handle) {
    if (handle != handle_)
      object_ = table_.find(handle_ = handle);
    return object_;
  }

private:
  const ImageTable& table_;
  uint64_t handle_ = 0;
  const ImageObject* object_ = nullptr;
};

const MicroOp* noSuchObject(const MicroOp* op, Warp& warp, uint64_t handle, const char* what) {
  char text[160];
  std::snprintf(text, sizeof text,
                "0x%llx is no %s object; it was never created or is destroyed already",
                static_cast<unsigned long long>(handle), what);
  return warp.fault(op, text, Fault::IllegalAddress);
}

/// Each of a texel's addresses is a request of its own.
void countTexels(Warp& warp, const TexelFootprint* footprints, Mask mask, unsigned bytes) {
  for (unsigned k = 0; k < TexelFootprint::kMost; ++k) {
    AccessRuns runs;
    for (Mask rest = mask; rest; rest &= rest - 1)
      if (const TexelFootprint& footprint = footprints[std::countr_zero(rest)]; k < footprint.count)
        runs.add(reinterpret_cast<uint64_t>(footprint.texels[k]), bytes);
    if (!runs.count)
      return;
    warp.block->trace->global(AccessKind::Load, runs);
  }
}

void readOffset(const uint8_t* frame, const ImageOp& image, unsigned index, int32_t* offset) {
  for (unsigned k = 0; image.hasOffset && k < image.dimensions(); ++k)
    offset[k] = lane<int32_t>(frame, image.offset[k], index);
}

TextureCoordinates coordinatesOf(const uint8_t* frame, const ImageOp& image, unsigned index) {
  TextureCoordinates result;
  for (unsigned k = 0; k < image.dimensions(); ++k)
    result.at[k] = lane<float>(frame, image.coordinates[k], index);
  if (image.layered)
    result.layer = lane<uint32_t>(frame, image.layer, index);
  readOffset(frame, image, index, result.offset);
  return result;
}

TexelBits fetchLane(const uint8_t* frame, const ImageOp& image, const TextureSampler& sampler,
                    unsigned index) {
  int32_t at[3] = {}, offset[3] = {};
  readOffset(frame, image, index, offset);
  for (unsigned k = 0; k < image.dimensions(); ++k)
    at[k] = static_cast<int32_t>(lane<uint32_t>(frame, image.coordinates[k], index) +
                                 static_cast<uint32_t>(offset[k]));
  const uint32_t layer = image.layered ? lane<uint32_t>(frame, image.layer, index) : 0;
  const bool levelGiven = image.level == ImageOp::Level::Given;
  return sampler.fetch(at, layer, levelGiven ? lane<int32_t>(frame, image.levelSlot, index) : 0);
}

TexelBits sampleLane(const uint8_t* frame, const ImageOp& image, const TextureSampler& sampler,
                     unsigned index) {
  if (image.integerCoordinates)
    return fetchLane(frame, image, sampler, index);
  TextureCoordinates coordinates = coordinatesOf(frame, image, index);
  if (image.level == ImageOp::Level::Given)
    coordinates.level = lane<float>(frame, image.levelSlot, index);
  if (image.level == ImageOp::Level::Gradients) {
    float x[3] = {}, y[3] = {};
    for (unsigned k = 0; k < image.dimensions(); ++k) {
      x[k] = lane<float>(frame, image.gradientX[k], index);
      y[k] = lane<float>(frame, image.gradientY[k], index);
    }
    coordinates.level = sampler.levelOf(x, y);
  }
  return sampler.sample(coordinates);
}

uint32_t halfOf(uint32_t bits) {
  return plain::Half::fromDouble(double(std::bit_cast<float>(bits)), Rounding::Nearest);
}

/// Element `index` of what an instruction gives: a channel as it is, as f16, or two as a pair.
uint32_t elementOf(const ImageOp& image, const TexelBits& texel, unsigned index) {
  if (image.elements == 2)
    return halfOf(texel.channel[2 * index]) | halfOf(texel.channel[2 * index + 1]) << 16;
  return image.registerBytes == 2 ? halfOf(texel.channel[index]) : texel.channel[index];
}

void writeTexels(uint8_t* frame, const ImageOp& image, const TexelBits* texels, Mask mask) {
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned index = std::countr_zero(rest);
    for (unsigned k = 0; k < image.elements; ++k) {
      const uint32_t value = elementOf(image, texels[index], k);
      std::memcpy(frame + image.data[k] + index * image.registerBytes, &value, image.registerBytes);
    }
  }
  if (!image.hasResident)
    return;
  Mask resident;
  std::memcpy(&resident, frame + image.resident, sizeof resident);
  resident |= mask;
  std::memcpy(frame + image.resident, &resident, sizeof resident);
}

/// value(frame, image, sampler, lane) -> TexelBits
template <class Value>
const MicroOp* eachTexel(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp, Value value) {
  const ImageOp& image = imageOf(op, warp);
  Objects objects(warp);
  TexelBits texels[kLanes];
  TexelFootprint footprints[kLanes];
  warp.memoryOp = op;
  unsigned texelBytes = 1;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned index = std::countr_zero(rest);
    const uint64_t handle = lane<uint64_t>(frame, image.handle, index);
    const ImageObject* object = objects.find(handle);
    if (!object || !object->sampler)
      return noSuchObject(op, warp, handle, "texture");
    texelBytes = object->format.bytes();
    footprints[index].count = 0;
    const TextureSampler sampler(*object, image.shape, image.layered,
                                 warp.counting ? &footprints[index] : nullptr);
    texels[index] = value(frame, image, sampler, index);
  }
  if (warp.counting)
    countTexels(warp, footprints, mask, texelBytes);
  writeTexels(frame, image, texels, mask);
  return op + 1;
}

/// Where one lane's surface access goes.
struct SurfacePlace {
  uint8_t* at = nullptr; // null: outside
  bool misaligned = false;
};

/// Moves `value` into [0, size - step] if clamped; false if it is outside.
bool bring(int64_t& value, int64_t size, int64_t step, SurfaceBounds bounds) {
  if (bounds == SurfaceBounds::Clamp)
    value = std::clamp<int64_t>(value, 0, std::max<int64_t>(0, size - step));
  return value >= 0 && value + step <= size;
}

SurfacePlace placeOf(const uint8_t* frame, const ImageOp& image, const ImageObject& object,
                     unsigned index) {
  const ImageLevel& level = object.levels[0];
  const int64_t step = image.elements * image.elementBytes;
  int64_t x = lane<int32_t>(frame, image.coordinates[0], index), y = 0, z = 0;
  if (image.dimensions() > 1)
    y = lane<int32_t>(frame, image.coordinates[1], index);
  if (image.dimensions() > 2)
    z = lane<int32_t>(frame, image.coordinates[2], index);
  if (image.layered)
    z = lane<int32_t>(frame, image.layer, index);
  if (x % step != 0)
    return {nullptr, true};
  const int64_t rowBytes = int64_t(level.width) * object.format.bytes();
  const bool xInside = bring(x, rowBytes, step, image.bounds);
  const bool yInside = bring(y, level.height, 1, image.bounds);
  const bool zInside = bring(z, level.depth, 1, image.bounds);
  return {xInside && yInside && zInside ? level.row(y, z) + x : nullptr, false};
}

const MicroOp* badSurfaceAccess(const uint8_t* frame, const MicroOp* op, Warp& warp,
                                const ImageOp& image, unsigned index, bool misaligned) {
  char text[200];
  std::snprintf(text, sizeof text, "lane %u's byte column %d (row %d) is %s the surface", index,
                lane<int32_t>(frame, image.coordinates[0], index),
                image.dimensions() > 1 ? lane<int32_t>(frame, image.coordinates[1], index) : 0,
                misaligned ? "not a multiple of the access's size in" : "outside");
  return warp.fault(op, text, misaligned ? Fault::MisalignedAddress : Fault::IllegalAddress);
}

/// move(memory or null, lane) for each lane.
template <class Move>
const MicroOp* eachPlace(const uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp,
                         AccessKind kind, Move move) {
  const ImageOp& image = imageOf(op, warp);
  Objects objects(warp);
  AccessRuns runs;
  uint8_t* places[kLanes];
  warp.memoryOp = op;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned index = std::countr_zero(rest);
    const uint64_t handle = lane<uint64_t>(frame, image.handle, index);
    const ImageObject* object = objects.find(handle);
    if (!object || object->sampler)
      return noSuchObject(op, warp, handle, "surface");
    const SurfacePlace place = placeOf(frame, image, *object, index);
    if (place.misaligned || (!place.at && image.bounds == SurfaceBounds::Trap))
      return badSurfaceAccess(frame, op, warp, image, index, place.misaligned);
    places[index] = place.at;
    if (warp.counting && place.at)
      runs.add(reinterpret_cast<uint64_t>(place.at), image.elements * image.elementBytes);
  }
  if (runs.count)
    warp.block->trace->global(kind, runs);
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned index = std::countr_zero(rest);
    move(image, places[index], index);
  }
  return op + 1;
}

uint32_t answer(const ImageObject& object, ImageQuery query) {
  const ImageLevel& level = object.levels[0];
  switch (query) {
  case ImageQuery::Width:
    return level.width;
  case ImageQuery::Height:
    return level.height;
  case ImageQuery::Depth:
  case ImageQuery::ArraySize:
    return level.depth;
  case ImageQuery::Levels:
    return static_cast<uint32_t>(object.levels.size());
  case ImageQuery::NormalizedCoordinates:
    return object.sampler && object.sampler->normalized;
  }
  return 0;
}

} // namespace

const MicroOp* textureSample(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  return eachTexel(frame, op, mask, warp, sampleLane);
}

const MicroOp* textureGather(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  return eachTexel(
      frame, op, mask, warp,
      [](const uint8_t* from, const ImageOp& image, const TextureSampler& sampler, unsigned index) {
        return sampler.gather(coordinatesOf(from, image, index), image.gathered);
      });
}

const MicroOp* surfaceLoad(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  return eachPlace(frame, op, mask, warp, AccessKind::Load,
                   [&](const ImageOp& image, const uint8_t* memory, unsigned index) {
                     for (unsigned k = 0; k < image.elements; ++k) {
                       uint64_t value = 0;
                       if (memory)
                         std::memcpy(&value, memory + k * image.elementBytes, image.elementBytes);
                       std::memcpy(frame + image.data[k] + index * image.registerBytes, &value,
                                   image.registerBytes);
                     }
                   });
}

const MicroOp* surfaceStore(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  return eachPlace(frame, op, mask, warp, AccessKind::Store,
                   [&](const ImageOp& image, uint8_t* memory, unsigned index) {
                     for (unsigned k = 0; memory && k < image.elements; ++k)
                       std::memcpy(memory + k * image.elementBytes,
                                   frame + image.data[k] + index * image.registerBytes,
                                   image.elementBytes);
                   });
}

const MicroOp* surfacePlaces(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  Mask placed;
  const uint32_t slot = imageOf(op, warp).resident;
  std::memcpy(&placed, frame + slot, sizeof placed);
  placed &= ~mask;
  // The reduction that follows counts itself.
  const bool counting = std::exchange(warp.counting, false);
  const MicroOp* next = eachPlace(frame, op, mask, warp, AccessKind::Store,
                                  [&](const ImageOp& image, const uint8_t* memory, unsigned index) {
                                    std::memcpy(frame + image.data[0] + index * sizeof memory,
                                                &memory, sizeof memory);
                                    placed |= memory ? Mask(1) << index : 0;
                                  });
  warp.counting = counting;
  std::memcpy(frame + slot, &placed, sizeof placed);
  return next;
}

const MicroOp* imageQuery(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  const ImageOp& image = imageOf(op, warp);
  Objects objects(warp);
  uint32_t answers[kLanes];
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned index = std::countr_zero(rest);
    const uint64_t handle = lane<uint64_t>(frame, image.handle, index);
    const ImageObject* object = objects.find(handle);
    if (!object)
      return noSuchObject(op, warp, handle, "texture or surface");
    answers[index] = answer(*object, image.query);
  }
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned index = std::countr_zero(rest);
    std::memcpy(frame + image.data[0] + index * 4, &answers[index], 4);
  }
  return op + 1;
}

} // namespace gpusched::cpu::handlers
