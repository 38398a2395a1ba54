// A shared library that is opened where another one was a moment before, with other kernels.
// RUN: mkdir -p %t && %nvcc -cudart shared %s -ldl -o %t/main
// RUN: %gpusched-cc -cudart shared -DLIBRARY=1 -Xcompiler -fPIC -shared %s -o %t/one.so
// RUN: %gpusched-cc -cudart shared -DLIBRARY=2 -Xcompiler -fPIC -shared %s -o %t/two.so
// RUN: %gpusched run --device=cpu --variant=persistent --trace=%t/trace.json -- %t/main %t/one.so %t/two.so | FileCheck %s
// RUN: not grep -q '"variant": "native"' %t/trace.json
// CHECK: 40 80 0
// CHECK-NEXT: 80 40 120
// CHECK-NEXT: 40 80 0
#include <cstdio>
#include <cuda_runtime.h>

#ifdef LIBRARY
__global__ void first(int* sums) {
  if (threadIdx.x == 0)
    atomicAdd(sums, LIBRARY);
}
__global__ void second(int* sums) {
  if (threadIdx.x == 1)
    atomicAdd(sums + 1, 3 - LIBRARY);
}
#if LIBRARY == 2
__global__ void third(int* sums) {
  if (threadIdx.x == 2)
    atomicAdd(sums + 2, 3);
}
#endif

extern "C" void use(int* sums) {
#if LIBRARY == 2
  third<<<40, 32>>>(sums);
#endif
  first<<<40, 32>>>(sums);
  second<<<40, 32>>>(sums);
}
#else
#include <dlfcn.h>

int main(int, char** arguments) {
  int* sums;
  cudaMallocManaged(&sums, 3 * sizeof *sums);
  for (int round = 0; round < 3; ++round) {
    cudaMemset(sums, 0, 3 * sizeof *sums);
    void* library = dlopen(arguments[1 + round % 2], RTLD_NOW | RTLD_LOCAL);
    reinterpret_cast<void (*)(int*)>(dlsym(library, "use"))(sums);
    cudaDeviceSynchronize();
    std::printf("%d %d %d\n", sums[0], sums[1], sums[2]);
    dlclose(library);
  }
}
#endif
