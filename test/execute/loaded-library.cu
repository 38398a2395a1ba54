// Kernels of a static library, and of a shared one that is opened, used, closed and opened again while
// the program's own kernels of the same name go on.
// RUN: mkdir -p %t && %nvcc -cudart shared -DPART=1 -Xcompiler -fPIC -shared %s -o %t/native.so
// RUN: %nvcc -DPART=2 -lib %s -o %t/native.a && %nvcc -cudart shared -DPART=0 %s %t/native.a -ldl -o %t/native
// RUN: %gpusched-cc -cudart shared -DPART=1 -Xcompiler -fPIC -shared %s -o %t/gpusched.so
// RUN: %gpusched-cc -DPART=2 -lib %s -o %t/gpusched.a && %gpusched-cc -cudart shared -DPART=0 %s %t/gpusched.a -ldl -o %t/gpusched
// RUN: %gpusched run --device=cpu -- %t/native %t/native.so > %t/reference && grep -c ok %t/reference | grep -qx 2
// RUN: %gpusched run --device=cpu --variant=persistent --trace=%t/trace.json -- %t/gpusched %t/gpusched.so | diff %t/reference -
// RUN: %gpusched run --device=cpu --policy=serial --variant=persistent -- %t/gpusched %t/gpusched.so | diff %t/reference -
// RUN: not grep -q '"variant": "native"' %t/trace.json
#include "Inputs/Expect.h"

#if PART == 0
#include <dlfcn.h>
#define AMOUNT 1
#elif PART == 1
#define AMOUNT 100
#else
#define AMOUNT 10000
#endif

namespace {
__global__ void add(int* value) {
  if (threadIdx.x == 0)
    atomicAdd(value, AMOUNT);
}
} // namespace

#if PART == 1
extern "C" void addFromShared(int* value) { add<<<40, 32>>>(value); }
#elif PART == 2
void addFromStatic(int* value) { add<<<40, 32>>>(value); }
#else
void addFromStatic(int* value);

int main(int, char** arguments) {
  int* value = deviceArray<int>(1);
  for (int round = 0; round < 3; ++round) {
    add<<<40, 32>>>(value);
    addFromStatic(value);
    void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return std::printf("%s\n", dlerror()), 1;
    auto addFromShared = reinterpret_cast<void (*)(int*)>(dlsym(library, "addFromShared"));
    addFromShared(value);
    must(cudaDeviceSynchronize(), "synchronize");
    if (round > 0)
      dlclose(library);
  }
  expect<int>("sum", value, 1, [](std::size_t) { return 3 * 40 * 10101; });
  add<<<40, 32>>>(value);
  expect<int>("after the last close", value, 1, [](std::size_t) { return 3 * 40 * 10101 + 40; });
}
#endif
