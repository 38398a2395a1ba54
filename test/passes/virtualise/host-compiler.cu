// Conditions on the compiler are decided as nvcc's host compiler decides them, in files of the user, those
// of -isystem and what a pragma calls a system header in the middle among them; system headers are Clang's to read. What -D and -U say holds everywhere.
// RUN: rm -rf %t && mkdir -p %t/system
// RUN: echo '#ifdef __clang__' > %t/system/package.h
// RUN: echo '#define PACKAGE_SEES_CLANG' >> %t/system/package.h
// RUN: echo '#endif' >> %t/system/package.h
// RUN: echo 'int first; /**/' > %t/system/quiet.h
// RUN: echo '#pragma GCC system_header' >> %t/system/quiet.h
// RUN: sed -e s/PACKAGE/QUIET/ -e '1i #include <cstddef>' %t/system/package.h >> %t/system/quiet.h
// RUN: echo '/* a library */ #include <cstddef>' > %t/system/library.h
// RUN: echo '#pragma GCC system_header' >> %t/system/library.h
// RUN: sed -e s/PACKAGE/LIBRARY/ %t/system/package.h >> %t/system/library.h
// RUN: %gpusched-opt --explain --json %s -- -isystem %t/system > %t/gcc.json
// RUN: FileCheck --input-file=%t/gcc.json --check-prefixes=GCC,BOTH %s
// RUN: %gpusched-opt --json --ccbin=%llvm/bin/clang++ %s -- -isystem %t/system > %t/clang.json
// RUN: FileCheck --input-file=%t/clang.json --check-prefixes=CLANG,BOTH %s
// RUN: %gpusched-opt --json %s -- -isystem %t/system -D__clang__=1 > %t/given.json
// RUN: FileCheck --input-file=%t/given.json --check-prefixes=GIVEN,BOTH %s
// RUN: %gpusched-opt %s -- -isystem %t/system | %reparse -isystem %t/system
// RUN: %gpusched-opt %s -- -isystem %t/system | grep -v TEXT | FileCheck --check-prefix=TEXT %s
#include <library.h>
#include <package.h>
#include <quiet.h>
#include <vector>

#ifdef __clang__
__device__ unsigned place() { return threadIdx.x; }
#else
// TEXT: namespace { struct place__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim; __device__ unsigned operator()() const { return blockIdx.x; } }; }
__device__ unsigned place() { return blockIdx.x; }
#endif

// GCC: "kernel": "olderThanClang"
// GCC-NOT: "kernel": "asks
// GCC-NOT: "kernel": "behindPackage"
// GCC-NOT: "kernel": "behindQuiet"
// CLANG-NOT: "kernel": "olderThanClang"
// CLANG: "kernel": "asksFeature"
// CLANG: "kernel": "behindPackage"
// CLANG: "kernel": "behindQuiet"
// GIVEN: "kernel": "olderThanClang"
// GIVEN: "kernel": "asksClang"
// GIVEN: "kernel": "behindPackage"
// GIVEN: "kernel": "behindQuiet"
#if __GNUC__ >= 5
__global__ void olderThanClang(unsigned* out) { out[place()] = 1; }
#endif
#ifdef __has_feature
__global__ void asksFeature(unsigned* out) { out[place()] = 1; }
#endif
#ifdef __clang__
__global__ void asksClang(unsigned* out) { out[place()] = 1; }
#endif
#ifdef __NVPTX__
__global__ void asksTarget(unsigned* out) { out[place()] = 1; }
#endif
#ifdef PACKAGE_SEES_CLANG
__global__ void behindPackage(unsigned* out) { out[place()] = 1; }
#endif
#ifdef QUIET_SEES_CLANG
__global__ void behindQuiet(unsigned* out) { out[place()] = 1; }
#endif
// BOTH: "kernel": "behindLibrary"
#ifdef LIBRARY_SEES_CLANG
__global__ void behindLibrary(unsigned* out) { out[place()] = 1; }
#endif
