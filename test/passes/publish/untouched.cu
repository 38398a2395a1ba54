// Kernels without a twin have no variable, and neither have those whose symbol cannot be written down. What only
// device passes see needs no host definition in a module (elsewhere GS007).
// RUN: %gpusched-opt --module --explain %s -- -std=c++17 2>%t.remarks >%t.out
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: grep -v '^// ' %t.out | FileCheck %s
// RUN: %nvcc -arch=sm_90 -ptx -Werror=all-warnings --extended-lambda -include %root/rt/include/gpusched/Launch.h -x cu %t.out -o %t.ptx
// REMARK: remark: kernel 'waits' kept native: [GS025]
// REMARK-NOT: remark
// CHECK-NOT: gpusched_twin_of__Z5waits
// CHECK-NOT: gpusched_twin_of__Z5apply
#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
__global__ void waits() { cooperative_groups::this_grid().sync(); }
template <class F> __global__ void apply(F f) { f(1); }
void launch(int* out) { apply<<<1, 1>>>([=] __device__(int i) { out[i] = i; }); }
#ifdef __CUDA_ARCH__
// CHECK: gpusched_twin_of__Z10deviceOnlyPi
__global__ void deviceOnly(int* a) { a[blockIdx.x] = 1; }
#endif
// CHECK-NOT: gpusched_twin_of__Z5apply
