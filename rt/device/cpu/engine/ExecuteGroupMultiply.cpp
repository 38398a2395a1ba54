// ExecuteGroupMultiply.cpp - wgmma: one warp's 16 rows of D = A * B + D.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products and sums are done in double and rounded once, as in ExecuteTensor.cpp. A warp does its
// rows when it comes to the instruction. What it read may be overwritten only after wait_group,
// and there it waits for the other warps, which read the same B.
#define GPUSCHED_ISA plain
#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/LaneValue.h"
#include "rt/device/cpu/engine/Program.h"
#include "rt/device/cpu/engine/SharedTile.h"
#include "rt/device/cpu/engine/TensorSparse.h"
#include "rt/device/cpu/engine/TensorValues.h"

#include <bit>
#include <vector>

namespace gpusched::cpu::handlers {
namespace {

constexpr unsigned kGroupWarps = 4;

uint64_t descriptor(const uint8_t* frame, uint32_t slot, Mask mask) {
  return laneValue<uint64_t>(frame, slot, std::countr_zero(mask));
}

/// Reads lines `first` ... of a tile; element (line, k) to out[line * lineStep + k * innerStep].
class TileReader {
public:
  TileReader(Warp& warp, const MicroOp* op, TensorElement element, uint64_t descriptor)
      : warp_(warp), op_(op), element_(element), tile_(descriptor),
        each_(SharedTile::kUnit * 8 / elementBits(element)) {}

  bool read(bool across, unsigned first, unsigned lines, unsigned inner, double* out,
            unsigned lineStep, unsigned innerStep) {
    if (!tile_.valid)
      return false;
    double values[SharedTile::kUnit * 8];
    const unsigned outer = across ? inner : lines, units = (across ? lines : inner) / each_;
    if (!across && !tile_.holdsAlong(units))
      return false;
    for (unsigned i = 0; i < outer; ++i)
      for (unsigned u = 0; u < units; ++u) {
        const uint64_t at =
            across ? tile_.acrossInner(first / each_ + u, i) : tile_.alongInner(first + i, u);
        if (!unit(at, values))
          return false;
        double* to = out + (across ? i * innerStep + u * each_ * lineStep
                                   : i * lineStep + u * each_ * innerStep);
        for (unsigned e = 0; e < each_; ++e)
          to[e * (across ? lineStep : innerStep)] = values[e];
      }
    return true;
  }

private:
  bool unit(uint64_t at, double* values) {
    if (at + SharedTile::kUnit > warp_.sharedBytes)
      return false;
    const Touch touch{op_, 0, at, SharedTile::kUnit, true, SharedTile::kUnit, &plainAccess(false)};
    if (!admits(warp_, touch))
      return true; // reported; the values are those of the unit before
    toDoubles(element_, warp_.shared + at, each_, values);
    return true;
  }

  Warp& warp_;
  const MicroOp* op_;
  TensorElement element_;
  SharedTile tile_;
  unsigned each_; // elements in a unit
};

void gatherA(const GroupMultiply& what, const uint8_t* frame, double* a) {
  const unsigned each = 32 / elementBits(what.a);
  double values[32];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned r = 0; r < 4; ++r) {
      toDoubles(what.a, frame + what.aSlots[r] + lane * 4, each, values);
      const unsigned row = lane / 4 + 8 * (r % 2), column = lane % 4 * each + 4 * each * (r / 2);
      for (unsigned i = 0; i < each; ++i)
        a[row * what.stored() + column + i] = values[i];
    }
}

/// Visits (index in the 16 x n sums, register, lane, number of the element in the register).
template <class Visit> void eachSum(const GroupMultiply& what, Visit visit) {
  const unsigned packed = what.result == TensorElement::F16 ? 2 : 1;
  for (unsigned i = 0; i < what.n / 2u; ++i)
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const unsigned row = lane / 4 + 8 * (i / 2 % 2), column = 8 * (i / 4) + lane % 4 * 2 + i % 2;
      visit(row * what.n + column, what.slots[i / packed], lane, i % packed);
    }
}

void gatherSums(const GroupMultiply& what, const uint8_t* frame, double* sums) {
  const unsigned bytes = elementBits(what.result) / 8;
  eachSum(what, [&](unsigned at, uint32_t slot, unsigned lane, unsigned part) {
    toDoubles(what.result, frame + slot + lane * 4 + part * bytes, 1, &sums[at]);
  });
}

void scatterSums(const GroupMultiply& what, const double* sums, uint8_t* frame) {
  eachSum(what, [&](unsigned at, uint32_t slot, unsigned lane, unsigned part) {
    uint8_t* const to = frame + slot + lane * 4;
    const auto put = [&](auto value) {
      std::memcpy(to + part * sizeof value, &value, sizeof value);
    };
    if (what.result == TensorElement::F16)
      put(plain::Half::fromDouble(sums[at], Rounding::Nearest));
    else if (what.result == TensorElement::S32)
      put(toInteger(sums[at], what.saturate));
    else
      put(static_cast<float>(sums[at]));
  });
}

/// Eight columns at a time; as a vector type because GCC would vectorise the other loop.
using Columns = double __attribute__((vector_size(64), aligned(8), may_alias));

/// A of this warp, row by row; false if it is not there.
bool readA(const GroupMultiply& what, const uint8_t* frame, const MicroOp* op, Mask mask,
           Warp& warp, std::vector<double>& a) {
  a.resize(size_t(GroupMultiply::kRows) * what.stored());
  const unsigned firstRow = warp.index % kGroupWarps * GroupMultiply::kRows;
  if (what.aInRegisters)
    gatherA(what, frame, a.data());
  else if (!TileReader(warp, op, what.a, descriptor(frame, what.aPlace, mask))
                .read(what.aByRow, firstRow, GroupMultiply::kRows, what.stored(), a.data(),
                      what.stored(), 1))
    return false;
  if (!what.isSparse)
    return true;
  uint32_t metadata[kLanes];
  std::memcpy(metadata, frame + what.sparse.metadata, sizeof metadata);
  std::vector<double> full(size_t(GroupMultiply::kRows) * what.k);
  expandSparse(what.sparse, metadata, a.data(), full.data());
  a.swap(full);
  return true;
}

void multiplyAdd(const GroupMultiply& what, const double* a, const double* b, double* sums) {
  for (unsigned row = 0; row < GroupMultiply::kRows; ++row)
    for (unsigned first = 0; first < what.n; first += 8) {
      Columns& out = *reinterpret_cast<Columns*>(sums + row * what.n + first);
      Columns sum = out;
      for (unsigned inner = 0; inner < what.k; ++inner)
        sum +=
            a[row * what.k + inner] * *reinterpret_cast<const Columns*>(b + inner * what.n + first);
      out = sum;
    }
}

const char* const kBadTile =
    "a matrix descriptor of wgmma reaches outside the block's shared "
    "memory, or has what the cpu device does not support: a base offset, or "
    "swizzled rows that are shorter than the matrix's";

} // namespace

const MicroOp* groupMultiply(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  if (mask != warp.live)
    return warp.waitForLanes(op, mask, warp.live);
  const GroupMultiply& what = warp.frame->function->module->groupMultiplies[op->slot[1]];
  std::vector<double> a, b(size_t(what.k) * what.n), sums(size_t(GroupMultiply::kRows) * what.n);
  if (!readA(what, frame, op, mask, warp, a) ||
      !TileReader(warp, op, what.b, descriptor(frame, what.bPlace, mask))
           .read(what.bByColumn, 0, what.n, what.k, b.data(), 1, what.n))
    return warp.fault(op, kBadTile);
  if (what.negated)
    for (double& value : b)
      value = -value;
  Mask adds;
  std::memcpy(&adds, frame + what.adds, sizeof adds);
  if ((adds >> std::countr_zero(mask) & 1) != what.addsIfFalse)
    gatherSums(what, frame, sums.data());
  multiplyAdd(what, a.data(), b.data(), sums.data());
  scatterSums(what, sums.data(), frame);
  warp.block->multiplied(warp);
  return op + 1;
}

const MicroOp* groupMultiplyWait(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  if (mask != warp.live)
    return warp.waitForLanes(op, mask, warp.live);
  if (!warp.block->othersMultiply(warp))
    return op + 1;
  if (warp.counting) { // it will be counted again
    --warp.classCounts[static_cast<unsigned>(op->opClass)];
    warp.laneInstructions -= static_cast<unsigned>(std::popcount(mask));
  }
  return warp.stopQuantum(op);
}

} // namespace gpusched::cpu::handlers
