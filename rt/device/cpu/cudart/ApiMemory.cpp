// ApiMemory.cpp - allocation, pinned and managed memory, pointer queries.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device pointer is a host pointer, so mapped and managed memory need no work. cudaFree and
// cudaFreeHost wait for the device first, as CUDA does: a queued kernel may use the memory.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/GraphMemory.h"
#include "rt/support/RoundUp.h"

#include <mutex>
#include <unordered_map>

using namespace gpusched;
using namespace gpusched::cudart;

static constexpr size_t kPitchAlignment = 512;

static cudaError_t allocate(Runtime& runtime, void** pointer, size_t bytes, cpu::MemoryKind kind) {
  if (!pointer)
    return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (bytes == 0)
    return cudaSuccess;
  *pointer = runtime.memory().allocate(bytes, kind);
  return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t release(Runtime& runtime, void* pointer, bool pinned) {
  if (!pointer)
    return cudaSuccess;
  cudaError_t error = runtime.synchronizeDevice();
  if (GraphMemory::instance().contains(pointer))
    return error;
  std::optional<cpu::Allocation> found = runtime.memory().find(pointer);
  if (!found || (found->kind == cpu::MemoryKind::Pinned) != pinned ||
      found->kind == cpu::MemoryKind::Global || found->kind == cpu::MemoryKind::Mapped ||
      !runtime.memory().free(pointer))
    return cudaErrorInvalidValue;
  return error;
}

GPUSCHED_API cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return escapingCall("cudaMalloc", [&](Runtime& runtime) {
    return allocate(runtime, pointer, bytes, cpu::MemoryKind::Device);
  });
}

GPUSCHED_API cudaError_t cudaFree(void* pointer) {
  return escapingCall("cudaFree",
                      [&](Runtime& runtime) { return release(runtime, pointer, false); });
}

GPUSCHED_API cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return escapingCall("cudaMallocManaged", [&](Runtime& runtime) {
    if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
      return cudaErrorInvalidValue;
    return allocate(runtime, pointer, bytes, cpu::MemoryKind::Managed);
  });
}

GPUSCHED_API cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width,
                                         size_t height) {
  return escapingCall("cudaMallocPitch", [&](Runtime& runtime) {
    if (!pitch)
      return cudaErrorInvalidValue;
    *pitch = roundUp(width, kPitchAlignment);
    return allocate(runtime, pointer, *pitch * height, cpu::MemoryKind::Device);
  });
}

GPUSCHED_API cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  if (!pitched)
    return recordError("cudaMalloc3D", cudaErrorInvalidValue);
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width,
                         extent.height * extent.depth);
}

GPUSCHED_API cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t handle) {
  return streamCall("cudaMallocAsync", handle, [&](Runtime& runtime, const StreamRef& stream) {
    cudaError_t error = allocate(runtime, pointer, bytes, cpu::MemoryKind::Device);
    if (error == cudaSuccess && runtime.streams.capturing(stream))
      GraphMemory::instance().add(*pointer);
    return error;
  });
}

GPUSCHED_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  return streamCall("cudaFreeAsync", handle, [&](Runtime& runtime, const StreamRef& stream) {
    std::optional<cpu::Allocation> found = runtime.memory().find(pointer);
    if (!found || found->base != pointer)
      return cudaErrorInvalidValue;
    if (GraphMemory::instance().contains(pointer)) {
      runtime.streams.append(stream, makeOperation(Operation::Kind::Marker));
      return cudaSuccess;
    }
    runtime.streams.append(stream, makeOperation(Operation::Kind::Copy, [&runtime, pointer] {
                             runtime.memory().free(pointer);
                           }));
    return cudaSuccess;
  });
}

/// cudaHostAlloc's and cudaHostRegister's flags, for cudaHostGetFlags.
namespace {
struct HostFlags {
  std::mutex mutex;
  std::unordered_map<void*, unsigned> byBase;
  void set(void* base, unsigned flags) {
    std::lock_guard<std::mutex> lock(mutex);
    byBase[base] = flags;
  }
  unsigned get(void* base) {
    std::lock_guard<std::mutex> lock(mutex);
    return byBase[base];
  }
};
} // namespace

static HostFlags& hostFlags() {
  static HostFlags* const kFlags = new HostFlags;
  return *kFlags;
}

GPUSCHED_API cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return escapingCall("cudaHostAlloc", [&](Runtime& runtime) {
    constexpr unsigned kKnown =
        cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if (flags & ~kKnown)
      return cudaErrorInvalidValue;
    cudaError_t error = allocate(runtime, pointer, bytes, cpu::MemoryKind::Pinned);
    if (error == cudaSuccess && *pointer)
      hostFlags().set(*pointer, flags | cudaHostAllocMapped);
    return error;
  });
}

GPUSCHED_API cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

GPUSCHED_API cudaError_t cudaFreeHost(void* pointer) {
  return escapingCall("cudaFreeHost",
                      [&](Runtime& runtime) { return release(runtime, pointer, true); });
}

GPUSCHED_API cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return apiCall("cudaHostRegister", [&](Runtime& runtime) {
    if (!pointer || bytes == 0)
      return cudaErrorInvalidValue;
    if (!runtime.memory().adopt(pointer, bytes, cpu::MemoryKind::Registered))
      return cudaErrorHostMemoryAlreadyRegistered;
    hostFlags().set(pointer, flags | cudaHostRegisterMapped);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaHostUnregister(void* pointer) {
  return apiCall("cudaHostUnregister", [&](Runtime& runtime) {
    cudaError_t error = runtime.synchronizeDevice();
    std::optional<cpu::Allocation> found = runtime.memory().find(pointer);
    if (!found || found->base != pointer || found->kind != cpu::MemoryKind::Registered)
      return cudaErrorHostMemoryNotRegistered;
    runtime.memory().free(pointer);
    return error;
  });
}

static bool isPinned(const std::optional<cpu::Allocation>& found) {
  return found &&
         (found->kind == cpu::MemoryKind::Pinned || found->kind == cpu::MemoryKind::Registered);
}

GPUSCHED_API cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return apiCall("cudaHostGetDevicePointer", [&](Runtime& runtime) {
    if (!device || flags != 0 || !isPinned(runtime.memory().find(host)))
      return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return apiCall("cudaHostGetFlags", [&](Runtime& runtime) {
    std::optional<cpu::Allocation> found = runtime.memory().find(host);
    if (!flags || !isPinned(found))
      return cudaErrorInvalidValue;
    *flags = hostFlags().get(found->base);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return apiCall("cudaMemGetInfo", [&](Runtime& runtime) {
    uint64_t capacity = runtime.memory().capacity();
    if (free)
      *free = capacity - std::min(capacity, runtime.memory().used());
    if (total)
      *total = capacity;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes,
                                                  const void* pointer) {
  return apiCall("cudaPointerGetAttributes", [&](Runtime& runtime) {
    if (!attributes)
      return cudaErrorInvalidValue;
    *attributes = {};
    void* address = const_cast<void*>(pointer);
    std::optional<cpu::Allocation> found = runtime.memory().find(pointer);
    if (!found) {
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = cudaInvalidDeviceId;
      attributes->hostPointer = address;
      return cudaSuccess;
    }
    attributes->devicePointer = address;
    if (isPinned(found) || found->kind == cpu::MemoryKind::Managed)
      attributes->hostPointer = address;
    attributes->type = isPinned(found)                           ? cudaMemoryTypeHost
                       : found->kind == cpu::MemoryKind::Managed ? cudaMemoryTypeManaged
                                                                 : cudaMemoryTypeDevice;
    return cudaSuccess;
  });
}

/// Managed memory is always where it is needed; only the range is checked.
static cudaError_t checkManagedRange(Runtime& runtime, const void* pointer, size_t bytes) {
  std::optional<cpu::Allocation> found = runtime.memory().find(pointer);
  if (!found || found->kind != cpu::MemoryKind::Managed || bytes == 0 || bytes > found->bytes)
    return cudaErrorInvalidValue;
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation,
                                              unsigned, cudaStream_t handle) {
  return streamCall("cudaMemPrefetchAsync", handle, [&](Runtime& runtime, const StreamRef&) {
    return checkManagedRange(runtime, pointer, bytes);
  });
}

GPUSCHED_API cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise,
                                       cudaMemLocation) {
  return apiCall("cudaMemAdvise",
                 [&](Runtime& runtime) { return checkManagedRange(runtime, pointer, bytes); });
}
