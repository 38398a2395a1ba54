// Never more blocks of a kernel on an SM than the occupancy call says.
// RUN: %nvcc -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

__global__ void count(int* resident, int* most) {
  __shared__ volatile int filler[5000]; // 20 KB: shared memory is what limits
  if (threadIdx.x == 0) {
    unsigned smid;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
    const int now = atomicAdd(&resident[smid], 1) + 1;
    atomicMax(most, now);
    for (int step = 0; step < 300; ++step)
      filler[step % 5000] = filler[(step * 7) % 5000] + now;
    atomicSub(&resident[smid], 1);
  }
}

int main() {
  int limit = 0, most = 0;
  must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&limit, count, 64, 0), "occupancy");
  int* deviceMost = deviceArray<int>(1);
  count<<<6000, 64>>>(deviceArray<int>(4096), deviceMost);
  must(cudaDeviceSynchronize(), "run");
  must(cudaMemcpy(&most, deviceMost, sizeof most, cudaMemcpyDeviceToHost), "download");
  if (most < 1 || most > limit) {
    std::printf("%d resident blocks on an SM, the limit is %d\n", most, limit);
    return 1;
  }
}
