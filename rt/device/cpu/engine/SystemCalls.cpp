// SystemCalls.cpp - vprintf, malloc, free and their like for the active lanes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/SystemCalls.h"

#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/DeviceFormat.h"
#include "rt/device/cpu/engine/DeviceServices.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/Program.h"
#include "rt/device/cpu/engine/SystemCall.h"

namespace gpusched::cpu {
namespace {

/// Reads by vprintf and __assertfail are the lane's, so the checks judge them.
Readable readableBy(const SystemCall& call) {
  return [&call](const void* address, uint64_t bytes) {
    return !call.warp.checker ||
           call.warp.checker->allows(call.warp,
                                     {call.op, call.lane, reinterpret_cast<uint64_t>(address),
                                      static_cast<uint32_t>(bytes), false, 1, &plainAccess(false)});
  };
}

const MicroOp* print(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  DeviceServices& services = *warp.block->launch.services;
  return eachCall(op, mask, warp, [&](const SystemCall& call) {
    uint32_t count = 0;
    services.print(formatDevice(call.pointer<const char*>(0), call.pointer<const uint8_t*>(1),
                                count, readableBy(call)));
    call.result(count);
  });
}

const MicroOp* allocate(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  DeviceServices& services = *warp.block->launch.services;
  return eachCall(op, mask, warp, [&](const SystemCall& call) {
    call.result(reinterpret_cast<uint64_t>(services.allocate(call.argument(0))));
  });
}

const MicroOp* release(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  DeviceServices& services = *warp.block->launch.services;
  bool valid = true;
  const MicroOp* next = eachCall(op, mask, warp, [&](const SystemCall& call) {
    if (void* address = call.pointer<void*>(0))
      valid &= services.release(address);
  });
  return valid ? next : warp.fault(op, "free() of a pointer that device malloc() did not return");
}

/// __assertfail(message, file, line, function, character size)
const MicroOp* assertFail(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  const Block& block = *warp.block;
  std::string first;
  eachCall(op, mask, warp, [&](const SystemCall& call) {
    const Dim3& size = block.launch.request.block;
    const uint32_t thread = call.thread();
    const auto text = [&](size_t index) {
      return deviceText(call.pointer<const char*>(index), readableBy(call));
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
  });
  warp.block->trapped = true;
  return warp.fault(op, first);
}

/// (handle, value). A handle is the address of the condition (Conditional.h of the runtime).
const MicroOp* setConditional(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  return eachCall(op, mask, warp, [](const SystemCall& call) {
    __atomic_store_n(call.pointer<uint32_t*>(0), call.argumentAs<uint32_t>(1), __ATOMIC_RELAXED);
  });
}

} // namespace

Handler systemCallHandler(std::string_view name) {
  if (name == "vprintf")
    return print;
  if (name == "malloc")
    return allocate;
  if (name == "free")
    return release;
  if (name == "cudaGraphSetConditional")
    return setConditional;
  return name == "__assertfail" ? assertFail : nullptr;
}

} // namespace gpusched::cpu
