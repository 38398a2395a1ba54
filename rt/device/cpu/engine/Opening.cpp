// Opening.cpp - the second copy of the code, and what ends an opening.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Opening.h. Branches are relative and stay in their copy; frames hold addresses of the
// first copy only; Warp translates where the two meet: calls, returns and branch tables.
#include "rt/device/cpu/engine/Opening.h"

#include "rt/device/cpu/engine/AccessAddress.h"
#include "rt/device/cpu/engine/Program.h"
#include "rt/device/cpu/engine/Warp.h"

#include <bit>
#include <cstring>

namespace gpusched::cpu {
namespace {

/// A generic address may turn out to be shared or local memory, which other warps' reads of
/// global memory do not care about.
bool writesGlobal(const uint8_t* frame, const MicroOp* op, Mask mask, const Warp& warp) {
  const uint64_t address =
      accessAddress(frame, op, static_cast<unsigned>(std::countr_zero(mask)), AddressKind::Host);
  return address - reinterpret_cast<uint64_t>(warp.shared) >= warp.sharedBytes &&
         !warp.ownsLocal(address);
}

const MicroOp* openingWrite(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  if (!writesGlobal(frame, op, mask, warp))
    return warp.steady(op)->run(frame, op, mask, warp);
  return warp.stopBeforeWrite(op, mask);
}

const MicroOp* openingAtomic(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  return warp.stopBeforeWrite(op, mask);
}

} // namespace

void appendOpeningTwin(LoadedModule& module) {
  std::vector<MicroOp>& code = module.code;
  const size_t size = code.size();
  code.reserve(size * 2);
  code.insert(code.end(), code.begin(), code.begin() + static_cast<std::ptrdiff_t>(size));
  for (uint32_t end : module.openingEnds)
    code[size + end].run = code[end].opClass == OpClass::Atomic ? openingAtomic : openingWrite;
}

const MicroOp* Warp::stopBeforeWrite(const MicroOp* op, Mask mask) {
  if (counting) {
    // It was counted on the way here and will be again when it is done.
    const unsigned lanes = std::popcount(mask);
    --classCounts[static_cast<unsigned>(op->opClass)];
    laneInstructions -= lanes;
    flops -= lanes * op->flops;
  }
  --quanta_; // no group stood still for long in a turn this short
  return stopQuantum(steady(op));
}

/// True if some group was left alone, as it had not met the barrier that began the opening.
bool Warp::endOpening() {
  if (!opening_)
    return false;
  opening_ = false;
  pc_ = steady(pc_);
  bool stopped = false;
  for (Group& group : parked_) {
    stopped |= group.wait == GroupWait::None;
    group.pc = steady(group.pc);
  }
  return stopped;
}

const MicroOp* Warp::reopen(const MicroOp* pc) {
  if (!twinDistance_)
    return pc;
  opening_ = true;
  return steady(pc) + twinDistance_;
}

} // namespace gpusched::cpu
