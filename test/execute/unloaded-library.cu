// A shared library that is closed and opened again begins anew, its device variables too.
// RUN: mkdir -p %t && %nvcc -cudart shared -DLIBRARY -Xcompiler -fPIC -shared %s -o %t/native.so
// RUN: %nvcc -cudart shared %s -ldl -o %t/main
// RUN: %gpusched run --device=cpu -- %t/main %t/native.so > %t/reference && grep -qx "1 1 1" %t/reference
#include <cstdio>
#include <cuda_runtime.h>

#ifdef LIBRARY
template <class T> __global__ void add(T* sum, T amount) {
  if (threadIdx.x == 0)
    atomicAdd(sum, amount);
}
__device__ int blocks;

extern "C" int use() {
  static int uses;
  int* sum;
  cudaGetSymbolAddress(reinterpret_cast<void**>(&sum), blocks);
  add<<<40, 32>>>(sum, 1);
  int host = 0;
  cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
  return host == 40 ? ++uses : -host;
}
#else
#include <dlfcn.h>

int main(int, char** arguments) {
  for (int round = 0; round < 3; ++round) {
    void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    std::printf("%d%s", reinterpret_cast<int (*)()>(dlsym(library, "use"))(),
                round < 2 ? " " : "\n");
    dlclose(library);
  }
}
#endif
