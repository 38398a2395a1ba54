// libcu++ waits for other blocks: an atomic, a semaphore, a barrier and a latch of a wide scope. Those of
// the block's own scope are no obstacle.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --implicit-check-not=remark:
// RUN: %reparse %t.out
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
__device__ cuda::counting_semaphore<cuda::thread_scope_device> go{0};
__device__ cuda::barrier<cuda::thread_scope_device> everyone{4};
__device__ cuda::std::atomic<int> ready{0};
// CHECK: remark: kernel 'atomic' kept native: [GS025] {{.*}}a wait of libcu++ beyond the block
__global__ void atomic(int* flag) { cuda::atomic_ref<int, cuda::thread_scope_device>(*flag).wait(0); }
// CHECK: remark: kernel 'standard' kept native: [GS025]
__global__ void standard() { ready.wait(0); }
// CHECK: remark: kernel 'semaphore' kept native: [GS025]
__global__ void semaphore() { if (blockIdx.x == 3) go.release(3); else go.acquire(); }
// CHECK: remark: kernel 'barrier' kept native: [GS025]
__global__ void barrier() { everyone.arrive_and_wait(); }
// CHECK: remark: kernel 'latch' kept native: [GS025]
__global__ void latch(cuda::latch<cuda::thread_scope_device>* gate) { gate->arrive_and_wait(); }
__global__ void own(int* out, int* place) {
  cuda::atomic_ref<int, cuda::thread_scope_block> mine(place[blockIdx.x]);
  if (threadIdx.x == 0) { mine.store(1); mine.notify_all(); }
  mine.wait(0);
  ready.fetch_add(1);
  out[threadIdx.x] = mine.load();
}
