// FakeCuda.cpp - a libcuda.so.1 with one device, FAKE_NAME (default NVIDIA H200) of compute
// capability FAKE_MAJOR.0 (default 9).
#include "test/gpu/fakes/Script.h"

#include <cuda.h>

#include <cstring>

static int attribute(CUdevice_attribute which) {
  switch (which) {
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return 66; // half an H200: nothing may assume 132
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
    return 2048;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
    return 233472;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: {
    const char* given = std::getenv("FAKE_MAJOR");
    return given ? std::atoi(given) : 9;
  }
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
    return 3201000;
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
    return 6144;
  default:
    return 0;
  }
}

extern "C" {
CUresult cuInit(unsigned) {
  return CUresult(scripted("cuInit"));
}
CUresult cuDriverGetVersion(int* version) {
  const char* said = std::getenv("FAKE_DRIVER_VERSION");
  *version = said ? std::atoi(said) : 13000;
  return CUresult(scripted("cuDriverGetVersion"));
}
CUresult cuDeviceGetCount(int* count) {
  const char* devices = std::getenv("FAKE_DEVICES");
  *count = devices ? std::atoi(devices) : 1;
  return CUresult(scripted("cuDeviceGetCount"));
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUresult(scripted("cuDeviceGet"));
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  const char* given = std::getenv("FAKE_NAME");
  std::snprintf(name, size_t(size), "%s", given ? given : "NVIDIA H200");
  return CUresult(scripted("cuDeviceGetName"));
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  *value = attribute(which);
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  *bytes = size_t(64) << 30;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = reinterpret_cast<CUcontext>(0x10);
  return CUresult(scripted("cuDevicePrimaryCtxRetain"));
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  return CUresult(scripted("cuDevicePrimaryCtxRelease_v2"));
}
CUresult cuCtxSetCurrent(CUcontext) {
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult result, const char** name) {
  *name = result == CUDA_ERROR_SYSTEM_NOT_READY ? "CUDA_ERROR_SYSTEM_NOT_READY" : "CUDA_ERROR";
  return CUDA_SUCCESS;
}
}
