// nvcc rejects what a kernel becomes: the file is transformed again without it, and the others have
// their twins. Here by names that the rewritten text already uses.
// RUN: %gpusched-cc --gpusched-strict --gpusched-outline --gpusched-profile=none -arch=sm_90 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: nm %t.o | FileCheck --check-prefix=TWIN %s
// TWIN-NOT: {{odd|calls|templated}}__gs
// TWIN: good__gs
// CHECK-NOT: nvcc alone
struct index__gs_call {};
__device__ int index(int a) {
  return blockIdx.x + a;
}
__global__ void good(int* a) { a[blockIdx.x] = 1; }
// CHECK: GS052.cu:[[@LINE+2]]:2: remark: kernel 'odd' kept native: [GS052] nvcc rejects the rewritten form: {{.*}}GS052.cu:[[@LINE+2]]: duplicate parameter name
__global__ void
 odd(int* gpusched_launch) { gpusched_launch[blockIdx.x] = 1; }
// CHECK: GS052.cu:[[@LINE+1]]:17: remark: kernel 'calls' kept native: [GS052] {{.*}}GS052.cu:11:
__global__ void calls(int* a) { a[blockIdx.x] = index(1); }
// CHECK: GS052.cu:[[@LINE+1]]:36: remark: kernel 'templated' kept native: [GS052] {{.*}}GS052.cu:[[@LINE+1]]:
template <class T> __global__ void templated(T* gpusched_launch) { gpusched_launch[blockIdx.x] = 1; }
// Refused before, when what it calls had been described.
struct Reads { __device__ int operator()(int n) const { return n + blockIdx.x; } };
template <class F> __device__ int apply(F f) { return f(3); }
// CHECK: kernel 'contradicted' kept native: [GS020]
__global__ void contradicted(int* a) { a[0] = apply(Reads()); }
__device__ int same(int n) { return n; }
__global__ void pointer(int* a) { a[0] = apply(same); }
int main() {
  int* a = nullptr;
  good<<<1, 1>>>(a);
  odd<<<1, 1>>>(a);
  calls<<<1, 1>>>(a);
  templated<<<1, 1>>>(a);
}
