// SystemCall.h - one lane's view of a call of a function that the device provides.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and results are in the caller's local area, one lane after the other.
#pragma once

#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/Program.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpusched::cpu {

class SystemCall {
public:
  SystemCall(const MicroOp* op, Warp& warp, unsigned lane)
      : op(op), warp(warp), lane(lane),
        site_(warp.frame->function->module->callSites[static_cast<size_t>(op->immediate)]),
        local_(warp.localBase(lane, *warp.frame)) {}

  /// Zero where the call gives fewer bytes.
  template <class T> T argumentAs(size_t index) const {
    T value{};
    if (index >= site_.arguments.size())
      return value;
    const ParameterPlace& place = site_.arguments[index];
    std::memcpy(&value, local_ + place.offset, std::min<uint64_t>(place.bytes, sizeof value));
    return value;
  }
  uint64_t argument(size_t index) const { return argumentAs<uint64_t>(index); }
  template <class T> T pointer(size_t index) const { return reinterpret_cast<T>(argument(index)); }
  void result(uint64_t value) const {
    if (site_.results.empty())
      return;
    std::memcpy(local_ + site_.results[0].offset, &value,
                std::min<uint64_t>(site_.results[0].bytes, 8));
  }
  /// In its block.
  uint32_t thread() const { return warp.index * kLanes + lane; }

  const MicroOp* const op;
  Warp& warp;
  const unsigned lane;

private:
  const CallSite& site_;
  uint8_t* local_;
};

template <class Visit>
const MicroOp* eachCall(const MicroOp* op, Mask mask, Warp& warp, Visit visit) {
  warp.memoryOp = op; // pointers among the arguments are the program's
  for (Mask rest = mask; rest; rest &= rest - 1)
    visit(SystemCall(op, warp, static_cast<unsigned>(std::countr_zero(rest))));
  return op + 1;
}

} // namespace gpusched::cpu
