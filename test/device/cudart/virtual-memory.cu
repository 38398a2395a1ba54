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
#include "Inputs/Driver.h"

#include <cstdint>
#include <unistd.h>

constexpr size_t kPiece = 2 << 20;
constexpr int kThreads = 256, kBlocks = 2 * kPiece / sizeof(int) / kThreads;

int main(int, char** arguments) {
  CHECK_CU(cuInit, 0);
  CHECK_IS(cudaFree(nullptr), cudaSuccess);
  int supported = 0;
  CHECK_CU(cuDeviceGetAttribute, &supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0);
  CHECK_IS(supported, 1);

  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  size_t granularity = 0, freeBefore = 0, freeAfter = 0, total = 0;
  CHECK_CU(cuMemGetAllocationGranularity, &granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  CHECK_IS(granularity, kPiece);
  CHECK_IS(cudaMemGetInfo(&freeBefore, &total), cudaSuccess);
  CUmemGenericAllocationHandle pieces[2], same;
  CHECK_IS(DRIVER(cuMemCreate)(&pieces[0], kPiece + 1, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  for (auto& piece : pieces)
    CHECK_CU(cuMemCreate, &piece, kPiece, &properties, 0);
  CHECK_IS(cudaMemGetInfo(&freeAfter, &total), cudaSuccess);
  CHECK_IS(freeBefore - freeAfter, 2 * kPiece);

  CUdeviceptr range;
  CHECK_CU(cuMemAddressReserve, &range, 4 * kPiece, 0, 0, 0);
  CHECK_CU(cuMemMap, range, kPiece, 0, pieces[0], 0);
  CHECK_IS(DRIVER(cuMemMap)(range, kPiece, 0, pieces[1], 0), CUDA_ERROR_INVALID_VALUE);
  CHECK_IS(DRIVER(cuMemMap)(range + 4 * kPiece, kPiece, 0, pieces[1], 0), CUDA_ERROR_INVALID_VALUE);
  CHECK_CU(cuMemMap, range + kPiece, kPiece, 0, pieces[1], 0);
  CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CHECK_IS(DRIVER(cuMemSetAccess)(range, 3 * kPiece, &access, 1), CUDA_ERROR_INVALID_VALUE);
  CHECK_CU(cuMemSetAccess, range, 2 * kPiece, &access, 1);
  unsigned long long flags = 0;
  CHECK_CU(cuMemGetAccess, &flags, &access.location, range + kPiece);
  CHECK_IS(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  int* const data = reinterpret_cast<int*>(range);
  CHECK_IS(cudaFree(data), cudaErrorInvalidValue);

  CUmodule module;
  CUfunction add;
  CHECK_CU(cuModuleLoad, &module, arguments[1]);
  CHECK_CU(cuModuleGetFunction, &add, module, "add");
  int value = 5;
  void* parameters[] = {&range, &value};
  if (arguments[2]) {
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    CHECK_CU(cuMemSetAccess, range, 2 * kPiece, &access, 1);
    DRIVER(cuLaunchKernel)(add, kBlocks, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr);
    std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
  }
  CHECK_IS(cudaMemset(data, 1, 2 * kPiece), cudaSuccess);
  CHECK_CU(cuLaunchKernel, add, kBlocks, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr);
  static int host[2 * kPiece / sizeof(int)];
  CHECK_IS(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
  for (const int word : host)
    CHECK_IS(word, 0x01010101 + 5);

  // The first piece also at the end, by its file; then alone there, with what was written.
  int file = -1;
  CHECK_CU(cuMemExportToShareableHandle, &file, pieces[0], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  CHECK_CU(cuMemImportFromShareableHandle, &same, reinterpret_cast<void*>(intptr_t(file)), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  CHECK_IS(close(file), 0);
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CHECK_CU(cuMemMap, range + 3 * kPiece, kPiece, 0, same, 0);
  CHECK_CU(cuMemSetAccess, range + 3 * kPiece, kPiece, &access, 1);
  CHECK_IS(cudaMemset(data, 7, kPiece), cudaSuccess);
  CHECK_CU(cuMemUnmap, range, kPiece);
  CHECK_IS(cudaMemcpy(host, data + 3 * kPiece / sizeof(int), 8, cudaMemcpyDeviceToHost), cudaSuccess);
  CHECK_IS(host[1], 0x07070707);
  CHECK_IS(cudaMemcpy(host, data + kPiece / sizeof(int), 4, cudaMemcpyDeviceToHost), cudaSuccess);
  CHECK_IS(host[0], 0x01010101 + 5);

  // Memory is given back with its last handle and its last place.
  CHECK_CU(cuMemRetainAllocationHandle, &same, data + kPiece / sizeof(int));
  CHECK_IS(same, pieces[1]);
  CHECK_IS(DRIVER(cuMemAddressFree)(range, 4 * kPiece), CUDA_ERROR_INVALID_VALUE);
  CHECK_CU(cuMemUnmap, range + kPiece, kPiece);
  CHECK_CU(cuMemRelease, pieces[1]);
  CHECK_CU(cuMemRelease, same);
  CHECK_IS(DRIVER(cuMemRelease)(same), CUDA_ERROR_INVALID_VALUE);
  CHECK_CU(cuMemUnmap, range + 3 * kPiece, kPiece);
  CHECK_CU(cuMemAddressFree, range, 4 * kPiece);
  CHECK_IS(cudaMemGetInfo(&freeAfter, &total), cudaSuccess);
  CHECK_IS(freeBefore - freeAfter, 2 * kPiece); // the first piece and its import
  return 0;
}
#endif
