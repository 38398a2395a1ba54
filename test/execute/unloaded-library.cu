// A shared library is unloaded when it is closed: it exports nothing of ours, least of all a variable that
// would keep it mapped. Opened again it begins anew.
// RUN: mkdir -p %t && %nvcc -cudart shared -DLIBRARY -Xcompiler -fPIC -shared %s -o %t/native.so
// RUN: %gpusched-cc -cudart shared -DLIBRARY -Xcompiler -fPIC -shared %s -o %t/gpusched.so
// RUN: not sh -c "nm -DC --defined-only %t/gpusched.so | grep -e gpusched -e __gs"
// RUN: %nvcc -cudart shared %s -ldl -o %t/main
// RUN: %gpusched run --device=cpu -- %t/main %t/native.so > %t/reference && grep -qx "1 1 1" %t/reference
// RUN: %gpusched run --device=cpu --variant=persistent -- %t/main %t/gpusched.so | diff %t/reference -
// RUN: %gpusched run --device=cpu --policy=serial --variant=persistent -- %t/main %t/gpusched.so | diff %t/reference -
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
