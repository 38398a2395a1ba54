// ApiPool.cpp - memory pools: handles with attributes over the one allocator.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pools exist so that programs which tune them run; memory is returned to the host at once, so a
// pool never holds memory back and its release threshold changes nothing.
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/CurrentDevice.h"

#include <cstring>
#include <set>

using namespace gpusched::cudart;

namespace {
struct Pool {
  uint64_t releaseThreshold = 0;
  int reuse[3] = {1, 1, 1}; // by cudaMemPoolAttr from cudaMemPoolReuseFollowEventDependencies
};
struct Pools {
  std::mutex mutex;
  Pool standard;
  cudaMemPool_t current = nullptr;
  std::set<cudaMemPool_t> created;
};
} // namespace

static Pools& pools() {
  static Pools* const kPools = new Pools;
  return *kPools;
}

static cudaMemPool_t standardPool() {
  return reinterpret_cast<cudaMemPool_t>(&pools().standard);
}

static bool isPool(cudaMemPool_t pool) {
  std::lock_guard<std::mutex> lock(pools().mutex);
  return pool == standardPool() || pools().created.count(pool);
}

template <class Body>
static cudaError_t poolCall(const char* function, cudaMemPool_t handle, Body&& body) {
  return apiCall(function, [&](Runtime& runtime) {
    return isPool(handle) ? body(runtime, *reinterpret_cast<Pool*>(handle)) : cudaErrorInvalidValue;
  });
}

GPUSCHED_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return apiCall("cudaDeviceGetDefaultMemPool", [&](Runtime&) {
    if (!isDevice(device))
      return cudaErrorInvalidDevice;
    *pool = standardPool();
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  cudaError_t error = cudaDeviceGetDefaultMemPool(pool, device);
  std::lock_guard<std::mutex> lock(pools().mutex);
  if (error == cudaSuccess && pools().current)
    *pool = pools().current;
  return error;
}

GPUSCHED_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return poolCall("cudaDeviceSetMemPool", pool, [&](Runtime&, Pool&) {
    if (!isDevice(device))
      return cudaErrorInvalidDevice;
    std::lock_guard<std::mutex> lock(pools().mutex);
    pools().current = pool;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  return apiCall("cudaMemPoolCreate", [&](Runtime&) {
    *pool = reinterpret_cast<cudaMemPool_t>(new Pool);
    std::lock_guard<std::mutex> lock(pools().mutex);
    pools().created.insert(*pool);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return poolCall("cudaMemPoolDestroy", handle, [&](Runtime&, Pool& pool) {
    std::lock_guard<std::mutex> lock(pools().mutex);
    if (pools().created.erase(handle) == 0)
      return cudaErrorInvalidValue;
    if (pools().current == handle)
      pools().current = nullptr;
    delete &pool;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t) {
  return poolCall("cudaMemPoolTrimTo", handle, [](Runtime&, Pool&) { return cudaSuccess; });
}

static bool isReuse(cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies &&
         attribute <= cudaMemPoolReuseAllowInternalDependencies;
}

GPUSCHED_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute,
                                                 void* value) {
  return poolCall("cudaMemPoolSetAttribute", handle, [&](Runtime&, Pool& pool) {
    if (isReuse(attribute))
      pool.reuse[attribute - cudaMemPoolReuseFollowEventDependencies] = *static_cast<int*>(value);
    else if (attribute == cudaMemPoolAttrReleaseThreshold)
      std::memcpy(&pool.releaseThreshold, value, sizeof pool.releaseThreshold);
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute,
                                                 void* value) {
  return poolCall("cudaMemPoolGetAttribute", handle, [&](Runtime& runtime, Pool& pool) {
    if (isReuse(attribute))
      *static_cast<int*>(value) = pool.reuse[attribute - cudaMemPoolReuseFollowEventDependencies];
    else if (attribute == cudaMemPoolAttrReleaseThreshold)
      std::memcpy(value, &pool.releaseThreshold, sizeof pool.releaseThreshold);
    else
      *static_cast<uint64_t*>(value) = runtime.memory().used();
    return cudaSuccess;
  });
}

/// There is one device, and it always has access.
GPUSCHED_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc*,
                                              size_t) {
  return poolCall("cudaMemPoolSetAccess", handle, [](Runtime&, Pool&) { return cudaSuccess; });
}

GPUSCHED_API cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool,
                                                 cudaStream_t stream) {
  if (!isPool(pool))
    return recordError("cudaMallocFromPoolAsync", cudaErrorInvalidValue);
  return cudaMallocAsync(pointer, bytes, stream);
}

static bool isDevice(const cudaMemLocation* location) {
  return location && location->type == cudaMemLocationTypeDevice && location->id == 0;
}

GPUSCHED_API cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle,
                                              cudaMemLocation* location) {
  return poolCall("cudaMemPoolGetAccess", handle, [&](Runtime&, Pool&) {
    *flags = isDevice(location) ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}

GPUSCHED_API cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                                                  cudaMemAllocationType) {
  return cudaDeviceGetDefaultMemPool(pool, isDevice(location) ? 0 : -1);
}

GPUSCHED_API cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                                           cudaMemAllocationType) {
  return cudaDeviceGetMemPool(pool, isDevice(location) ? 0 : -1);
}

GPUSCHED_API cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType,
                                           cudaMemPool_t pool) {
  return cudaDeviceSetMemPool(isDevice(location) ? 0 : -1, pool);
}
