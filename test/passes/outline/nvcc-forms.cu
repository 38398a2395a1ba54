// What nvcc takes and Clang rejects does not keep a kernel native, where the parse is right all the same.
// RUN: %gpusched-opt --explain %s > %t.cu 2> %t.remarks && count 0 < %t.remarks
// RUN: grep -v CHECK %t.cu | FileCheck %s
#include <cstdlib>
#ifndef linux
#error nvcc's default dialect is GNU's
#endif
#if defined(__CUDA__) || defined(__CLANG_RDC__)
#error nvcc is not Clang
#endif
int elsewhere(int);

// CHECK: void single_percent__gs(
__global__ void single_percent(unsigned* a) {
  unsigned lane;
  asm("mov.u32 %0, %laneid;" : "=r"(lane));
  a[blockIdx.x] = lane;
}

// An operand that is not there, where nobody uses it.
template <bool isWide> __device__ unsigned sum(unsigned a, unsigned b) {
  if constexpr (isWide)
    asm("add.u32 %0, %1, %3;" : "=r"(a) : "r"(a), "r"(b));
  return a + b;
}
// CHECK: void other_branch__gs(
__global__ void other_branch(unsigned* a) { a[blockIdx.x] = sum<false>(a[0], a[1]); }

// CHECK: void two_spaces__gs(
__global__ void two_spaces(float* a) {
  __device__ __shared__ float tile[32];
  tile[threadIdx.x] = a[blockIdx.x];
  __syncthreads();
  a[blockIdx.x] = __tanhf(tile[0]);
}

// CHECK: void idle_restrict__gs(
__global__ void idle_restrict(int __restrict* a, const int* __restrict b) { a[blockIdx.x] = b[0]; }

// CHECK: void gnu__gs(
__global__ void gnu(int* a, int n) {
  typeof(n) m = n;
  a[blockIdx.x] = m;
}

template <class T> __host__ __device__ T checked(T a) {
  if (a > 100)
    abort();
  return a < 0 ? elsewhere(a) : a;
}
// CHECK: void host_callee__gs(
__global__ void host_callee(int* a) { a[blockIdx.x] = checked(a[0]); }

// A function of the device's runtime, declared once more.
extern "C" __device__ void __assertfail(const void*, const void*, unsigned, const void*, size_t);
// CHECK: void asserting__gs(
__global__ void asserting(int* a) {
  if (a[0] > 3)
    __assertfail((const void*)"a[0]", (const void*)"", 0u, (const void*)"", sizeof(char));
  a[blockIdx.x] = 1;
}

// With a dialect of the user's, the words stay; its macros do not.
// RUN: %gpusched-opt --explain %s -- -std=c++20 -Dlinux 2>&1 | grep -v CHECK | FileCheck %s
