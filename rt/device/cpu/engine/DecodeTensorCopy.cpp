// DecodeTensorCopy.cpp - cp.async.bulk.tensor and its reductions: boxes of tensors; tensor maps.
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

namespace {

constexpr std::pair<std::string_view, TensorField> kFields[] = {
    {"global_address", TensorField::Address},
    {"rank", TensorField::Rank},
    {"box_dim", TensorField::Box},
    {"global_dim", TensorField::Size},
    {"global_stride", TensorField::Stride},
    {"element_stride", TensorField::Step},
    {"elemtype", TensorField::Element},
    {"interleave_layout", TensorField::Interleave},
    {"swizzle_mode", TensorField::Swizzle},
    {"fill_mode", TensorField::Fill},
};

/// Where fields that name a kind stop being ones that cuTensorMapEncodeTiled of ours takes.
uint64_t kindsOf(TensorField field) {
  switch (field) {
  case TensorField::Element:
    return 13;
  case TensorField::Swizzle:
    return 4;
  default:
    return 1; // Interleave, Fill: none
  }
}

/// [map], {dimension,} value
bool replace(Decoder& d) {
  const auto found = std::find_if(std::begin(kFields), std::end(kFields),
                                  [&](const auto& named) { return d.has(named.first); });
  if (found == std::end(kFields) || !d.has("tile") || !d.has("b1024"))
    return false;
  const TensorField field = found->second;
  const bool wide = field == TensorField::Address || field == TensorField::Stride;
  if (!d.has(wide ? "b64" : "b32"))
    return false;
  const bool ofDimension = field >= TensorField::Box && field <= TensorField::Step;
  const Operand& value = d.operand(ofDimension ? 2 : 1);
  uint64_t dimension = 0;
  if (ofDimension) {
    dimension = d.operand(1).bits;
    const unsigned most = TensorMap::kMostDimensions - (field == TensorField::Stride);
    if (d.operand(1).kind != Operand::Kind::Integer || dimension >= most)
      return false;
  }
  if (field >= TensorField::Element &&
      (value.kind != Operand::Kind::Integer || value.bits >= kindsOf(field)))
    return false;
  const bool shared = d.space() == ptx::Space::Shared;
  uint32_t map = 0;
  if (!wholeAddress(d, d.operand(0), shared ? ptx::Space::Shared : ptx::Space::Generic, map))
    return false;
  const uint32_t slot = d.source(value, wide ? Type::B64 : Type::B32);
  MicroOp& op = d.emit(handlers::tensorMapReplace, OpClass::LoadStore);
  op.slot[0] = map, op.slot[1] = slot;
  op.detail = static_cast<uint16_t>(unsigned(field) | (shared ? kTensorMapShared : 0) |
                                    unsigned(dimension) << kTensorDimensions);
  return true;
}

/// [to], [from], 128
bool copyMap(Decoder& d) {
  for (const char* const modifier :
       {"global", "shared::cta", "tensormap::generic", "release", "sync", "aligned"})
    if (!d.has(modifier))
      return false;
  uint32_t to = 0, from = 0;
  if (d.operand(2).bits != kTensorMapBytes ||
      !wholeAddress(d, d.operand(0), ptx::Space::Global, to) ||
      !wholeAddress(d, d.operand(1), ptx::Space::Shared, from))
    return false;
  MicroOp& op = d.emit(handlers::tensorMapCopy, OpClass::LoadStore);
  op.slot[0] = to, op.slot[1] = from;
  return true;
}

} // namespace

bool decodeTensorMap(Decoder& d) {
  return d.has("replace") ? replace(d) : d.has("cp_fenceproxy") && copyMap(d);
}

} // namespace gpusched::cpu
