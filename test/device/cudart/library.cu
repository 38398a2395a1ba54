// cudaLibrary*: kernels and variables of a module that is loaded at run time, launched by handle.
// RUN: %nvcc -arch=sm_90 -ptx -DDEVICE %s -o %t.ptx
// RUN: %nvcc -arch=sm_90 -cubin -DDEVICE %s -o %t.cubin
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t %t.ptx %t.cubin 2>&1 | FileCheck %s
#ifdef DEVICE
__device__ int bias = 7;
extern "C" __global__ void first(int* out) { *out = bias; }
extern "C" __global__ void second(int* out) { *out += 1; }
#else
#include "Inputs/Check.h"

int main(int, char** arguments) {
  cudaLibrary_t library;
  // CHECK: is a cubin; the cpu device runs PTX
  CHECK_IS(cudaLibraryLoadFromFile(&library, arguments[2], nullptr, nullptr, 0, nullptr, nullptr, 0),
           cudaErrorNoKernelImageForDevice);
  CHECK_OK(cudaLibraryLoadFromFile(&library, arguments[1], nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count;
  CHECK_OK(cudaLibraryGetKernelCount(&count, library));
  CHECK_IS(count, 2u);
  cudaKernel_t first, second, none;
  CHECK_OK(cudaLibraryGetKernel(&first, library, "first"));
  CHECK_OK(cudaLibraryGetKernel(&second, library, "second"));
  CHECK_IS(cudaLibraryGetKernel(&none, library, "third"), cudaErrorSymbolNotFound);
  int *bias, *out, value = 20;
  size_t bytes;
  CHECK_OK(cudaLibraryGetGlobal((void**)&bias, &bytes, library, "bias"));
  CHECK_IS(bytes, sizeof(int));
  CHECK_OK(cudaMemcpy(bias, &value, sizeof value, cudaMemcpyHostToDevice));
  CHECK_OK(cudaMallocManaged(&out, sizeof(int)));
  void* parameters[] = {&out};
  CHECK_OK(cudaLaunchKernel((const void*)first, 1, 1, parameters, 0, nullptr));
  CHECK_OK(cudaLaunchKernel((const void*)second, 1, 1, parameters, 0, nullptr));
  CHECK_OK(cudaDeviceSynchronize());
  CHECK_IS(*out, 21);
  CHECK_OK(cudaLibraryUnload(library));
  CHECK_IS(cudaLaunchKernel((const void*)first, 1, 1, parameters, 0, nullptr),
           cudaErrorInvalidDeviceFunction);
  std::printf("done\n"); // CHECK: done
}
#endif
