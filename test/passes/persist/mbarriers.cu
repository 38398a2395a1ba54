// A twin is told of the mbarriers that a block begins and ends, to end those that are left before the
// next block; it waits for copies that a body left on the way. Pipelines end their own.
// RUN: %gpusched-opt --explain %s 2>%t.err >%t.out
// RUN: not grep . %t.err
// RUN: grep -v '^// ' %t.out | FileCheck %s
// RUN: %reparse %t.out
#include <cooperative_groups.h>
#include <cstdint>
#include <cuda/pipeline>
#include <cuda/ptx>
#pragma nv_diag_suppress static_var_with_dynamic_init
using Barrier = cuda::barrier<cuda::thread_scope_block>;
#define BLOCK_THREADS blockDim.x
// CHECK: void begins__gs_body({{.*}} gridDim, const ::gpusched::MbarrierNotes gpusched_mbarriers) {
// CHECK: init(gpusched_mbarriers.added(&bars[threadIdx.x]), BLOCK_THREADS);
// CHECK: begins__gs_body(::blockIdx, ::gridDim, ::gpusched::MbarrierNotes{false}); }
// CHECK-SAME: { const ::gpusched::Mbarriers gpusched_mbarriers; {{.*}} begins__gs_body({{.*}}, ::gpusched::MbarrierNotes{true, gpusched_mbarriers.table()}); gpusched_after: gpusched_worker.advance(), gpusched_mbarriers.retire(); }
__global__ void begins() {
  __shared__ Barrier bars[2];
  if (threadIdx.x < 2) init(&bars[threadIdx.x], BLOCK_THREADS);
  __syncthreads();
  bars[0].arrive_and_wait();
}
// Of a class with barriers among its members, by a template of the file, and ended by hand.
struct Stage { Barrier full; int tile[32]; };
// CHECK: struct start__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim; ::gpusched::MbarrierNotes gpusched_mbarriers; template
// CHECK: { init(gpusched_mbarriers.added(&object), count); }
template <class T> __device__ void start(T& object, int count) { init(&object, count); }
// CHECK: void calls__gs_body({{.*}}const ::start__gs_call start)
// CHECK: gpusched_mbarriers.ended((&stage.full))->~Barrier();
// CHECK: gpusched_mbarriers.endedObject(other.full).~Barrier();
// CHECK: ::start__gs_call{gpusched_worker.block(), gpusched_worker.grid(), ::gpusched::MbarrierNotes{true, gpusched_mbarriers.table()}}
__global__ void calls() {
  static __shared__ Stage stage, other;
  start(stage.full, 32);
  start(other.full, 32);
  (&stage.full)->~Barrier();
  other.full.~Barrier();
}
// CHECK: void leaves__gs_body({{.*}}, const ::gpusched::BodyBarrier __syncthreads, const ::gpusched::MbarrierNotes gpusched_mbarriers, {{.*}}int n)
// CHECK: gpusched_worker.drain(), gpusched_mbarriers.retire(); }
__global__ void leaves(int n) {
  __shared__ Barrier bar;
  init(&bar, n);
  if (threadIdx.x >= n) return;
  __syncthreads();
  bar.arrive_and_wait();
}
// CHECK: asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(gpusched_mbarriers.addedAt(word)), "r"(1));
// CHECK: asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(gpusched_mbarriers.endedAt(word)));
// CHECK: cuda::ptx::mbarrier_init(gpusched_mbarriers.added(words + 1), 1);
// CHECK: gpusched_after: ::gpusched::settleCopies<true>(), gpusched_worker.advance(), gpusched_mbarriers.retire(); }
__global__ void byHand(uint32_t word, const int* in, uint64_t* words) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(word), "r"(1));
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(word));
  cuda::ptx::mbarrier_init(words + 1, 1);
  cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, words + 2, in, 16, words + 1);
}
// CHECK: void piped__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const int* in)
// CHECK: piped__gs_body({{.*}} gpusched_after: ::gpusched::settleCopies<false>(), gpusched_worker.advance(); }
__global__ void piped(const int* in) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int tile[32];
  auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
  pipe.producer_acquire();
  cuda::memcpy_async(cooperative_groups::this_thread_block(), tile, in, 128, pipe);
  pipe.producer_commit();
}
// A barrier of more than the block counts by itself, and a class with a constructor is just memory.
// CHECK: void plain__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* a)
struct Counter { int value; __device__ Counter() : value(3) {} };
__global__ void plain(int* a) {
  __shared__ Counter counter;
  counter.value = 1;
  a[blockIdx.x] = counter.value;
}
