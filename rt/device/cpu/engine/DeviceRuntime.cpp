// DeviceRuntime.cpp - the functions of the device runtime, for the active lanes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each answers with an error, which is also the thread's last error unless it is none. What is
// ordered, ChildGrids orders.
#include "rt/device/cpu/engine/DeviceRuntime.h"

#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/ChildGrids.h"
#include "rt/device/cpu/engine/DeviceServices.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/SystemCall.h"

namespace gpusched::cpu {
namespace {

using Error = DeviceError;

constexpr uint64_t kNonBlocking = 1;   // cudaStreamNonBlocking
constexpr uint64_t kDisableTiming = 2; // cudaEventDisableTiming

ActiveLaunch& grid(const SystemCall& call) {
  return call.warp.block->launch;
}
ChildGrids& children(const SystemCall& call) {
  return grid(call).childGrids();
}
uint64_t block(const SystemCall& call) {
  return call.warp.block->linearIndex;
}
uint64_t threadOfGrid(const SystemCall& call) {
  return block(call) * grid(call).request.block.count() + call.thread();
}

/// The lane reads or writes there itself, so the checks judge it.
bool admitted(const SystemCall& call, uint64_t address, uint64_t bytes, bool writes) {
  return admits(call.warp, {call.op, call.lane, address, bytes, false, 1, &plainAccess(writes)});
}

/// Writes a result through the pointer that is the call's argument `index`.
template <class T> Error give(const SystemCall& call, size_t index, const T& value) {
  if (!call.argument(index))
    return Error::InvalidValue;
  if (admitted(call, call.argument(index), sizeof value, true))
    std::memcpy(call.pointer<void*>(index), &value, sizeof value);
  return Error::None;
}

const Kernel* kernelAt(const SystemCall& call, uint64_t address) {
  const LoadedModule& module = *call.warp.frame->function->module;
  const DecodedFunction* const function = module.functionByAddress(address);
  const auto found = function ? module.kernels.find(function->source->name) : module.kernels.end();
  return found == module.kernels.end() ? nullptr : &found->second;
}

/// (kernel, grid, block, shared bytes) -> buffer
void* parameterBuffer(const SystemCall& call, Error& error) {
  struct Size {
    uint32_t x, y, z;
    operator Dim3() const { return {x, y, z}; }
  };
  Launch child;
  child.kernel = kernelAt(call, call.argument(0));
  child.grid = call.argumentAs<Size>(1);
  child.block = call.argumentAs<Size>(2);
  child.dynamicSharedBytes = call.argumentAs<uint32_t>(3);
  if (!child.kernel)
    return error = Error::InvalidDeviceFunction, nullptr;
  return children(call).parameterBuffer(std::move(child), error);
}

/// (buffer, stream)
Error launchDevice(const SystemCall& call) {
  return children(call).launch(call.pointer<const void*>(0), call.argument(1), block(call));
}

/// (stream*, flags)
Error createStream(const SystemCall& call) {
  if (call.argument(1) != kNonBlocking)
    return Error::InvalidValue;
  return give(call, 0, children(call).createStream());
}

Error destroyStream(const SystemCall& call) {
  return children(call).destroyStream(call.argument(0));
}

/// (stream, event, flags)
Error waitEvent(const SystemCall& call) {
  return children(call).waitFor(call.argument(0), call.argument(1), block(call));
}

/// (event*, flags)
Error createEvent(const SystemCall& call) {
  if (call.argument(1) != kDisableTiming)
    return Error::InvalidValue;
  return give(call, 0, children(call).createEvent());
}

/// (event, stream, flags if any)
Error recordEvent(const SystemCall& call) {
  return children(call).record(call.argument(0), call.argument(1), block(call));
}

Error destroyEvent(const SystemCall& call) {
  return children(call).destroyEvent(call.argument(0));
}

/// (pointer*, bytes). From the heap of malloc().
Error allocate(const SystemCall& call) {
  void* const memory = grid(call).services->allocate(call.argument(1));
  if (!memory)
    return Error::MemoryAllocation;
  return give(call, 0, memory);
}

Error release(const SystemCall& call) {
  void* const memory = call.pointer<void*>(0);
  return !memory || grid(call).services->release(memory) ? Error::None : Error::InvalidValue;
}

/// A box of rows, `slice` bytes from one plane of `height` rows to the next.
struct Rows {
  uint64_t address, pitch, width, height, depth = 1, slice = 0;
  uint64_t count() const { return width ? height * depth : 0; }
  uint64_t at(uint64_t index) const {
    return address + index / height * slice + index % height * pitch;
  }
  uint8_t* row(uint64_t index) const { return reinterpret_cast<uint8_t*>(at(index)); }
  /// Rows that do not follow each other, or more than any memory holds.
  bool overlaps() const {
    uint64_t rows, plane;
    return __builtin_mul_overflow(height, depth, &rows) ||
           __builtin_mul_overflow(height, pitch, &plane) || (rows > 1 && pitch < width) ||
           (depth > 1 && slice < plane);
  }
  /// Kernels copy and set device memory only.
  bool inside(const DeviceMemory& memory, uint64_t index) const {
    const auto found = memory.find(row(index));
    return found && width <= found->bytes - (at(index) - reinterpret_cast<uint64_t>(found->base));
  }
  bool inside(const DeviceMemory& memory) const {
    uint64_t i = 0;
    while (i < count() && inside(memory, i))
      ++i;
    return i == count();
  }
  /// A row that is not inside is the memory check's to report, or fails the grid later.
  bool admitted(const SystemCall& call, bool writes) const {
    Checker* const checker = call.warp.checker;
    const DeviceMemory& memory = grid(call).services->memory();
    for (uint64_t i = 0; checker && i < count(); ++i) {
      const Touch touch{call.op, call.lane, at(i), width, false, 1, &plainAccess(writes)};
      if (!inside(memory, i))
        return checker->allows(call.warp, touch);
      if (!checker->admits(call.warp, touch))
        return false;
    }
    return true;
  }
};

Error copyRows(const SystemCall& call, const Rows& to, const Rows& from, uint64_t stream) {
  if (to.overlaps() || from.overlaps())
    return Error::InvalidValue;
  if (!from.admitted(call, false) || !to.admitted(call, true))
    return Error::None;
  const auto copy = [to, from, &memory = grid(call).services->memory()] {
    if (!to.inside(memory) || !from.inside(memory))
      return false;
    for (uint64_t i = 0; i < to.count(); ++i)
      std::memmove(to.row(i), from.row(i), to.width);
    return true;
  };
  return children(call).work(copy, stream, block(call));
}

Error setRows(const SystemCall& call, const Rows& to, int value, uint64_t stream) {
  if (to.overlaps())
    return Error::InvalidValue;
  if (!to.admitted(call, true))
    return Error::None;
  const auto set = [to, value, &memory = grid(call).services->memory()] {
    if (!to.inside(memory))
      return false;
    for (uint64_t i = 0; i < to.count(); ++i)
      std::memset(to.row(i), value, to.width);
    return true;
  };
  return children(call).work(set, stream, block(call));
}

/// (to, from, bytes, kind, stream)
Error copy(const SystemCall& call) {
  const uint64_t bytes = call.argument(2);
  return copyRows(call, {call.argument(0), 0, bytes, 1}, {call.argument(1), 0, bytes, 1},
                  call.argument(4));
}

/// (to, pitch, from, pitch, width, height, kind, stream)
Error copy2D(const SystemCall& call) {
  const uint64_t width = call.argument(4), height = call.argument(5);
  return copyRows(call, {call.argument(0), call.argument(1), width, height},
                  {call.argument(2), call.argument(3), width, height}, call.argument(7));
}

/// (to, value, bytes, stream)
Error set(const SystemCall& call) {
  return setRows(call, {call.argument(0), 0, call.argument(2), 1}, call.argumentAs<int>(1),
                 call.argument(3));
}

/// (to, pitch, value, width, height, stream)
Error set2D(const SystemCall& call) {
  return setRows(call, {call.argument(0), call.argument(1), call.argument(3), call.argument(4)},
                 call.argumentAs<int>(2), call.argument(5));
}

// As in driver_types.h.
struct Extent {
  uint64_t width, height, depth;
};
struct PitchedPointer {
  uint64_t address, pitch, width, height;
  Rows box(const Extent& extent) const {
    return {address, pitch, extent.width, extent.height, extent.depth, pitch * height};
  }
};
struct BoxEnd {
  uint64_t array, x, y, z; // x in bytes
  PitchedPointer memory;
  Rows box(const Extent& extent) const {
    Rows rows = memory.box(extent);
    rows.address += z * rows.slice + y * rows.pitch + x;
    return rows;
  }
};
struct BoxCopy { // cudaMemcpy3DParms
  BoxEnd from, to;
  Extent extent;
};

/// (parameters*, stream). Kernels copy between linear memory only.
Error copy3D(const SystemCall& call) {
  if (!call.argument(0))
    return Error::InvalidValue;
  BoxCopy box;
  if (!admitted(call, call.argument(0), sizeof box, false))
    return Error::None;
  std::memcpy(&box, call.pointer<const void*>(0), sizeof box);
  if (box.from.array || box.to.array)
    return Error::InvalidValue;
  return copyRows(call, box.to.box(box.extent), box.from.box(box.extent), call.argument(1));
}

/// (pitched pointer, value, extent, stream)
Error set3D(const SystemCall& call) {
  return setRows(call, call.argumentAs<PitchedPointer>(0).box(call.argumentAs<Extent>(2)),
                 call.argumentAs<int>(1), call.argument(3));
}

Error currentDevice(const SystemCall& call) {
  constexpr int kFirst = 0;
  return give(call, 0, kFirst);
}

Error deviceCount(const SystemCall& call) {
  return give(call, 0, grid(call).services->queries.devices);
}

/// (value*, attribute, device)
Error deviceAttribute(const SystemCall& call) {
  const DeviceQueries& queries = grid(call).services->queries;
  if (call.argumentAs<uint32_t>(2) >= static_cast<uint32_t>(queries.devices))
    return Error::InvalidDevice;
  int value = 0;
  if (!queries.attribute ||
      !queries.attribute(call.argumentAs<int>(1), call.argumentAs<int>(2), value))
    return Error::InvalidValue;
  return give(call, 0, value);
}

/// (value*, limit)
Error deviceLimit(const SystemCall& call) {
  const DeviceQueries& queries = grid(call).services->queries;
  uint64_t value = 0;
  if (!queries.limit || !queries.limit(call.argumentAs<int>(1), value))
    return Error::InvalidValue;
  return give(call, 0, value);
}

/// (attributes*, kernel)
Error functionAttributes(const SystemCall& call) {
  const DeviceQueries& queries = grid(call).services->queries;
  const Kernel* const kernel = kernelAt(call, call.argument(1));
  if (!kernel)
    return Error::InvalidDeviceFunction;
  if (!queries.functionAttributes || !call.argument(0))
    return Error::InvalidValue;
  const std::vector<uint8_t> bytes = queries.functionAttributes(*kernel);
  if (admitted(call, call.argument(0), bytes.size(), true))
    std::memcpy(call.pointer<void*>(0), bytes.data(), bytes.size());
  return Error::None;
}

/// (blocks*, kernel, threads, dynamic shared bytes, flags if any)
Error occupancyOf(const SystemCall& call) {
  const Kernel* const kernel = kernelAt(call, call.argument(1));
  if (!kernel)
    return Error::InvalidDeviceFunction;
  const Occupancy known =
      occupancy(*grid(call).device, call.argumentAs<uint32_t>(2), kernel->facts.registersPerThread,
                kernel->facts.staticSharedBytes + call.argument(3));
  return give(call, 0, static_cast<int>(known.blocksPerSm));
}

/// For cudaGetLastError.
void remember(const SystemCall& call, Error error) {
  if (error != Error::None)
    children(call).setError(threadOfGrid(call), error);
}

template <Error (*Run)(const SystemCall&)>
const MicroOp* answer(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  return eachCall(op, mask, warp, [](const SystemCall& call) {
    const Error error = Run(call);
    remember(call, error);
    call.result(static_cast<uint64_t>(error));
  });
}

const MicroOp* giveBuffer(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  return eachCall(op, mask, warp, [](const SystemCall& call) {
    Error error = Error::None;
    call.result(reinterpret_cast<uint64_t>(parameterBuffer(call, error)));
    remember(call, error);
  });
}

template <bool kClear>
const MicroOp* lastError(uint8_t*, const MicroOp* op, Mask mask, Warp& warp) {
  return eachCall(op, mask, warp, [](const SystemCall& call) {
    call.result(static_cast<uint64_t>(children(call).lastError(threadOfGrid(call), kClear)));
  });
}

struct Entry {
  std::string_view name; // without __cudaCDP2 and _ptsz
  Handler handler;
};

constexpr Entry kFunctions[] = {
    {"GetParameterBufferV2", giveBuffer},
    {"LaunchDeviceV2", answer<launchDevice>},
    {"StreamCreateWithFlags", answer<createStream>},
    {"StreamDestroy", answer<destroyStream>},
    {"StreamWaitEvent", answer<waitEvent>},
    {"EventCreateWithFlags", answer<createEvent>},
    {"EventRecord", answer<recordEvent>},
    {"EventRecordWithFlags", answer<recordEvent>},
    {"EventDestroy", answer<destroyEvent>},
    {"Malloc", answer<allocate>},
    {"Free", answer<release>},
    {"MemcpyAsync", answer<copy>},
    {"Memcpy2DAsync", answer<copy2D>},
    {"Memcpy3DAsync", answer<copy3D>},
    {"MemsetAsync", answer<set>},
    {"Memset2DAsync", answer<set2D>},
    {"Memset3DAsync", answer<set3D>},
    {"GetLastError", lastError<true>},
    {"PeekAtLastError", lastError<false>},
    {"GetDevice", answer<currentDevice>},
    {"GetDeviceCount", answer<deviceCount>},
    {"DeviceGetAttribute", answer<deviceAttribute>},
    {"DeviceGetLimit", answer<deviceLimit>},
    {"FuncGetAttributes", answer<functionAttributes>},
    {"OccupancyMaxActiveBlocksPerMultiprocessor", answer<occupancyOf>},
    {"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", answer<occupancyOf>},
};

} // namespace

Handler deviceRuntimeHandler(std::string_view name) {
  constexpr std::string_view kPrefix = "__cudaCDP2", kPerThreadSuffix = "_ptsz";
  if (!name.starts_with(kPrefix))
    return nullptr;
  name.remove_prefix(kPrefix.size());
  if (name.ends_with(kPerThreadSuffix)) // a block has one default stream, whoever names it
    name.remove_suffix(kPerThreadSuffix.size());
  for (const Entry& entry : kFunctions)
    if (entry.name == name)
      return entry.handler;
  return nullptr;
}

} // namespace gpusched::cpu
