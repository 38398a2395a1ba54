// Virtual memory management: memory mapped into a range piece by piece is one allocation to copies, fills and kernels,
// keeps its contents between mappings, may lie in two places, goes to another handle by its file, and faults without rights.
// RUN: %nvcc -arch=sm_90 -ptx -DDEVICE %s -o %t.ptx
// RUN: %nvcc -arch=sm_90 -cudart shared %s -o %t
// RUN: %gpusched run --device=cpu -- %t %t.ptx
// RUN: %gpusched run --device=cpu -- %t %t.ptx read-only 2>&1 | FileCheck %s
// CHECK: illegal
#ifdef DEVICE
extern "C" __global__ void add(int* data, int value) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += value;
}
#else
#include "Inputs/Check.h"

#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <unistd.h>

// Programs that use these functions find them by name, as the driver may be old.
#define FIND(NAME) const auto NAME##_ = reinterpret_cast<decltype(&NAME)>(dlsym(driver, #NAME))

constexpr size_t kPiece = 2 << 20;
constexpr int kThreads = 256, kBlocks = 2 * kPiece / sizeof(int) / kThreads;

int main(int, char** arguments) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  FIND(cuInit);
  FIND(cuDeviceGetAttribute);
  FIND(cuMemGetAllocationGranularity);
  FIND(cuMemCreate);
  FIND(cuMemRelease);
  FIND(cuMemAddressReserve);
  FIND(cuMemAddressFree);
  FIND(cuMemMap);
  FIND(cuMemUnmap);
  FIND(cuMemSetAccess);
  FIND(cuMemGetAccess);
  FIND(cuMemExportToShareableHandle);
  FIND(cuMemImportFromShareableHandle);
  FIND(cuMemRetainAllocationHandle);
  FIND(cuModuleLoad);
  FIND(cuModuleGetFunction);
  FIND(cuLaunchKernel);
  CHECK_IS(cuInit_(0), CUDA_SUCCESS);
  CHECK_IS(cudaFree(nullptr), cudaSuccess);
  int supported = 0;
  CHECK_IS(cuDeviceGetAttribute_(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0), CUDA_SUCCESS);
  CHECK_IS(supported, 1);

  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  size_t granularity = 0, freeBefore = 0, freeAfter = 0, total = 0;
  CHECK_IS(cuMemGetAllocationGranularity_(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM), CUDA_SUCCESS);
  CHECK_IS(granularity, kPiece);
  CHECK_IS(cudaMemGetInfo(&freeBefore, &total), cudaSuccess);
  CUmemGenericAllocationHandle pieces[2], same;
  CHECK_IS(cuMemCreate_(&pieces[0], kPiece + 1, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  for (auto& piece : pieces)
    CHECK_IS(cuMemCreate_(&piece, kPiece, &properties, 0), CUDA_SUCCESS);
  CHECK_IS(cudaMemGetInfo(&freeAfter, &total), cudaSuccess);
  CHECK_IS(freeBefore - freeAfter, 2 * kPiece);

  CUdeviceptr range;
  CHECK_IS(cuMemAddressReserve_(&range, 4 * kPiece, 0, 0, 0), CUDA_SUCCESS);
  CHECK_IS(cuMemMap_(range, kPiece, 0, pieces[0], 0), CUDA_SUCCESS);
  CHECK_IS(cuMemMap_(range, kPiece, 0, pieces[1], 0), CUDA_ERROR_INVALID_VALUE);
  CHECK_IS(cuMemMap_(range + 4 * kPiece, kPiece, 0, pieces[1], 0), CUDA_ERROR_INVALID_VALUE);
  CHECK_IS(cuMemMap_(range + kPiece, kPiece, 0, pieces[1], 0), CUDA_SUCCESS);
  CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CHECK_IS(cuMemSetAccess_(range, 3 * kPiece, &access, 1), CUDA_ERROR_INVALID_VALUE);
  CHECK_IS(cuMemSetAccess_(range, 2 * kPiece, &access, 1), CUDA_SUCCESS);
  unsigned long long flags = 0;
  CHECK_IS(cuMemGetAccess_(&flags, &access.location, range + kPiece), CUDA_SUCCESS);
  CHECK_IS(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  int* const data = reinterpret_cast<int*>(range);
  CHECK_IS(cudaFree(data), cudaErrorInvalidValue);

  CUmodule module;
  CUfunction add;
  CHECK_IS(cuModuleLoad_(&module, arguments[1]), CUDA_SUCCESS);
  CHECK_IS(cuModuleGetFunction_(&add, module, "add"), CUDA_SUCCESS);
  int value = 5;
  void* parameters[] = {&range, &value};
  if (arguments[2]) {
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    CHECK_IS(cuMemSetAccess_(range, 2 * kPiece, &access, 1), CUDA_SUCCESS);
    cuLaunchKernel_(add, kBlocks, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr);
    std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
  }
  CHECK_IS(cudaMemset(data, 1, 2 * kPiece), cudaSuccess);
  CHECK_IS(cuLaunchKernel_(add, kBlocks, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr), CUDA_SUCCESS);
  static int host[2 * kPiece / sizeof(int)];
  CHECK_IS(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
  for (const int word : host)
    CHECK_IS(word, 0x01010101 + 5);

  // The first piece also at the end, by its file; then alone there, with what was written.
  int file = -1;
  CHECK_IS(cuMemExportToShareableHandle_(&file, pieces[0], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), CUDA_SUCCESS);
  CHECK_IS(cuMemImportFromShareableHandle_(&same, reinterpret_cast<void*>(intptr_t(file)), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR), CUDA_SUCCESS);
  CHECK_IS(close(file), 0);
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CHECK_IS(cuMemMap_(range + 3 * kPiece, kPiece, 0, same, 0), CUDA_SUCCESS);
  CHECK_IS(cuMemSetAccess_(range + 3 * kPiece, kPiece, &access, 1), CUDA_SUCCESS);
  CHECK_IS(cudaMemset(data, 7, kPiece), cudaSuccess);
  CHECK_IS(cuMemUnmap_(range, kPiece), CUDA_SUCCESS);
  CHECK_IS(cudaMemcpy(host, data + 3 * kPiece / sizeof(int), 8, cudaMemcpyDeviceToHost), cudaSuccess);
  CHECK_IS(host[1], 0x07070707);
  CHECK_IS(cudaMemcpy(host, data + kPiece / sizeof(int), 4, cudaMemcpyDeviceToHost), cudaSuccess);
  CHECK_IS(host[0], 0x01010101 + 5);

  // Memory is given back with its last handle and its last place.
  CHECK_IS(cuMemRetainAllocationHandle_(&same, data + kPiece / sizeof(int)), CUDA_SUCCESS);
  CHECK_IS(same, pieces[1]);
  CHECK_IS(cuMemAddressFree_(range, 4 * kPiece), CUDA_ERROR_INVALID_VALUE);
  CHECK_IS(cuMemUnmap_(range + kPiece, kPiece), CUDA_SUCCESS);
  CHECK_IS(cuMemRelease_(pieces[1]), CUDA_SUCCESS);
  CHECK_IS(cuMemRelease_(same), CUDA_SUCCESS);
  CHECK_IS(cuMemRelease_(same), CUDA_ERROR_INVALID_VALUE);
  CHECK_IS(cuMemUnmap_(range + 3 * kPiece, kPiece), CUDA_SUCCESS);
  CHECK_IS(cuMemAddressFree_(range, 4 * kPiece), CUDA_SUCCESS);
  CHECK_IS(cudaMemGetInfo(&freeAfter, &total), cudaSuccess);
  CHECK_IS(freeBefore - freeAfter, 2 * kPiece); // the first piece and its import
  return 0;
}
#endif
