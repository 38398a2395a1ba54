// DriverContext.cpp - driver functions: initialisation, devices, contexts, errors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All contexts share the device's memory, modules and streams; what a context has of its own is
// its place on the calling thread's stack. Destroying one frees nothing else.
#include "rt/device/cpu/cudart/CurrentDevice.h"
#include "rt/device/cpu/cudart/DriverCall.h"
#include "rt/device/cpu/cudart/ErrorText.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

using namespace gpusched::cudart;

GPUSCHED_DRIVER cuGetErrorString(CUresult error, const char** text) {
  *text = errorText(cudaError_t(error)).description;
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuGetErrorName(CUresult error, const char** text) {
  *text = nullptr;
  switch (error) {
#define GPUSCHED_ERROR(NAME)                                                                       \
  case NAME:                                                                                       \
    *text = #NAME;                                                                                 \
    break;
#include "rt/device/cpu/cudart/DriverErrors.def"
#undef GPUSCHED_ERROR
  }
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

GPUSCHED_DRIVER cuInit(unsigned) {
  return Runtime::instance() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

GPUSCHED_DRIVER cuDriverGetVersion(int* version) {
  return driverResult(cudaDriverGetVersion(version));
}

GPUSCHED_DRIVER cuDeviceGetCount(int* count) {
  return driverResult(cudaGetDeviceCount(count));
}

GPUSCHED_DRIVER cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return isDevice(ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

GPUSCHED_DRIVER cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return driverResult(cudaDeviceGetAttribute(value, cudaDeviceAttr(attribute), device));
}

GPUSCHED_DRIVER cuDeviceGetName(char* name, int length, CUdevice device) {
  cudaDeviceProp properties;
  cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess && length > 0) {
    std::strncpy(name, properties.name, size_t(length) - 1);
    name[length - 1] = 0;
  }
  return driverResult(error);
}

GPUSCHED_DRIVER cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  cudaDeviceProp properties;
  cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error == cudaSuccess)
    std::memcpy(uuid, &properties.uuid, sizeof *uuid);
  return driverResult(error);
}

GPUSCHED_DRIVER cuDeviceTotalMem(size_t* bytes, CUdevice) {
  return driverResult(cudaMemGetInfo(nullptr, bytes));
}

GPUSCHED_DRIVER cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  CUresult error =
      cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  return error != CUDA_SUCCESS
             ? error
             : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

GPUSCHED_DRIVER cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return driverResult(cudaDeviceCanAccessPeer(can, device, peer));
}

GPUSCHED_DRIVER cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  return driverResult(cudaDeviceGetPCIBusId(text, length, device));
}

GPUSCHED_DRIVER cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  return driverResult(cudaDeviceGetByPCIBusId(device, text));
}

GPUSCHED_DRIVER cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute,
                                        CUdevice device, CUdevice peer) {
  return driverResult(cudaDeviceGetP2PAttribute(value, cudaDeviceP2PAttr(attribute), device, peer));
}

GPUSCHED_DRIVER cuDeviceGetProperties(CUdevprop* some, CUdevice device) {
  cudaDeviceProp all;
  const cudaError_t error = cudaGetDeviceProperties(&all, device);
  if (error != cudaSuccess)
    return driverResult(error);
  some->maxThreadsPerBlock = all.maxThreadsPerBlock;
  std::copy_n(all.maxThreadsDim, 3, some->maxThreadsDim);
  std::copy_n(all.maxGridSize, 3, some->maxGridSize);
  some->sharedMemPerBlock = int(all.sharedMemPerBlock);
  some->totalConstantMemory = int(all.totalConstMem);
  some->SIMDWidth = all.warpSize;
  some->memPitch = int(all.memPitch);
  some->regsPerBlock = all.regsPerBlock;
  some->textureAlign = int(all.textureAlignment);
  return driverResult(cudaDeviceGetAttribute(&some->clockRate, cudaDevAttrClockRate, device));
}

/// There is nothing to profile.
GPUSCHED_DRIVER cuProfilerStart() {
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuProfilerStop() {
  return CUDA_SUCCESS;
}

/// The driver's private tables; who asks for one does without (NVRTC does).
GPUSCHED_DRIVER cuGetExportTable(const void** table, const CUuuid*) {
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

namespace {
struct Contexts {
  std::mutex mutex;
  std::map<CUcontext, int> live; // and their devices
};
} // namespace

static Contexts& contexts() {
  static Contexts* const kContexts = new Contexts;
  return *kContexts;
}

/// The thread has set the primary context aside that it never pushed.
static thread_local bool hasNoContext = false;

/// Never destroyed: static destructors call in after the thread's destructors ran.
static std::vector<CUcontext>& contextStack() {
  static thread_local std::vector<CUcontext>* const stack = new std::vector<CUcontext>;
  return *stack;
}

/// The runtime's own, one a device.
static CUcontext primaryContext(int device = currentDevice()) {
  static char all[kMostDevices];
  return reinterpret_cast<CUcontext>(&all[device]);
}

/// Of a primary or a live context; -1: it is neither.
static int deviceOf(CUcontext context) {
  for (int device = 0; device < deviceCount(); ++device)
    if (context == primaryContext(device))
      return device;
  std::lock_guard<std::mutex> lock(contexts().mutex);
  auto found = contexts().live.find(context);
  return found == contexts().live.end() ? -1 : found->second;
}

static bool isContext(CUcontext context) {
  return deviceOf(context) >= 0;
}

/// The runtime's current device is that of the current context.
static void followStack() {
  hasNoContext = false;
  if (!contextStack().empty())
    makeCurrent(deviceOf(contextStack().back()));
}

GPUSCHED_DRIVER cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned, CUdevice device) {
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = reinterpret_cast<CUcontext>(new char);
  std::lock_guard<std::mutex> lock(contexts().mutex);
  contexts().live.emplace(*context, device);
  contextStack().push_back(*context);
  makeCurrent(device);
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuCtxDestroy(CUcontext context) {
  cudaError_t error = cudaDeviceSynchronize();
  {
    std::lock_guard<std::mutex> lock(contexts().mutex);
    if (contexts().live.erase(context) == 0)
      return CUDA_ERROR_INVALID_CONTEXT;
  }
  std::erase(contextStack(), context);
  delete reinterpret_cast<char*>(context);
  return driverResult(error);
}

GPUSCHED_DRIVER cuCtxPushCurrent(CUcontext context) {
  if (!isContext(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  contextStack().push_back(context);
  followStack();
  return CUDA_SUCCESS;
}

/// What cuCtxGetCurrent tells of can be popped, also if nobody pushed it.
GPUSCHED_DRIVER cuCtxPopCurrent(CUcontext* context) {
  const bool pushed = !contextStack().empty();
  if (!pushed && hasNoContext)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context)
    *context = pushed ? contextStack().back() : primaryContext();
  if (pushed)
    contextStack().pop_back();
  followStack();
  hasNoContext = !pushed;
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuCtxSetCurrent(CUcontext context) {
  if (context && !isContext(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!contextStack().empty())
    contextStack().pop_back();
  if (context)
    contextStack().push_back(context);
  followStack();
  hasNoContext = !context && contextStack().empty();
  return CUDA_SUCCESS;
}

/// The primary context where there is none: runtime calls make it current. Who pops that, or sets
/// null, has none until the next one is set.
GPUSCHED_DRIVER cuCtxGetCurrent(CUcontext* context) {
  *context = hasNoContext ? nullptr : primaryContext();
  if (!contextStack().empty() && deviceOf(contextStack().back()) == currentDevice())
    *context = contextStack().back(); // cudaSetDevice to another device leaves the stack
  return CUDA_SUCCESS;
}

/// A reset ends all contexts and their numbers.
GPUSCHED_DRIVER cuCtxGetId(CUcontext context, unsigned long long* id) {
  Runtime* runtime = Runtime::existing();
  if (!context)
    cuCtxGetCurrent(&context);
  if (!runtime || !isContext(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  *id = reinterpret_cast<uintptr_t>(context) | uint64_t(runtime->resets.load()) << 48;
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuCtxGetDevice(CUdevice* device) {
  *device = currentDevice();
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuCtxGetApiVersion(CUcontext, unsigned* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuCtxGetFlags(unsigned* flags) {
  return driverResult(cudaGetDeviceFlags(flags));
}

GPUSCHED_DRIVER cuCtxSetLimit(CUlimit limit, size_t value) {
  return driverResult(cudaDeviceSetLimit(cudaLimit(limit), value));
}

GPUSCHED_DRIVER cuCtxGetLimit(size_t* value, CUlimit limit) {
  return driverResult(cudaDeviceGetLimit(value, cudaLimit(limit)));
}

GPUSCHED_DRIVER cuCtxSetCacheConfig(CUfunc_cache config) {
  return driverResult(cudaDeviceSetCacheConfig(cudaFuncCache(config)));
}

GPUSCHED_DRIVER cuCtxGetCacheConfig(CUfunc_cache* config) {
  return driverResult(cudaDeviceGetCacheConfig(reinterpret_cast<cudaFuncCache*>(config)));
}

GPUSCHED_DRIVER cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return isContext(peer) ? driverResult(cudaDeviceEnablePeerAccess(deviceOf(peer), flags))
                         : CUDA_ERROR_INVALID_CONTEXT;
}

GPUSCHED_DRIVER cuCtxDisablePeerAccess(CUcontext peer) {
  return isContext(peer) ? driverResult(cudaDeviceDisablePeerAccess(deviceOf(peer)))
                         : CUDA_ERROR_INVALID_CONTEXT;
}

GPUSCHED_DRIVER cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return driverResult(cudaDeviceGetStreamPriorityRange(least, greatest));
}

GPUSCHED_DRIVER cuCtxSynchronize() {
  return driverResult(cudaDeviceSynchronize());
}

GPUSCHED_DRIVER cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  *context = primaryContext(device);
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuDevicePrimaryCtxRelease(CUdevice) {
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuCtxSetFlags(unsigned flags) {
  return driverResult(cudaSetDeviceFlags(flags));
}

GPUSCHED_DRIVER cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return isDevice(device) ? cuCtxSetFlags(flags) : CUDA_ERROR_INVALID_DEVICE;
}

GPUSCHED_DRIVER cuDevicePrimaryCtxGetState(CUdevice, unsigned* flags, int* active) {
  *active = Runtime::existing() != nullptr;
  return driverResult(cudaGetDeviceFlags(flags));
}

GPUSCHED_DRIVER cuDevicePrimaryCtxReset(CUdevice) {
  return driverResult(cudaDeviceReset());
}
