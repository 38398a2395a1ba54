// As many blocks as SMs, each too large to share one: all must be resident together, on an SM
// each, with identifiers below the limit the device states.
// RUN: %nvcc -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

__global__ void meet(unsigned* smids, volatile unsigned* arrived) {
  extern __shared__ char padding[];
  if (threadIdx.x == 0) {
    padding[0] = 1;
    unsigned smid;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(smid));
    smids[blockIdx.x] = smid;
    __threadfence();
    atomicAdd(const_cast<unsigned*>(arrived), 1u);
    while (*arrived < gridDim.x) {
    }
  }
}

int main() {
  int sms = 0, perSm = 0;
  must(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "SM count");
  must(cudaDeviceGetAttribute(&perSm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0), "shared");
  const int bytes = perSm / 2 + 1024;
  must(cudaFuncSetAttribute(meet, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "opt in");
  unsigned* smids = deviceArray<unsigned>(sms);
  meet<<<sms, 64, bytes>>>(smids, deviceArray<unsigned>(1));
  must(cudaDeviceSynchronize(), "run");
  std::vector<unsigned> got(sms), seen(4096, 0);
  must(cudaMemcpy(got.data(), smids, sms * sizeof(unsigned), cudaMemcpyDeviceToHost), "download");
  for (unsigned smid : got)
    if (smid >= seen.size() || ++seen[smid] > 1) {
      std::printf("SM %u holds two blocks or is out of range\n", smid);
      return 1;
    }
}
