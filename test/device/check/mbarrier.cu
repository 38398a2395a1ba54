// An mbarrier orders what a bulk copy wrote with what all threads of the block read, those of the
// copying thread's warp too; without the wait it is a race. Bulk reductions do not race.
// RUN: %nvcc -arch=sm_90 -std=c++17 -o %t %s
// RUN: %gpusched run --device=cpu --check=memory,race -- %t
// RUN: not %gpusched run --device=cpu --check=race -- %t early 2>&1 | FileCheck %s
// CHECK: race: shared memory
// CHECK-SAME: cp.async.bulk
#include <cstdint>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

__global__ void sum(const int* in, int* out, bool waits) {
  __shared__ alignas(16) int tile[64];
  __shared__ alignas(8) uint64_t gate;
  if (threadIdx.x == 0)
    ptx::mbarrier_init(&gate, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &gate);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &gate,
                                   sizeof tile);
  }
  if (waits) {
    __syncwarp();
    while (!ptx::mbarrier_try_wait_parity(&gate, 0)) {
    }
  }
  const int mine = tile[threadIdx.x] + tile[threadIdx.x ^ 33];
  __syncthreads();
  tile[threadIdx.x] = mine;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0)
    ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, out, tile,
                              sizeof tile);
}

int main(int argc, char**) {
  int *in, *out;
  cudaMalloc(&in, 256);
  cudaMalloc(&out, 256);
  cudaMemset(in, 1, 256);
  cudaMemset(out, 0, 256);
  sum<<<4, 64>>>(in, out, argc == 1);
  return cudaDeviceSynchronize();
}
