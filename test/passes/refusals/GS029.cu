// A barrier object in shared memory.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#include <cuda/barrier>
// CHECK: remark: kernel 'k' kept native: [GS029] {{.*}}bar
__global__ void k(int* a) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  bar.arrive_and_wait();
}
