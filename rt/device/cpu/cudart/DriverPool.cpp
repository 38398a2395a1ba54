// DriverPool.cpp - driver functions: memory pools, managed memory's hints, what a pointer is.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/DriverCall.h"

#include <cstring>

using namespace gpusched;
using namespace gpusched::cudart;

GPUSCHED_DRIVER cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return driverResult(cudaDeviceGetDefaultMemPool(pool, device));
}

GPUSCHED_DRIVER cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return driverResult(cudaDeviceGetMemPool(pool, device));
}

GPUSCHED_DRIVER cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return driverResult(cudaDeviceSetMemPool(device, pool));
}

GPUSCHED_DRIVER cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  static_assert(sizeof *properties == sizeof(cudaMemPoolProps));
  return driverResult(
      cudaMemPoolCreate(pool, reinterpret_cast<const cudaMemPoolProps*>(properties)));
}

GPUSCHED_DRIVER cuMemPoolDestroy(CUmemoryPool pool) {
  return driverResult(cudaMemPoolDestroy(pool));
}

GPUSCHED_DRIVER cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes) {
  return driverResult(cudaMemPoolTrimTo(pool, bytes));
}

GPUSCHED_DRIVER cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                      void* value) {
  return driverResult(cudaMemPoolSetAttribute(pool, cudaMemPoolAttr(attribute), value));
}

GPUSCHED_DRIVER cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                      void* value) {
  return driverResult(cudaMemPoolGetAttribute(pool, cudaMemPoolAttr(attribute), value));
}

GPUSCHED_DRIVER cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, size_t count) {
  static_assert(sizeof *access == sizeof(cudaMemAccessDesc));
  return driverResult(
      cudaMemPoolSetAccess(pool, reinterpret_cast<const cudaMemAccessDesc*>(access), count));
}

GPUSCHED_DRIVER cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool,
                                        CUstream stream) {
  return driverResult(
      cudaMallocFromPoolAsync(reinterpret_cast<void**>(address), bytes, pool, stream));
}

static cudaMemLocation placeOf(const CUmemLocation& location) {
  return {cudaMemLocationType(location.type), location.id};
}

GPUSCHED_DRIVER cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUmemLocation location,
                                   unsigned flags, CUstream stream) {
  return driverResult(
      cudaMemPrefetchAsync(hostPointer(address), bytes, placeOf(location), flags, stream));
}

GPUSCHED_DRIVER cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                            CUmemLocation location) {
  return driverResult(
      cudaMemAdvise(hostPointer(address), bytes, cudaMemoryAdvise(advice), placeOf(location)));
}

GPUSCHED_DRIVER cuMemHostGetFlags(unsigned* flags, void* host) {
  return driverResult(cudaHostGetFlags(flags, host));
}

// What a pointer is. Addresses are the same everywhere.

template <class Value> static CUresult give(void* data, Value value) {
  *static_cast<Value*>(data) = value;
  return CUDA_SUCCESS;
}

/// CUDA_ERROR_INVALID_VALUE: no attribute that is known here.
static CUresult attributeOf(const cpu::Allocation& allocation, CUdeviceptr address,
                            CUpointer_attribute attribute, void* data) {
  const bool pinned =
      allocation.kind == cpu::MemoryKind::Pinned || allocation.kind == cpu::MemoryKind::Registered;
  const bool managed = allocation.kind == cpu::MemoryKind::Managed;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT: {
    CUcontext context = nullptr;
    cuCtxGetCurrent(&context);
    return give(data, context);
  }
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return give(data, unsigned(pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE));
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    return give(data, address);
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!pinned && !managed)
      return CUDA_ERROR_INVALID_VALUE;
    return give(data, hostPointer(address));
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    return give(data, reinterpret_cast<unsigned long long>(allocation.base));
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    return give(data, unsigned(managed));
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return give(data, 1u);
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    return give(data, 0u);
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return give(data, 0);
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    return give(data, reinterpret_cast<CUdeviceptr>(allocation.base));
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    return give(data, size_t(allocation.bytes));
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    return give(data, uint64_t(0));
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

GPUSCHED_DRIVER cuPointerGetAttribute(void* data, CUpointer_attribute attribute,
                                      CUdeviceptr address) {
  return driverResult(apiCall("cuPointerGetAttribute", [&](Runtime& runtime) {
    const std::optional<cpu::Allocation> found = runtime.memory().find(hostPointer(address));
    if (!found || !data)
      return cudaErrorInvalidValue;
    return cudaError_t(attributeOf(*found, address, attribute, data));
  }));
}

static size_t bytesOf(CUpointer_attribute attribute) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_MAPPED:
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return sizeof(unsigned);
  default:
    return sizeof(uint64_t);
  }
}

/// What has no answer, for this pointer or for any, is zero: no error, as in CUDA.
GPUSCHED_DRIVER cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data,
                                       CUdeviceptr address) {
  return driverResult(apiCall("cuPointerGetAttributes", [&](Runtime& runtime) {
    if (!attributes || !data)
      return cudaErrorInvalidValue;
    const std::optional<cpu::Allocation> found = runtime.memory().find(hostPointer(address));
    for (unsigned i = 0; i < count; ++i)
      if (!found || attributeOf(*found, address, attributes[i], data[i]) != CUDA_SUCCESS)
        std::memset(data[i], 0, bytesOf(attributes[i]));
    return cudaSuccess;
  }));
}
