// DecodeTensorCopy.cpp - cp.async.bulk.tensor and its reductions: boxes of tensors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots: 0 the map, 1 shared memory, 2 blocks of a multicast, 3..7 coordinates; `immediate` holds
// the slot of the mbarrier, and above 32 bits an AtomicOp. `detail` in BulkModes.h; dimensions
// above kTensorDimensions. Refused: im2col, gather and scatter.
#include "rt/device/cpu/engine/BulkModes.h"
#include "rt/device/cpu/engine/DecodeAsync.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/TensorMap.h"

#include <algorithm>

namespace gpusched::cpu {
namespace {

using ptx::Operand;
using ptx::Type;

constexpr std::string_view kShapes[TensorMap::kMostDimensions] = {"1d", "2d", "3d", "4d", "5d"};

/// [map, {c0, c1, ...}]
bool place(Decoder& d, const Operand& operand, unsigned dimensions, MicroOp& fields) {
  if (operand.kind != Operand::Kind::Address || operand.elements.size() != 2)
    return false;
  Operand map = operand;
  map.elements.pop_back();
  if (!wholeAddress(d, map, ptx::Space::Generic, fields.slot[0]))
    return false;
  const Operand& given = operand.elements[1];
  const bool vector = given.kind == Operand::Kind::Vector;
  if ((vector ? given.elements.size() : 1) != dimensions)
    return false;
  for (unsigned i = 0; i < dimensions; ++i)
    fields.slot[3 + i] = d.source(vector ? given.elements[i] : given, Type::S32);
  return true;
}

unsigned dimensionsOf(const Decoder& d) {
  for (unsigned i = 0; i < std::size(kShapes); ++i)
    if (d.has(kShapes[i]))
      return i + 1;
  return 0;
}

bool isShared(const std::string& modifier) {
  return modifier.starts_with("shared");
}

/// The first state space named is the target's.
bool isLoad(const Decoder& d) {
  const std::vector<std::string>& modifiers = d.instruction().modifiers;
  const auto shared = std::find_if(modifiers.begin(), modifiers.end(), isShared);
  return shared < std::find(modifiers.begin(), modifiers.end(), "global");
}

} // namespace

bool decodeTensorCopy(Decoder& d) {
  if (d.has("prefetch"))
    return dimensionsOf(d) && d.has("tensor") &&
           d.emit(handlers::nothing, OpClass::LoadStore).run != nullptr;
  const bool load = isLoad(d), signals = d.has("mbarrier::complete_tx::bytes");
  const unsigned dimensions = dimensionsOf(d);
  if (!dimensions || load != signals || (!load && !d.has("bulk_group")))
    return false;
  (void)d.has("tile"); // the only mode
  MicroOp fields;
  fields.detail = static_cast<uint16_t>(dimensions << kTensorDimensions |
                                        (load ? kBulkToShared | kBulkSignals : kBulkFromShared));
  // The element's type is the map's; whether the operation has it is seen when it is done.
  if (d.has("reduce") && (load || !bulkReduction(d, Type::U32, fields)))
    return false;
  if (!place(d, d.operand(load ? 1 : 0), dimensions, fields) ||
      !wholeAddress(d, d.operand(load ? 0 : 1), ptx::Space::Shared, fields.slot[1]))
    return false;
  uint32_t barrier = 0;
  if (load && !wholeAddress(d, d.operand(2), ptx::Space::Shared, barrier))
    return false;
  if (d.has("multicast::cluster")) {
    fields.slot[2] = d.source(d.operand(3), Type::U16);
    fields.detail |= kBulkMulticast;
  }
  MicroOp& op = d.emit(handlers::tensorCopy, OpClass::LoadStore);
  std::copy(std::begin(fields.slot), std::end(fields.slot), op.slot);
  op.immediate = (fields.immediate >> 8) << 32 | barrier;
  op.detail = fields.detail;
  return true;
}

} // namespace gpusched::cpu
