// ExecuteTensorCopy.cpp - boxes of tensors between global and shared memory, done at once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TensorMap.h for what a box is and DecodeTensorCopy.cpp for the slots. A box is moved row by
// row: a row is adjacent in global memory, of which only a part may lie in the tensor, and units
// of 16 bytes in shared memory.
#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/BulkModes.h"
#include "rt/device/cpu/engine/BulkTransfer.h"
#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/MemoryTrace.h"
#include "rt/device/cpu/engine/SharedTile.h"
#include "rt/device/cpu/engine/TensorMap.h"

#include <algorithm>
#include <bit>

namespace gpusched::cpu::handlers {
namespace {

constexpr unsigned kUnit = SharedTile::kUnit;
constexpr unsigned kMostRowBytes = 256 * 8;
constexpr uint64_t kTargetAlignment = 128;
constexpr Access kReduction{.reads = true, .writes = true, .atomic = true, .strong = true};

/// One lane's copy.
class BoxMover {
public:
  BoxMover(Warp& warp, const MicroOp* op, unsigned lane, const TensorMap& map)
      : warp_(warp), op_(op), lane_(lane), map_(map), load_((op->detail & kBulkToShared) != 0),
        reduces_((op->detail & kBulkReduces) != 0), rowBytes_(map.box[0] * map.elementBytes()) {}

  uint64_t bytes() const { return rows() * rowBytes_; }

  /// False if shared memory does not hold the box. `shared` is a shared::cluster address.
  bool move(const int32_t* corner, uint64_t shared) {
    const uint64_t high = shared & ~Cluster::kOffsetMask;
    checksShared_ = high == 0;
    for (uint64_t row = 0; row < rows(); ++row) {
      uint8_t* units[kMostRowBytes / kUnit];
      for (unsigned u = 0; u < rowBytes_ / kUnit; ++u) {
        const uint64_t linear = (shared & Cluster::kOffsetMask) + row * rowBytes_ + u * kUnit;
        const uint64_t at = high | swizzled(linear, map_.swizzleBits);
        units[u] = clusterMemory(warp_, at, kUnit);
        if (!units[u])
          return false;
        if (!allowed(at, kUnit, checksShared_, kUnit, plainAccess(load_)))
          units[u] = nullptr;
      }
      moveRow(rowAt(corner, row), units);
    }
    flushCounts();
    return good_;
  }

private:
  /// What of a row is in the tensor.
  struct Row {
    uint64_t address = 0; // of element `first`
    unsigned first = 0, end = 0;
  };

  uint64_t rows() const {
    uint64_t rows = 1;
    for (unsigned d = 1; d < map_.dimensions; ++d)
      rows *= map_.count(d);
    return rows;
  }

  Row rowAt(const int32_t* corner, uint64_t number) const {
    uint64_t address = map_.address;
    for (unsigned d = 1; d < map_.dimensions; ++d) {
      const int64_t at = corner[d] + int64_t(number % map_.count(d)) * map_.steps[d];
      number /= map_.count(d);
      if (at < 0 || uint64_t(at) >= map_.sizes[d])
        return {};
      address += uint64_t(at) * map_.strides[d];
    }
    const int64_t left = corner[0], size = int64_t(map_.sizes[0]);
    const int64_t first = std::clamp<int64_t>(-left, 0, map_.box[0]);
    const int64_t end = std::clamp<int64_t>(size - left, first, map_.box[0]);
    return {address + uint64_t(left + first) * map_.elementBytes(), unsigned(first), unsigned(end)};
  }

  void moveRow(const Row& row, uint8_t* const* units) {
    alignas(kUnit) uint8_t buffer[kMostRowBytes] = {};
    uint8_t* const inside = buffer + row.first * map_.elementBytes();
    const uint32_t bytes = (row.end - row.first) * map_.elementBytes();
    const bool there = bytes && allowed(row.address, bytes, false, map_.elementBytes(),
                                        reduces_ ? kReduction : plainAccess(!load_));
    count(row.address, bytes);
    if (load_ && there)
      std::memcpy(inside, reinterpret_cast<const uint8_t*>(row.address), bytes);
    for (unsigned u = 0; u < rowBytes_ / kUnit; ++u)
      if (units[u])
        load_ ? std::memcpy(units[u], buffer + u * kUnit, kUnit)
              : std::memcpy(buffer + u * kUnit, units[u], kUnit);
    if (load_ || !there)
      return;
    uint8_t* const target = reinterpret_cast<uint8_t*>(row.address);
    if (reduces_)
      good_ &= reduceElements(op_, warp_, static_cast<AtomicOp>(op_->immediate >> 32), map_.type,
                              target, inside, bytes);
    else
      std::memcpy(target, inside, bytes);
  }

  bool allowed(uint64_t address, uint32_t bytes, bool shared, uint32_t alignment,
               const Access& how) {
    return (shared && !checksShared_) ||
           admits(warp_, {op_, lane_, address, bytes, shared, alignment, &how});
  }

  void count(uint64_t address, uint32_t bytes) {
    if (!warp_.counting || !bytes)
      return;
    if (runs_.count == kLanes)
      flushCounts();
    runs_.add(address, bytes);
  }

  void flushCounts() {
    if (runs_.count)
      warp_.block->trace->global(load_ ? AccessKind::Load : AccessKind::Store, runs_);
    runs_.count = 0;
  }

  Warp& warp_;
  const MicroOp* op_;
  unsigned lane_;
  const TensorMap& map_;
  bool load_, reduces_, checksShared_ = true, good_ = true;
  uint32_t rowBytes_;
  AccessRuns runs_;
};

const char* const kBadMap =
    "the tensor map was not made by cuTensorMapEncodeTiled of this process, or for another number "
    "of dimensions, or tensormap.replace gave it values outside CUDA's limits";
const char* const kBadBox =
    "the box of the tensor copy reaches outside the shared memory of its block, is not aligned to "
    "128 bytes there, or its element has no such reduction";

} // namespace

const MicroOp* tensorCopy(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  warp.memoryOp = op;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    TensorMap map;
    const uint64_t mapped = laneValue<uint64_t>(frame, op->slot[0], lane);
    std::memcpy(&map, reinterpret_cast<const void*>(mapped), sizeof map);
    if (!map.valid() || map.dimensions != op->detail >> kTensorDimensions)
      return warp.fault(op, kBadMap);
    int32_t corner[TensorMap::kMostDimensions] = {};
    for (unsigned d = 0; d < map.dimensions; ++d)
      corner[d] = laneValue<int32_t>(frame, op->slot[3 + d], lane);
    const uint64_t shared = laneValue<uint64_t>(frame, op->slot[1], lane);
    const uint32_t barrier = static_cast<uint32_t>(op->immediate);
    const bool multicast = op->detail & kBulkMulticast;
    const uint32_t blocks = multicast ? laneValue<uint16_t>(frame, op->slot[2], lane) : 1;
    BoxMover mover(warp, op, lane, map);
    for (uint32_t left = blocks; left; left &= left - 1) {
      const uint32_t rank = static_cast<uint32_t>(std::countr_zero(left));
      const uint64_t place = multicast ? inBlock(shared, rank) : shared;
      if (place % kTargetAlignment || !mover.move(corner, place))
        return warp.fault(op, kBadBox);
      if (!(op->detail & kBulkSignals))
        continue;
      const uint64_t object = laneValue<uint64_t>(frame, barrier, lane);
      if (!signalBytes(warp, multicast ? inBlock(object, rank) : object, mover.bytes()))
        return warp.fault(op, "the mbarrier of the tensor copy is not in shared memory");
    }
  }
  return op + 1;
}

} // namespace gpusched::cpu::handlers
