// Functions that read the block index and are not put in line have copies, which twins call, and whose
// addresses they take; so have their callers. Others have none.
// RUN: %gpusched-cc --gpusched-strict -arch=sm_90 -ptx %s -o %t.ptx && FileCheck %s < %t.ptx
// RUN: not grep -E 'plain__gs\(' %t.ptx
// RUN: python3 %S/../../execute/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_90"
// CHECK: .shared .align 8 .b8 gpusched_logical[24];
// CHECK: .func {{.*}}index{{.*}}__gs
// CHECK-LABEL: .entry both(
// CHECK-NOT: {{index.*__gs}}
// CHECK-LABEL: .entry both__gs(
// CHECK: st.shared.b32 [gpusched_logical+0], gpusched_ctaid_x;
// CHECK: call.uni (retval0),
// CHECK-NEXT: {{outer.*__gs}}
// CHECK-LABEL: .entry neither__gs(
// CHECK-NOT: gpusched_logical
// CHECK: .func {{.*}}index{{.*}}__gs
// CHECK: ld.shared.b32 gpusched_ctaid_x, [gpusched_logical+0];
#include "../../execute/Inputs/Expect.h"

__noinline__ __device__ int index(int n) { return blockIdx.x * n; }
__noinline__ __device__ int outer(int n) { return n > 3 ? outer(n - 1) : index(n) + 1; }
__noinline__ __device__ int plain(int n) { return 5 * n + threadIdx.x; }

extern "C" __global__ void both(int *out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = outer(5) + plain(2);
}
extern "C" __global__ void neither(int *out) { out[blockIdx.x] = plain(7); }

int main() {
  int *out = deviceArray<int>(40 * 32);
  both<<<40, 32>>>(out);
  expect<int>("both", out, 40 * 32, [](std::size_t i) { return int(i / 32 * 3 + 1 + 10 + i % 32); });
  neither<<<40, 1>>>(out);
  expect<int>("neither", out, 40, [](std::size_t) { return 35; });
}
