// ExecuteTensorMap.cpp - kernels change tensor maps: tensormap.replace and tensormap.cp_fenceproxy.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A map may start as zeros, of which a kernel replaces every field; whether it is one is seen when
// it is used.
#include "rt/device/cpu/engine/BulkModes.h"
#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/Cluster.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/LaneValue.h"
#include "rt/device/cpu/engine/TensorMap.h"
#include "rt/device/cpu/engine/Warp.h"

#include <bit>
#include <cstring>

namespace gpusched::cpu::handlers {
namespace {

constexpr uint64_t kAlignment = 64; // of a CUtensorMap

struct Element {
  uint8_t bytes;
  ptx::Type type; // of a reduction
};
/// By PTX's numbers, which are not those of CUtensorMapDataType.
constexpr Element kElements[] = {{1, ptx::Type::B8},  {2, ptx::Type::U16},  {4, ptx::Type::U32},
                                 {4, ptx::Type::S32}, {8, ptx::Type::U64},  {8, ptx::Type::S64},
                                 {2, ptx::Type::F16}, {4, ptx::Type::F32},  {4, ptx::Type::F32},
                                 {8, ptx::Type::F64}, {2, ptx::Type::BF16}, {4, ptx::Type::F32},
                                 {4, ptx::Type::F32}};

void replace(TensorMap& map, TensorField field, unsigned dimension, uint64_t value) {
  map.mark = TensorMap::kMark;
  switch (field) {
  case TensorField::Address:
    map.address = value;
    return;
  case TensorField::Rank: // counted from zero
    map.dimensions = static_cast<uint8_t>(std::min<uint64_t>(value, UINT8_MAX - 1) + 1);
    return;
  case TensorField::Box:
    return map.setBox(dimension, static_cast<uint32_t>(value));
  case TensorField::Size:
    map.sizes[dimension] = value;
    return;
  case TensorField::Stride:
    map.strides[dimension + 1] = value;
    return;
  case TensorField::Step:
    return map.setStep(dimension, static_cast<uint32_t>(value));
  case TensorField::Element:
    map.strides[0] = kElements[value].bytes;
    map.type = kElements[value].type;
    return;
  case TensorField::Swizzle:
    map.swizzleBits = static_cast<uint8_t>(value);
    return;
  case TensorField::Interleave:
  case TensorField::Fill: // the decoder lets only "none" pass
    return;
  }
}

/// One lane's map in memory; null if it cannot be there.
uint8_t* mapAt(const Warp& warp, uint64_t address, bool shared) {
  if (address % kAlignment)
    return nullptr;
  return shared ? clusterMemory(warp, address, kTensorMapBytes)
                : reinterpret_cast<uint8_t*>(address);
}

bool admitted(Warp& warp, const MicroOp* op, unsigned lane, uint64_t address, bool shared,
              bool writes) {
  return admits(warp,
                {op, lane, address, kTensorMapBytes, shared, kAlignment, &plainAccess(writes)});
}

const char* const kBadPlace =
    "the tensor map is not aligned to 64 bytes, or reaches outside the block's shared memory";

} // namespace

/// Slots: 0 the map, 1 the value. detail: BulkModes.h.
const MicroOp* tensorMapReplace(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  warp.memoryOp = op;
  const TensorField field = static_cast<TensorField>(op->detail & kTensorFieldMask);
  const bool shared = op->detail & kTensorMapShared;
  const bool wide = field == TensorField::Address || field == TensorField::Stride;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    const uint64_t address = laneValue<uint64_t>(frame, op->slot[0], lane);
    uint8_t* const place = mapAt(warp, address, shared);
    if (!place)
      return warp.fault(op, kBadPlace);
    if (!admitted(warp, op, lane, address, shared, true))
      continue;
    TensorMap map;
    std::memcpy(static_cast<void*>(&map), place, sizeof map);
    replace(map, field, op->detail >> kTensorDimensions,
            wide ? laneValue<uint64_t>(frame, op->slot[1], lane)
                 : laneValue<uint32_t>(frame, op->slot[1], lane));
    std::memcpy(place, static_cast<const void*>(&map), sizeof map);
  }
  return op + 1;
}

/// Slots: 0 to, in global memory, 1 from, in shared. The warp makes one copy.
const MicroOp* tensorMapCopy(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  warp.memoryOp = op;
  const unsigned lane = static_cast<unsigned>(std::countr_zero(mask));
  const uint64_t to = laneValue<uint64_t>(frame, op->slot[0], lane);
  const uint64_t from = laneValue<uint64_t>(frame, op->slot[1], lane);
  uint8_t* const target = mapAt(warp, to, false);
  const uint8_t* const source = mapAt(warp, from, true);
  if (!target || !source)
    return warp.fault(op, kBadPlace);
  if (admitted(warp, op, lane, from, true, false) && admitted(warp, op, lane, to, false, true))
    std::memcpy(target, source, kTensorMapBytes);
  return op + 1;
}

} // namespace gpusched::cpu::handlers
