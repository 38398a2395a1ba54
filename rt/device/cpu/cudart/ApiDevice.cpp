// ApiDevice.cpp - the device: selection, properties, limits, synchronisation, versions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One device, or several alike with peer access (CurrentDevice.h). Inter-process handles are
// answered as on a machine with one GPU.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/CurrentDevice.h"
#include "rt/device/cpu/cudart/DeviceProperties.h"
#include "rt/support/Log.h"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

using namespace gpusched;
using namespace gpusched::cudart;

static constexpr char kPciBusId[] = "0000:%02x:00.0"; // bus: 1 + device

template <class Body> static cudaError_t deviceCall(const char* function, int device, Body&& body) {
  return apiCall(function, [&](Runtime& runtime) {
    return isDevice(device) ? body(runtime) : cudaErrorInvalidDevice;
  });
}

GPUSCHED_API cudaError_t cudaGetDeviceCount(int* count) {
  return apiCall("cudaGetDeviceCount", [&](Runtime&) {
    *count = deviceCount();
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaGetDevice(int* device) {
  return apiCall("cudaGetDevice", [&](Runtime&) {
    *device = currentDevice();
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaSetDevice(int device) {
  return deviceCall("cudaSetDevice", device, [&](Runtime&) {
    makeCurrent(device);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return deviceCall("cudaInitDevice", device, [](Runtime&) { return cudaSuccess; });
}

GPUSCHED_API cudaError_t cudaSetValidDevices(int* devices, int count) {
  return apiCall("cudaSetValidDevices", [&](Runtime&) {
    for (int i = 0; i < count; ++i)
      if (!isDevice(devices[i]))
        return cudaErrorInvalidDevice;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) {
  return apiCall("cudaChooseDevice", [&](Runtime&) {
    *device = 0; // all are alike
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return deviceCall("cudaGetDeviceProperties", device, [&](Runtime& runtime) {
    *properties = deviceProperties(runtime.description(), device);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return deviceCall("cudaDeviceGetAttribute", device, [&](Runtime& runtime) {
    std::optional<int> known = deviceAttribute(runtime.description(), attribute, device);
    if (!known || !value)
      return cudaErrorInvalidValue;
    *value = *known;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaDeviceSynchronize() {
  return apiCall("cudaDeviceSynchronize",
                 [](Runtime& runtime) { return runtime.synchronizeDevice(); });
}

/// Waits for the device and clears a failure. Allocations stay: pointers into them may be held by
/// static objects of the program, and freeing them gains nothing.
GPUSCHED_API cudaError_t cudaDeviceReset() {
  return apiQuery("cudaDeviceReset", [] {
    if (Runtime* runtime = Runtime::existing()) {
      runtime->synchronizeDevice();
      runtime->failure.reset();
      ++runtime->resets;
    }
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return apiCall("cudaSetDeviceFlags", [&](Runtime& runtime) {
    if (flags & ~unsigned(cudaDeviceMask))
      return cudaErrorInvalidValue;
    runtime.deviceFlags = flags;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return apiCall("cudaGetDeviceFlags", [&](Runtime& runtime) {
    *flags = runtime.deviceFlags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return apiCall("cudaDeviceSetLimit", [&](Runtime& runtime) {
    if (unsigned(limit) >= runtime.limits.size())
      return cudaErrorUnsupportedLimit;
    runtime.limits[limit] = value;
    if (limit == cudaLimitMallocHeapSize)
      runtime.gpu->setHeapLimit(value);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return apiCall("cudaDeviceGetLimit", [&](Runtime& runtime) {
    if (unsigned(limit) >= runtime.limits.size())
      return cudaErrorUnsupportedLimit;
    *value = runtime.limits[limit];
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return apiCall("cudaDeviceSetCacheConfig", [&](Runtime& runtime) {
    runtime.cacheConfig = config;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return apiCall("cudaDeviceGetCacheConfig", [&](Runtime& runtime) {
    *config = runtime.cacheConfig;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  *config = cudaSharedMemBankSizeFourByte;
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaCtxResetPersistingL2Cache() {
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return deviceCall("cudaDeviceGetPCIBusId", device, [&](Runtime&) {
    char name[sizeof kPciBusId];
    int needed = 1 + std::snprintf(name, sizeof name, kPciBusId, 1 + device);
    if (!text || length < needed)
      return cudaErrorInvalidValue;
    std::memcpy(text, name, size_t(needed));
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return apiCall("cudaDeviceGetByPCIBusId", [&](Runtime&) {
    unsigned domain = 0, bus = 0, slot = 0;
    bool parsed = std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot) == 3 ||
                  (domain = 0, std::sscanf(text, "%x:%x", &bus, &slot) == 2);
    if (!parsed || domain != 0 || !isDevice(int(bus) - 1) || slot != 0)
      return cudaErrorInvalidDevice;
    *device = int(bus) - 1;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return apiCall("cudaDeviceCanAccessPeer", [&](Runtime&) {
    if (!isDevice(device) || !isDevice(peer))
      return cudaErrorInvalidDevice;
    *can = device != peer;
    return cudaSuccess;
  });
}

static cudaError_t peerAccess(const char* function, int peer, bool enabled) {
  static std::mutex mutex;
  static std::set<std::pair<int, int>>* const granted = new std::set<std::pair<int, int>>;
  return apiCall(function, [&](Runtime&) {
    if (!isDevice(peer) || peer == currentDevice())
      return cudaErrorInvalidDevice;
    std::lock_guard<std::mutex> lock(mutex);
    const std::pair<int, int> pair(currentDevice(), peer);
    if (enabled)
      return granted->insert(pair).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
    return granted->erase(pair) ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

GPUSCHED_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return peerAccess("cudaDeviceEnablePeerAccess", peer, true);
}

GPUSCHED_API cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return peerAccess("cudaDeviceDisablePeerAccess", peer, false);
}

GPUSCHED_API cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaProfilerStart() {
  return cudaSuccess;
}
GPUSCHED_API cudaError_t cudaProfilerStop() {
  return cudaSuccess;
}

GPUSCHED_API cudaError_t cudaDeviceGetP2PAttribute(int*, cudaDeviceP2PAttr, int, int) {
  return apiCall("cudaDeviceGetP2PAttribute", [](Runtime&) { return cudaErrorInvalidDevice; });
}

/// Another process has its own cpu device and shares no memory with this one.
static cudaError_t noSharing(const char* function) {
  return apiCall(function, [&](Runtime&) {
    log(LogLevel::Warning, "%s: the cpu device cannot share memory or events between processes",
        function);
    return cudaErrorNotSupported;
  });
}

GPUSCHED_API cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) {
  return noSharing("cudaIpcGetMemHandle");
}
GPUSCHED_API cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned) {
  return noSharing("cudaIpcOpenMemHandle");
}
GPUSCHED_API cudaError_t cudaIpcCloseMemHandle(void*) {
  return noSharing("cudaIpcCloseMemHandle");
}
GPUSCHED_API cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
  return noSharing("cudaIpcGetEventHandle");
}
GPUSCHED_API cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
  return noSharing("cudaIpcOpenEventHandle");
}
