// What the runtime says of a kernel: shared memory, thread limits, occupancy that falls with
// shared memory, and the opt-in above 48 KB.
// RUN: %nvcc -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

__global__ void __launch_bounds__(256) kernel(int* out) {
  __shared__ int fixed[100];
  extern __shared__ int flexible[];
  fixed[threadIdx.x % 100] = flexible[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = fixed[0] + flexible[threadIdx.x];
}

int main() {
  cudaFuncAttributes facts;
  must(cudaFuncGetAttributes(&facts, kernel), "attributes");
  int few = 0, many = 0;
  must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&many, kernel, 256, 1024), "occupancy");
  must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&few, kernel, 256, 40000), "occupancy");
  int* out = deviceArray<int>(256);
  kernel<<<1, 256, 60000>>>(out);
  const cudaError_t without = cudaGetLastError();
  must(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000), "opt in");
  kernel<<<1, 256, 60000>>>(out);
  const cudaError_t with = cudaGetLastError();
  must(cudaDeviceSynchronize(), "run");
  kernel<<<1, 512, 4096>>>(out);
  const cudaError_t wide = cudaGetLastError();
  std::printf("shared %zu, threads %d, registers %s, occupancy %s, %s, %s, %s\n",
              facts.sharedSizeBytes, facts.maxThreadsPerBlock, facts.numRegs > 0 ? "some" : "none",
              many > few && few > 0 ? "falls" : "does not fall", cudaGetErrorName(without),
              cudaGetErrorName(with), cudaGetErrorName(wide));
  return facts.sharedSizeBytes >= 400 && facts.maxThreadsPerBlock == 256 && facts.numRegs > 0 &&
                 many > few && few > 0 && without != cudaSuccess && with == cudaSuccess &&
                 wide != cudaSuccess
             ? 0
             : 1;
}
