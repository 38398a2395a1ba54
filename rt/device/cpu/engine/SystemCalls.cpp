// SystemCalls.cpp - vprintf, malloc, free and __assertfail for the active lanes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and results are in the caller's local area, one lane after the other.
#include "rt/device/cpu/engine/SystemCalls.h"

#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/DeviceFormat.h"
#include "rt/device/cpu/engine/DeviceServices.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/Program.h"

#include <bit>
#include <cstring>

namespace gpusched::cpu {
namespace {

/// One lane's view of the call.
class Call {
public:
  Call(const MicroOp* op, const Warp& warp, unsigned lane)
      : site_(warp.frame->function->module->callSites[static_cast<size_t>(op->immediate)]),
        local_(warp.localBase(lane, *warp.frame)) {}
  uint64_t argument(size_t index) const {
    uint64_t value = 0;
    if (index >= site_.arguments.size())
      return value;
    const ParameterPlace& place = site_.arguments[index];
    std::memcpy(&value, local_ + place.offset, std::min<uint64_t>(place.bytes, 8));
    return value;
  }
  template <class T> T pointer(size_t index) const { return reinterpret_cast<T>(argument(index)); }
  void result(uint64_t value) {
    if (site_.results.empty())
      return;
    std::memcpy(local_ + site_.results[0].offset, &value,
                std::min<uint64_t>(site_.results[0].bytes, 8));
  }

private:
  const CallSite& site_;
  uint8_t* local_;
};

/// Reads by vprintf and __assertfail are the lane's, so the checks judge them.
Readable readableBy(const MicroOp* op, Warp& warp, unsigned lane) {
  return [op, &warp, lane](const void* address, uint64_t bytes) {
    return !warp.checker ||
           warp.checker->allows(warp,
                                {op, lane, reinterpret_cast<uint64_t>(address),
                                 static_cast<uint32_t>(bytes), false, 1, &plainAccess(false)});
  };
}

template <class Visit>
const MicroOp* eachCall(const MicroOp* op, Mask mask, Warp& warp, Visit visit) {
  warp.memoryOp = op; // format strings and buffers are the program's pointers
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    Call call(op, warp, lane);
    visit(call, lane);
  }
  return op + 1;
}

const MicroOp* print(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  DeviceServices& services = *warp.block->launch.services;
  return eachCall(op, mask, warp, [&](Call& call, unsigned lane) {
    uint32_t count = 0;
    services.print(formatDevice(call.pointer<const char*>(0), call.pointer<const uint8_t*>(1),
                                count, readableBy(op, warp, lane)));
    call.result(count);
  });
}

const MicroOp* allocate(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  DeviceServices& services = *warp.block->launch.services;
  return eachCall(op, mask, warp, [&](Call& call, unsigned) {
    call.result(reinterpret_cast<uint64_t>(services.allocate(call.argument(0))));
  });
}

const MicroOp* release(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  DeviceServices& services = *warp.block->launch.services;
  bool valid = true;
  const MicroOp* next = eachCall(op, mask, warp, [&](Call& call, unsigned) {
    if (void* address = call.pointer<void*>(0))
      valid &= services.release(address);
  });
  return valid ? next : warp.fault(op, "free() of a pointer that device malloc() did not return");
}

/// __assertfail(message, file, line, function, character size)
const MicroOp* assertFail(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  const Block& block = *warp.block;
  std::string first;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(std::countr_zero(rest));
    const Call call(op, warp, lane);
    const Dim3& size = block.launch.request.block;
    const uint32_t thread = warp.index * kLanes + lane;
    const auto text = [&](size_t index) {
      return deviceText(call.pointer<const char*>(index), readableBy(op, warp, lane));
    };
    const auto triple = [](uint64_t x, uint64_t y, uint64_t z) {
      return "[" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + "]";
    };
    const std::string line =
        text(1) + ":" + std::to_string(call.argument(2)) + ": " + text(3) +
        ": block: " + triple(block.index[0], block.index[1], block.index[2]) +
        ", thread: " + triple(thread % size.x, thread / size.x % size.y, thread / size.x / size.y) +
        " Assertion `" + text(0) + "` failed.\n";
    block.launch.services->print(line);
    if (first.empty())
      first = line.substr(0, line.size() - 1);
  }
  warp.block->trapped = true;
  return warp.fault(op, first);
}

} // namespace

Handler systemCallHandler(std::string_view name) {
  if (name == "vprintf")
    return print;
  if (name == "malloc")
    return allocate;
  if (name == "free")
    return release;
  return name == "__assertfail" ? assertFail : nullptr;
}

} // namespace gpusched::cpu
