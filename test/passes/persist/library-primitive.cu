// A warp primitive of a library cannot be told who has left. It need not be where nobody can have: beside
// primitives of the program's own that come later. With rows of whole warps a warp's own number sends away
// all its lanes.
// RUN: rm -rf %t.lib && mkdir -p %t.lib/c++ && cp %s %t.lib/Warp.cuh
// RUN: %gpusched-opt --explain %s -- -isystem %t.lib 2>&1 >%t.out | FileCheck %s --check-prefix=REMARK
// RUN: grep -v '^// ' %t.out | FileCheck %s
// RUN: %reparse %t.out -isystem %t.lib
#ifndef TWICE
#define TWICE
#include <Warp.cuh>

// REMARK-NOT: remark: kernel 'before'
// CHECK-LABEL: void before__gs_body({{.*}}::gpusched::LanePrimitive__shfl_down_sync __shfl_down_sync
// CHECK: before__gs_registrar({{.*}}, 4, {{[0-9]+}})
__global__ void before(const int* rows, int* a, int n, int m) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (warp >= n) return;
  const int end = library::first(rows[threadIdx.x], 0xffffffffu);
  if (end + threadIdx.x % 32 > m) return;
  a[threadIdx.x] = __shfl_down_sync(0xffffffffu, end, 1);
}
// REMARK: remark: kernel 'behind' kept native: [GS041]{{.*}}__shfl_sync in 'first'
__global__ void behind(const int* rows, int* a, int n) {
  if (rows[threadIdx.x] == 0) return;
  a[threadIdx.x] = library::first(n, 0xffffffffu);
}
// REMARK: remark: kernel 'again' kept native: [GS041]{{.*}}__shfl_sync in 'first'
__global__ void again(const int* rows, int* a, int n) {
  for (int i = 0; i < n; ++i) {
    a[i] = library::first(n, 0xffffffffu);
    if (rows[threadIdx.x] == i) return;
  }
}
static __device__ int through(int x) { return library::first(x, 0xffffffffu); }
// REMARK: remark: kernel 'inCallee' kept native: [GS041]{{.*}}__shfl_sync in 'first'
__global__ void inCallee(const int* rows, int* a, int n) {
  if (rows[threadIdx.x] == 0) return;
  a[threadIdx.x] = through(n);
}
struct Neighbour {
  __device__ int operator()(int x) const { return __shfl_down_sync(0xffffffffu, x, 1); }
};
// REMARK: remark: kernel 'calledBack' kept native: [GS041]
__global__ void calledBack(const int* rows, int* a, int n) {
  a[0] = library::apply(Neighbour(), n);
  if (rows[threadIdx.x] == 0) return;
  a[threadIdx.x] = __shfl_down_sync(0xffffffffu, n, 1);
}
// REMARK-NOT: remark: kernel 'formed'
__global__ void formed(const int* rows, int* a, int n) {
  if (rows[threadIdx.x] == 0) return;
  const unsigned here = __activemask();
  a[threadIdx.x] = library::first(n, here);
}
// REMARK: remark: kernel 'left' kept native: [GS041]
__global__ void left(const int* rows, int* a, int n) {
  const unsigned here = __activemask();
  if (rows[threadIdx.x] == 0) return;
  a[threadIdx.x] = library::first(n, here);
}
#else
namespace library {
static __device__ int first(int x, unsigned mask) { return __shfl_sync(mask, x, 0); }
template <class F> __device__ int apply(F f, int x) { return f(x); }
}
#endif
