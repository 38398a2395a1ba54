// thread_block::sync() of cooperative groups behind an exit: in the kernel's text and in functions of the
// file it becomes a call of the drain barrier. Left alone without an exit; refused where its text cannot
// be replaced.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: grep -v '^ *// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define SYNC(block) (block).sync()

// OUT: operator()(cg::thread_block block, T* s) const { cg::sync(cg::tiled_partition<32>(block)); __syncthreads.ofGroup(); return s[0]; }
template <class T> __device__ T first(cg::thread_block block, T* s) { cg::sync(cg::tiled_partition<32>(block)); cg::sync(block); return s[0]; }

// OUT: void leaves__gs_body({{.*}}BodyBarrier __syncthreads, const ::first__gs_call first
__global__ void leaves(int* a, int n) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() / 32 >= n) return;
  s[threadIdx.x] = 1;
  // OUT: {{^}}  __syncthreads.ofGroup();{{$}}
  // OUT-NEXT: {{^}}  __syncthreads.ofGroup();{{$}}
  // OUT-NEXT: {{^}}  a[threadIdx.x] = first(block, s);{{$}}
  block.sync();
  cg::this_thread_block().sync();
  a[threadIdx.x] = first(block, s);
}
// OUT: leaves__gs_body({{.*}} gpusched_after: gpusched_worker.drain(); }

// OUT: void stays__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* a)
__global__ void stays(int* a) {
  // OUT: {{^}}  block.sync();{{$}}
  cg::thread_block block = cg::this_thread_block();
  block.sync();
}

// CHECK: remark: kernel 'macro' kept native: [GS040] {{.*}}__barrier_sync in 'sync'
__global__ void macro(int n) {
  auto block = cg::this_thread_block();
  if (threadIdx.x < n) return;
  SYNC(block);
}
// CHECK: remark: kernel 'hidden' kept native: [GS040]
__global__ void hidden(int n) {
  if (threadIdx.x < n) return;
  [] { cg::this_thread_block().sync(); }();
}
// CHECK: remark: kernel 'both' kept native: [GS040] {{.*}}calls 'sync' of a group, which is the block in some instantiations only
template <class Group> __device__ void wait(Group group) { group.sync(); }
__global__ void both(int n) {
  auto block = cg::this_thread_block();
  if (threadIdx.x / 32 < n) return;
  wait(cg::tiled_partition<32>(block));
  wait(block);
}
