// Allocation kinds are told apart; wrong pointers are refused.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

static cudaMemoryType typeOf(const void* pointer) {
  cudaPointerAttributes attributes;
  CHECK_OK(cudaPointerGetAttributes(&attributes, pointer));
  return attributes.type;
}

int main() {
  char *device, *managed, *pinned, *mapped, stack[64];
  CHECK_OK(cudaMalloc(&device, 1000));
  CHECK_OK(cudaMallocManaged(&managed, 1000));
  CHECK_OK(cudaHostAlloc(&pinned, 1000, cudaHostAllocMapped));
  CHECK_IS(typeOf(device + 999), cudaMemoryTypeDevice);
  CHECK_IS(typeOf(managed), cudaMemoryTypeManaged);
  CHECK_IS(typeOf(pinned), cudaMemoryTypeHost);
  CHECK_IS(typeOf(stack), cudaMemoryTypeUnregistered);
  CHECK_OK(cudaHostGetDevicePointer((void**)&mapped, pinned, 0));
  CHECK_IS(typeOf(mapped), cudaMemoryTypeHost);

  CHECK_IS(cudaMemcpy(device, stack, 1001, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  CHECK_IS(cudaMemcpy(stack, stack, 10, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  CHECK_IS(cudaMemset(stack, 0, 10), cudaErrorInvalidValue);
  CHECK_IS(cudaFree(device + 1), cudaErrorInvalidValue);
  CHECK_IS(cudaFree(pinned), cudaErrorInvalidValue);
  CHECK_IS(cudaFreeHost(device), cudaErrorInvalidValue);
  CHECK_OK(cudaFree(nullptr));
  CHECK_OK(cudaFree(device));
  CHECK_IS(cudaFree(device), cudaErrorInvalidValue);

  CHECK_OK(cudaHostRegister(stack, sizeof stack, cudaHostRegisterDefault));
  CHECK_IS(typeOf(stack), cudaMemoryTypeHost);
  CHECK_IS(cudaHostRegister(stack, 8, 0), cudaErrorHostMemoryAlreadyRegistered);
  CHECK_OK(cudaHostUnregister(stack));
  CHECK_IS(cudaHostUnregister(stack), cudaErrorHostMemoryNotRegistered);

  size_t before, after, total;
  CHECK_OK(cudaMemGetInfo(&before, &total));
  CHECK_OK(cudaMalloc(&device, 1 << 20));
  CHECK_OK(cudaMemGetInfo(&after, &total));
  CHECK_TRUE(before - after >= 1 << 20);
  CHECK_IS(cudaMalloc(&device, total + 1), cudaErrorMemoryAllocation);
  void* asynchronous;
  CHECK_OK(cudaMallocAsync(&asynchronous, 100, cudaStreamLegacy));
  CHECK_OK(cudaFreeAsync(asynchronous, cudaStreamLegacy));
}
