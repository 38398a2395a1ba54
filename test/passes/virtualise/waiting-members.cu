// Members that wait behind an early return get the drain barrier and the primitives as arguments,
// and so do those that only call them; a reduction that calls itself with another size, down to a
// specialisation; objects in a member; and a kernel whose threads all stay.
// RUN: %gpusched-opt --explain %s >%t.cu 2>%t.err
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: %reparse %t.cu -arch=sm_90 -std=c++17 -diag-suppress=20054
#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;

__device__ int total(int v) { __syncthreads(); return v + __shfl_xor_sync(0xffffffffu, v, 1); }

template <class T, int Half> struct Reduce {
  // CHECK: __device__ static void run__gs(const ::uint3 blockIdx, const ::dim3 gridDim, const ::gpusched::BodyBarrier __syncthreads, T* a, T* out) {
  __device__ static void run(T* a, T* out) {
    __syncthreads();
    if (threadIdx.x < Half) {
      a[threadIdx.x] += a[threadIdx.x + Half];
      // CHECK: Reduce<T, Half / 2>::run__gs(blockIdx, gridDim, __syncthreads, a, out);
      Reduce<T, Half / 2>::run(a, out);
    }
    // CHECK-NEXT: }
    // CHECK-NEXT: } __device__ static void run(T * a , T * out) { return run__gs(::blockIdx, ::gridDim, ::gpusched::BodyBarrier{false}, a, out); }
  }
};
template <class T> struct Reduce<T, 0> {
  // CHECK: __device__ static void run__gs(const ::uint3 blockIdx, const ::dim3 gridDim, const ::gpusched::BodyBarrier __syncthreads, T* a, T* out) { out[blockIdx.x] = a[0]; }
  __device__ static void run(T* a, T* out) { out[blockIdx.x] = a[0]; }
};
// CHECK: leaves__gs_body({{.*}}BodyBarrier __syncthreads, float* a, float* out) { Reduce<float, 64>::run__gs(blockIdx, gridDim, __syncthreads, a, out); }
__global__ void leaves(float* a, float* out) { Reduce<float, 64>::run(a, out); }
// CHECK: stays__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, float* a, float* out) { Reduce<float, 0>::run__gs(blockIdx, gridDim, ::gpusched::BodyBarrier{false}, a, out); }
__global__ void stays(float* a, float* out) { Reduce<float, 0>::run(a, out); }

struct Outer {
  // CHECK: inner__gs({{.*}}BodyBarrier __syncthreads, const ::gpusched::LanePrimitive__shfl_xor_sync __shfl_xor_sync, int v) const { const ::total__gs_call total = ::total__gs_call{blockIdx, gridDim, __syncthreads, __shfl_xor_sync}; return total(v); }
  __device__ int inner(int v) const { return total(v); }
  // CHECK: outer__gs({{.*}}BodyBarrier __syncthreads, const ::gpusched::LanePrimitive__shfl_xor_sync __shfl_xor_sync, int v) const { return inner__gs(blockIdx, gridDim, __syncthreads, __shfl_xor_sync, v); }
  __device__ int outer(int v) const { return inner(v); }
  // CHECK: begin__gs({{.*}}const ::gpusched::MbarrierNotes gpusched_mbarriers, cuda::barrier<cuda::thread_scope_block>* bar) const { init(gpusched_mbarriers.added(bar), 1); }
  __device__ void begin(cuda::barrier<cuda::thread_scope_block>* bar) const { init(bar, 1); }
};
// CHECK: struct through__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim; ::gpusched::BodyBarrier __syncthreads; ::gpusched::LanePrimitive__shfl_xor_sync __shfl_xor_sync; __device__ int operator()(int v) const { return Outer().outer__gs(blockIdx, gridDim, __syncthreads, __shfl_xor_sync, v); } };
__device__ int through(int v) { return Outer().outer(v); }
__global__ void lanes(int* a, int n) {
  // CHECK: if (threadIdx.x < n) a[threadIdx.x] = through(1) + Outer().outer__gs(blockIdx, gridDim, __syncthreads, __shfl_xor_sync, 2);
  if (threadIdx.x < n) a[threadIdx.x] = through(1) + Outer().outer(2);
}
// CHECK: begins__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const ::gpusched::MbarrierNotes gpusched_mbarriers)
__global__ void begins() {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  // CHECK: Outer().begin__gs(blockIdx, gridDim, gpusched_mbarriers, &bar);
  Outer().begin(&bar);
}

struct Plain {
  // CHECK: __device__ void wait__gs({{.*}} __syncthreads) const { __syncthreads.ofGroup(); }
  __device__ void wait() const { cg::this_thread_block().sync(); }
};
__global__ void group(int n) { if (threadIdx.x < n) Plain().wait(); }
template <class Group> struct Any { __device__ void wait(Group g) const { g.sync(); } };
// REMARK: kernel 'anyGroup' kept native: [GS040] {{.*}}calls 'wait' (thread_block::sync in 'wait'); which is a member of a template and waits for a group
__global__ void anyGroup(int n) { if (threadIdx.x < n) Any<cg::thread_block>().wait(cg::this_thread_block()); }

template <class T> struct Odd { __device__ int at() const { return blockIdx.x; } };
template <> __device__ int Odd<char>::at() const { return 7; }
// REMARK: kernel 'odd' kept native: [GS020] {{.*}}calls 'at' ({{.*}}); which has explicit specialisations
__global__ void odd(int* a) { a[0] = Odd<int>().at(); }

#define WAIT(object) object.wait()
// REMARK: kernel 'macro' kept native: [GS040] {{.*}}calls 'wait' ({{.*}}); which a macro calls
__global__ void macro(int n) { if (threadIdx.x < n) WAIT(Plain()); }
