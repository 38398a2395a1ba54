// Macros in the body, in the parameter list and for the attributes: all of them still mean the same.
// RUN: %gpusched-opt --outline %s | grep -v '^// ' | FileCheck %s
// RUN: %gpusched-opt --outline %s | %reparse
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define REAL float
#define POINTERS const REAL *a, REAL *b
#define KERNEL static __global__ void
// CHECK: {{^}}static __device__ __forceinline__ void copy__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, POINTERS, int n) { if (INDEX < n) b[INDEX] = a[INDEX]; } KERNEL copy(POINTERS , int n) { copy__gs_body(::blockIdx, ::gridDim, a, b, n); }
KERNEL copy(POINTERS, int n) { if (INDEX < n) b[INDEX] = a[INDEX]; }

int main() { copy<<<1, 1>>>(nullptr, nullptr, 0); }
