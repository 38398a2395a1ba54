// Libraries and kernels of the driver API, launches with attributes, what pointers are, pools.
// RUN: %nvcc -arch=sm_90 -ptx -DDEVICE %s -o %t.ptx
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t %t.ptx
#ifdef DEVICE
__device__ int offset = 5;
extern "C" __global__ void scale(int* data, int factor) {
  data[threadIdx.x] = data[threadIdx.x] * factor + offset;
}
extern "C" __global__ void ranks(int* data) {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  data[blockIdx.x] = int(rank) + 10;
}
#else
#include "Inputs/Driver.h"

#include <cstring>

static void checkKernels(CUlibrary library, CUdeviceptr data) {
  unsigned count = 0;
  CHECK_CU(cuLibraryGetKernelCount, &count, library);
  CHECK_IS(count, 2u);
  CUkernel all[2], scale;
  CHECK_CU(cuLibraryEnumerateKernels, all, 2, library);
  CHECK_CU(cuLibraryGetKernel, &scale, library, "scale");
  CHECK_TRUE(scale == all[0] || scale == all[1]);
  CHECK_IS(DRIVER(cuLibraryGetKernel)(&scale, library, "missing"), CUDA_ERROR_NOT_FOUND);
  CHECK_CU(cuLibraryGetKernel, &scale, library, "scale");
  const char* name = nullptr;
  CHECK_CU(cuKernelGetName, &name, scale);
  CHECK_IS(std::strcmp(name, "scale"), 0);
  CUfunction function;
  CUmodule module, same;
  CHECK_CU(cuKernelGetFunction, &function, scale);
  CHECK_CU(cuFuncGetModule, &module, function);
  CHECK_CU(cuLibraryGetModule, &same, library);
  CHECK_TRUE(module == same);
  size_t at = 0, bytes = 0;
  CHECK_CU(cuFuncGetParamInfo, function, 1, &at, &bytes);
  CHECK_TRUE(at == 8 && bytes == 4);
  int threads = 0;
  CHECK_CU(cuKernelGetAttribute, &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale, 0);
  CHECK_IS(threads, 1024);

  // A CUkernel may stand for its CUfunction; arguments in a buffer.
  struct {
    CUdeviceptr data;
    int factor;
  } packed = {data, 3};
  size_t size = 12;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 16, config.blockDimY = config.blockDimZ = 1;
  CHECK_CU(cuMemsetD2D32, data, 8 * sizeof(int), 7, 8, 2); // two rows of eight
  CHECK_CU(cuLaunchKernelEx, &config, reinterpret_cast<CUfunction>(scale), nullptr, extra);
  int host[16];
  CHECK_CU(cuMemcpyDtoH, host, data, sizeof host);
  for (int value : host)
    CHECK_IS(value, 7 * 3 + 5);
}

static void checkClusters(CUlibrary library, CUdeviceptr data) {
  CUkernel ranks;
  CHECK_CU(cuLibraryGetKernel, &ranks, library, "ranks");
  CUlaunchAttribute cluster = {};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {2, 1, 1};
  CUlaunchConfig config = {4, 1, 1, 32, 1, 1, 0, nullptr, &cluster, 1};
  void* arguments[] = {&data};
  CHECK_CU(cuLaunchKernelEx, &config, reinterpret_cast<CUfunction>(ranks), arguments, nullptr);
  int host[4];
  CHECK_CU(cuMemcpyDtoH, host, data, sizeof host);
  for (int i = 0; i < 4; ++i)
    CHECK_IS(host[i], 10 + i % 2);
}

static void checkPointers(CUdeviceptr data, size_t bytes) {
  CUdeviceptr start = 0, device = 0;
  size_t size = 0;
  unsigned kind = 0, managed = 7;
  CHECK_CU(cuPointerGetAttribute, &start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, data + 8);
  CHECK_IS(start, data);
  CUpointer_attribute attributes[] = {CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                      CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                      CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void* values[] = {&size, &kind, &managed};
  CHECK_CU(cuPointerGetAttributes, 3, attributes, values, data);
  CHECK_TRUE(size == bytes && kind == CU_MEMORYTYPE_DEVICE && managed == 0);
  const CUdeviceptr local = reinterpret_cast<CUdeviceptr>(&size);
  CHECK_IS(DRIVER(cuPointerGetAttribute)(&device, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, local),
           CUDA_ERROR_INVALID_VALUE);
  CHECK_CU(cuPointerGetAttributes, 3, attributes, values, local); // no error: zeroes
  CHECK_TRUE(size == 0 && kind == 0 && managed == 0);
}

static void checkPools() {
  CUmemoryPool pool;
  CUdeviceptr memory;
  CHECK_CU(cuDeviceGetDefaultMemPool, &pool, 0);
  CHECK_CU(cuMemAllocFromPoolAsync, &memory, 256, pool, nullptr);
  CHECK_CU(cuMemsetD16Async, memory, 3, 128, nullptr);
  CHECK_CU(cuMemFreeAsync, memory, nullptr);
  CHECK_CU(cuCtxSynchronize);
}

int main(int, char** arguments) {
  CUcontext context;
  CUlibrary library;
  CUdeviceptr data, offset;
  size_t bytes;
  CHECK_CU(cuInit, 0);
  CHECK_CU(cuCtxCreate, &context, nullptr, 0, 0);
  char said[16] = "unset";
  CUjit_option logs[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
  void* log[] = {said, reinterpret_cast<void*>(sizeof said)};
  CHECK_CU(cuLibraryLoadFromFile, &library, arguments[1], logs, log, 2, nullptr, nullptr, 0);
  CHECK_TRUE(said[0] == 0 && !log[1]);
  CHECK_CU(cuLibraryGetGlobal, &offset, &bytes, library, "offset");
  CHECK_IS(bytes, sizeof(int));
  CHECK_CU(cuMemAlloc, &data, 64);
  checkKernels(library, data);
  checkClusters(library, data);
  checkPointers(data, 64);
  checkPools();
  CHECK_CU(cuLibraryUnload, library);
  CHECK_IS(DRIVER(cuLibraryUnload)(library), CUDA_ERROR_INVALID_HANDLE);
}
#endif
