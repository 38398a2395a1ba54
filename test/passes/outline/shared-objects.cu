// Shared variables of classes with constructors: nvcc takes them as memory that nobody constructs,
// Clang as errors. Whatever the order of words; not where a macro writes the words.
// RUN: %gpusched-opt --explain %s 2>%t.err >%t.out
// RUN: FileCheck %s --check-prefix=ERR <%t.err
// RUN: grep -v '^// ' %t.out | FileCheck %s
// RUN: %reparse %t.out
#pragma nv_diag_suppress static_var_with_dynamic_init
struct Point {
  int x, y;
  __device__ Point() : x(1), y(2) {}
  __device__ ~Point() { x = 0; }
};
struct Pair { Point a, b; };
// CHECK: void words__gs_body(
// CHECK: static __shared__ Point first[4], second;
// CHECK: Pair __shared__ third;
__global__ void words(int* out) {
  static __shared__ Point first[4], second;
  Pair __shared__ third;
  first[threadIdx.x % 4].x = 1;
  out[blockIdx.x] = first[0].x + second.y + third.a.x;
}
template <class T> __device__ T& inCallee() {
  __shared__ T value;
  return value;
}
// CHECK: template <class T> static __device__ __forceinline__ void generic__gs_body(
template <class T> __global__ void generic(int* out) {
  __shared__ alignas(16) T mine;
  const auto set = [&] { mine.x = blockIdx.x; };
  set();
  // The barrier and the branch: a shared variable may differ between two reads of a thread.
  if (mine.x == 3)
    return;
  __syncthreads();
  out[blockIdx.x] = mine.x + inCallee<T>().y;
}
template __global__ void generic<Point>(int*);
#define SHARED(TYPE, NAME) __shared__ TYPE NAME
// ERR-NOT: remark
// ERR: [[@LINE+3]]:3: initialization is not supported for __shared__ variables
// ERR: [[@LINE+1]]:17: remark: kernel 'macro' kept native: [GS051]
__global__ void macro(int* out) {
  SHARED(Point, point);
  out[blockIdx.x] = point.x;
}
// ERR-NOT: remark
