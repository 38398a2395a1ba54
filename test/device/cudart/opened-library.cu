// A library with its own static cudart and kernels that a program opens is redirected before its constructors register
// them, also when it comes a second time. The program itself knows nothing of CUDA, as Python.
// RUN: mkdir -p %t
// RUN: %nvcc -arch=sm_90 -Xcompiler -fPIC -shared %S/Inputs/doubled.cu -o %t/libtwice.so
// RUN: c++ -x c++ %s -o %t/main -ldl
// RUN: %gpusched run --device=cpu -- %t/main %t/libtwice.so
//
// One without symbols says how to link it. What has no device code is nobody's business.
// RUN: strip -o %t/libstripped.so %t/libtwice.so
// RUN: not %gpusched run --device=cpu -- %t/main %t/libstripped.so 2>&1 | FileCheck %s
// CHECK: warning: {{.*}}libstripped.so contains a CUDA runtime that cannot be found
// RUN: c++ -x c++ -shared -fPIC -DPLAIN %s -o %t/libplain.so
// RUN: %gpusched run --device=cpu -- %t/main %t/libplain.so 2>&1 | count 0
#ifdef PLAIN
extern "C" int doubled(int value) { return 2 * value; }
#else
#include <dlfcn.h>
int main(int, char** arguments) {
  for (int round = 0; round < 2; ++round) {
    void* const library = dlopen(arguments[1], RTLD_NOW);
    if (!library)
      return 1;
    const auto doubled = reinterpret_cast<int (*)(int)>(dlsym(library, "doubled"));
    if (!doubled || doubled(21) != 42)
      return 2;
    dlclose(library);
  }
}
#endif
