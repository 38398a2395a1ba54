// Streams of higher priority. A library's kernel runs there: a twin that is launched beside it leaves it the room that its
// grid needs, and has all again once it is over. Then a kernel is launched there beside one that lasts until it is over, for
// which it would wait otherwise, since neither has a profile; and natively, for the other one fills all SMs.
// RUN: %nvcc -arch=sm_90 -ptx -DLIBRARY %s -o %t.ptx
// RUN: %gpusched-cc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu --policy=kscheduler --trace=%t.json -- %t %t.ptx 2> %t.log | FileCheck %s
// RUN: %gpusched report --trace=%t.json | FileCheck --check-prefix=REPORT %s
#ifdef LIBRARY
extern "C" __global__ void __launch_bounds__(1024) collective(const volatile int* stop) {
  while (!*stop)
    ;
}
#else
#include "../device/cudart/Inputs/Driver.h"

constexpr int kBlocks = 20000;

struct Work {
  int* stop;
  unsigned* runs;

  Work() {
    CHECK_OK(cudaMallocHost(&stop, sizeof *stop));
    CHECK_OK(cudaMallocManaged(&runs, (kBlocks + 256) * sizeof *runs));
    CHECK_OK(cudaMemset(runs, 0, kBlocks * sizeof *runs));
    *stop = 0;
  }
  void end() {
    *const_cast<volatile int*>(stop) = 1;
    CHECK_OK(cudaDeviceSynchronize());
    for (int i = 0; i < kBlocks; ++i)
      CHECK_IS(runs[i], 1u);
  }
};

__global__ void work(const volatile int* stop, int rounds, unsigned* runs, unsigned* out) {
  unsigned x = threadIdx.x;
  for (int i = 0; i < rounds && !*stop; ++i)
    out[threadIdx.x] = x = x * 1664525u + 1013904223u;
  if (threadIdx.x == 0)
    atomicAdd(&runs[blockIdx.x], 1u);
}

__global__ void urgent(int* sum) { atomicAdd(sum, 1); }

int main(int, char** files) {
  int least, greatest, sms;
  CHECK_OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK_OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  cudaStream_t first, own;
  CHECK_OK(cudaStreamCreateWithPriority(&first, cudaStreamNonBlocking, greatest));
  CHECK_OK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
  CUmodule module;
  CUfunction collective;
  CHECK_OK(cudaFree(nullptr));
  CHECK_CU(cuModuleLoad, &module, files[1]);
  CHECK_CU(cuModuleGetFunction, &collective, module, "collective");
  Work beside;
  void* arguments[] = {&beside.stop};
  CHECK_CU(cuLaunchKernel, collective, unsigned(sms), 1, 1, 1024, 1, 1, 0, first, arguments, nullptr);
  work<<<kBlocks, 256, 0, own>>>(beside.stop, 5, beside.runs, beside.runs + kBlocks);
  beside.end();

  Work lasting;
  int* sum;
  CHECK_OK(cudaMallocManaged(&sum, sizeof *sum));
  *sum = 0;
  work<<<kBlocks, 256, 0, own>>>(lasting.stop, 2000, lasting.runs, lasting.runs + kBlocks);
  urgent<<<20, 1, 0, first>>>(sum);
  CHECK_OK(cudaStreamSynchronize(first));
  CHECK_IS(*sum, 20);
  lasting.end();
  std::puts("every block ran once");
}
#endif
// CHECK: every block ran once
// REPORT-DAG: collective {{.*}} native x1 launched as it comes; of no compiler of ours
// REPORT-DAG: work {{.*}} persistent 4/SM x1 {{.*}}; steps back for a higher priority
// REPORT-DAG: urgent {{.*}} x1 unknown, alone
