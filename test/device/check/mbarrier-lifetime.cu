// --check=memory reports an mbarrier that is initialised while it lives, and operations on one that
// has not begun or is over. A persistent worker ends those of one logical block before the next.
// RUN: %nvcc -arch=sm_90 -std=c++17 -diag-suppress=20054 -o %t %s
// RUN: %gpusched run --device=cpu --check=memory -- %t fine
// RUN: not %gpusched run --device=cpu --check=memory -- %t 2>&1 | FileCheck %s
// RUN: %gpusched-cc -arch=sm_90 -std=c++17 -diag-suppress=20054 -o %t.gs %s
// RUN: %gpusched run --device=cpu --check=memory,race --variant=persistent --sms=0 --blocks-per-sm=1 -- %t.gs fine
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__device__ Barrier* begin(void* memory, int count) {
  Barrier* const bar = static_cast<Barrier*>(memory);
  if (threadIdx.x == 0)
    init(bar, count);
  __syncthreads();
  return bar;
}
__device__ void end(Barrier& bar) {
  __syncthreads();
  if (threadIdx.x == 0)
    bar.~Barrier();
}
// Left alive by odd blocks.
__global__ void fine() {
  __shared__ Barrier first, second;
  begin(&second, blockDim.x)->arrive_and_wait();
  for (int round = 0; round < 3; ++round) {
    begin(&first, blockDim.x)->arrive_and_wait();
    if (round < 2 || blockIdx.x % 2 == 0)
      end(first);
  }
}
// CHECK: memory: live mbarrier atomic of 8 bytes
// CHECK-SAME: in kernel 'again()'
// CHECK-NEXT: thread ({{[0-9]+}},0,0){{.*}}: initialised again; mbarrier.inval {{.*}}'{{.*}}bar
__global__ void again() {
  __shared__ Barrier bar;
  begin(&bar, blockDim.x)->arrive_and_wait();
  __syncthreads();
  begin(&bar, blockDim.x)->arrive_and_wait();
}
// CHECK: memory: no mbarrier atomic of 8 bytes
// CHECK-SAME: in kernel 'over()'
// CHECK-NEXT: thread ({{[0-9]+}},0,0){{.*}}: not initialised, or invalidated since: '{{.*}}bar
__global__ void over() {
  __shared__ Barrier bar;
  end(*begin(&bar, blockDim.x));
  __syncthreads();
  (void)bar.arrive();
}
// CHECK: 2 findings

int main(int argc, char**) {
  fine<<<7, 64>>>();
  if (argc == 1) {
    again<<<1, 64>>>();
    over<<<1, 64>>>();
  }
  return cudaDeviceSynchronize();
}
