// DriverVirtual.cpp - driver functions: virtual memory management (VirtualMemory.h).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All devices share one memory, so rights are the same on each: what one may write all may. Memory
// of the host's own (CU_MEM_LOCATION_TYPE_HOST) and sharing by anything but file descriptors are
// not there.
#include "rt/device/cpu/cudart/CurrentDevice.h"
#include "rt/device/cpu/cudart/DriverCall.h"
#include "rt/device/cpu/memory/VirtualMemory.h"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>

using namespace gpusched;
using namespace gpusched::cudart;

namespace {

struct Handle {
  std::shared_ptr<cpu::PhysicalMemory> memory;
  CUmemAllocationProp properties{};
  unsigned references = 1; ///< by cuMemCreate, imports and cuMemRetainAllocationHandle
};

/// A handle is its memory's address. Process-wide and never destroyed. Thread-safe.
class Handles {
public:
  static Handles& instance() {
    static Handles* const kHandles = new Handles;
    return *kHandles;
  }

  CUmemGenericAllocationHandle add(const std::shared_ptr<cpu::PhysicalMemory>& memory,
                                   const CUmemAllocationProp& properties) {
    std::lock_guard lock(mutex_);
    const auto name = reinterpret_cast<CUmemGenericAllocationHandle>(memory.get());
    const auto [handle, isNew] = live_.try_emplace(name, Handle{memory, properties});
    if (!isNew)
      ++handle->second.references;
    return name;
  }

  std::optional<Handle> find(CUmemGenericAllocationHandle name) {
    std::lock_guard lock(mutex_);
    const auto found = live_.find(name);
    return found == live_.end() ? std::nullopt : std::optional(found->second);
  }

  bool release(CUmemGenericAllocationHandle name) {
    std::lock_guard lock(mutex_);
    const auto found = live_.find(name);
    if (found == live_.end())
      return false;
    if (--found->second.references == 0)
      live_.erase(found);
    return true;
  }

private:
  std::mutex mutex_;
  std::map<CUmemGenericAllocationHandle, Handle> live_;
};

} // namespace

static bool isGranular(uint64_t bytes) {
  return bytes > 0 && bytes % cpu::kVirtualGranularity == 0;
}

static cudaError_t valid(bool done) {
  return done ? cudaSuccess : cudaErrorInvalidValue;
}

static CUmemAllocationProp deviceMemory(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return properties;
}

static cudaError_t refused(const CUmemAllocationProp* properties) {
  if (!properties || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
      properties->location.type == CU_MEM_LOCATION_TYPE_INVALID)
    return cudaErrorInvalidValue;
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      (properties->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR))
    return cudaErrorNotSupported;
  return isDevice(properties->location.id) ? cudaSuccess : cudaErrorInvalidDevice;
}

GPUSCHED_DRIVER cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* properties,
                                              CUmemAllocationGranularity_flags) {
  return driverResult(apiCall("cuMemGetAllocationGranularity", [&](Runtime&) {
    if (!bytes)
      return cudaErrorInvalidValue;
    *bytes = cpu::kVirtualGranularity;
    return refused(properties);
  }));
}

GPUSCHED_DRIVER cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                            const CUmemAllocationProp* properties, unsigned long long flags) {
  return driverResult(escapingCall("cuMemCreate", [&](Runtime& runtime) {
    if (!handle || flags != 0 || !isGranular(bytes))
      return cudaErrorInvalidValue;
    if (const cudaError_t error = refused(properties); error != cudaSuccess)
      return error;
    const auto memory = cpu::PhysicalMemory::create(runtime.memory(), bytes);
    if (!memory)
      return cudaErrorMemoryAllocation;
    *handle = Handles::instance().add(memory, *properties);
    return cudaSuccess;
  }));
}

GPUSCHED_DRIVER cuMemRelease(CUmemGenericAllocationHandle handle) {
  return driverResult(apiCall(
      "cuMemRelease", [&](Runtime&) { return valid(Handles::instance().release(handle)); }));
}

GPUSCHED_DRIVER cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment,
                                    CUdeviceptr wanted, unsigned long long flags) {
  return driverResult(apiCall("cuMemAddressReserve", [&](Runtime& runtime) {
    if (!address || flags != 0 || !isGranular(bytes) ||
        (alignment != 0 && !std::has_single_bit(alignment)))
      return cudaErrorInvalidValue;
    void* const base = runtime.virtualMemory.reserve(
        bytes, std::max<uint64_t>(alignment, cpu::kVirtualGranularity), hostPointer(wanted));
    *address = reinterpret_cast<CUdeviceptr>(base);
    return base ? cudaSuccess : cudaErrorMemoryAllocation;
  }));
}

GPUSCHED_DRIVER cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  return driverResult(apiCall("cuMemAddressFree", [&](Runtime& runtime) {
    return valid(runtime.virtualMemory.release(hostPointer(address), bytes));
  }));
}

GPUSCHED_DRIVER cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                         CUmemGenericAllocationHandle handle, unsigned long long flags) {
  return driverResult(apiCall("cuMemMap", [&](Runtime& runtime) {
    const std::optional<Handle> found = Handles::instance().find(handle);
    return valid(found && offset == 0 && flags == 0 && isGranular(bytes) &&
                 runtime.virtualMemory.map(hostPointer(address), bytes, found->memory));
  }));
}

GPUSCHED_DRIVER cuMemUnmap(CUdeviceptr address, size_t bytes) {
  return driverResult(apiCall("cuMemUnmap", [&](Runtime& runtime) {
    // A copy in flight would fault in the process, not on the device.
    const cudaError_t error = runtime.synchronizeDevice();
    return error != cudaSuccess ? error
                                : valid(runtime.virtualMemory.unmap(hostPointer(address), bytes));
  }));
}

static std::optional<cpu::Rights> rightsOf(CUmemAccess_flags flags) {
  switch (flags) {
  case CU_MEM_ACCESS_FLAGS_PROT_NONE:
    return cpu::Rights::None;
  case CU_MEM_ACCESS_FLAGS_PROT_READ:
    return cpu::Rights::Read;
  case CU_MEM_ACCESS_FLAGS_PROT_READWRITE:
    return cpu::Rights::ReadWrite;
  default:
    return std::nullopt;
  }
}

GPUSCHED_DRIVER cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* wanted,
                               size_t count) {
  return driverResult(apiCall("cuMemSetAccess", [&](Runtime& runtime) {
    cpu::Rights most = cpu::Rights::None;
    for (size_t i = 0; i < count; ++i) {
      const std::optional<cpu::Rights> rights = rightsOf(wanted[i].flags);
      if (!rights)
        return cudaErrorInvalidValue;
      most = std::max(most, *rights);
    }
    return valid(count > 0 && runtime.virtualMemory.allow(hostPointer(address), bytes, most));
  }));
}

GPUSCHED_DRIVER cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location,
                               CUdeviceptr address) {
  return driverResult(apiCall("cuMemGetAccess", [&](Runtime& runtime) {
    const std::optional<cpu::Rights> rights = runtime.virtualMemory.rights(hostPointer(address));
    if (!flags || !location || !rights)
      return cudaErrorInvalidValue;
    *flags = *rights == cpu::Rights::None   ? CU_MEM_ACCESS_FLAGS_PROT_NONE
             : *rights == cpu::Rights::Read ? CU_MEM_ACCESS_FLAGS_PROT_READ
                                            : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return cudaSuccess;
  }));
}

GPUSCHED_DRIVER cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  return driverResult(apiCall("cuMemRetainAllocationHandle", [&](Runtime& runtime) {
    const auto memory = runtime.virtualMemory.at(address);
    if (!handle || !memory)
      return cudaErrorInvalidValue;
    *handle = Handles::instance().add(memory, deviceMemory(currentDevice()));
    return cudaSuccess;
  }));
}

GPUSCHED_DRIVER cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                       CUmemGenericAllocationHandle handle) {
  return driverResult(apiCall("cuMemGetAllocationPropertiesFromHandle", [&](Runtime&) {
    const std::optional<Handle> found = Handles::instance().find(handle);
    if (!found || !properties)
      return cudaErrorInvalidValue;
    *properties = found->properties;
    return cudaSuccess;
  }));
}

GPUSCHED_DRIVER cuMemExportToShareableHandle(void* shared, CUmemGenericAllocationHandle handle,
                                             CUmemAllocationHandleType type,
                                             unsigned long long flags) {
  return driverResult(apiCall("cuMemExportToShareableHandle", [&](Runtime&) {
    const std::optional<Handle> found = Handles::instance().find(handle);
    if (!found || !shared || flags != 0 || !(found->properties.requestedHandleTypes & type))
      return cudaErrorInvalidValue;
    const int file = found->memory->share();
    *static_cast<int*>(shared) = file;
    return file >= 0 ? cudaSuccess : cudaErrorOperatingSystem;
  }));
}

GPUSCHED_DRIVER cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shared,
                                               CUmemAllocationHandleType type) {
  return driverResult(apiCall("cuMemImportFromShareableHandle", [&](Runtime& runtime) {
    if (!handle || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
      return handle ? cudaErrorNotSupported : cudaErrorInvalidValue;
    const int file = int(reinterpret_cast<intptr_t>(shared));
    const auto memory = cpu::PhysicalMemory::import(runtime.memory(), file);
    if (!memory)
      return cudaErrorInvalidValue;
    *handle = Handles::instance().add(memory, deviceMemory(currentDevice()));
    return cudaSuccess;
  }));
}
