// cuStreamWaitValue32 and cuStreamWriteValue32 come from cudaGetDriverEntryPointByVersion.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

#include <cuda.h>

using ValueFunction = CUresult (*)(CUstream, CUdeviceptr, cuuint32_t, unsigned);

static void* entryPoint(const char* name) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult status;
  CHECK_OK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &status));
  CHECK_IS(status, cudaDriverEntryPointSuccess);
  return function;
}

__global__ void set(int* value, int to) { *value = to; }

int main() {
  ValueFunction wait = (ValueFunction)entryPoint("cuStreamWaitValue32");
  ValueFunction write = (ValueFunction)entryPoint("cuStreamWriteValue32");
  int *word, *passed;
  CHECK_OK(cudaMallocManaged(&word, sizeof(int)));
  CHECK_OK(cudaMallocManaged(&passed, sizeof(int)));
  *word = *passed = 0;
  cudaStream_t waiting, writing;
  CHECK_OK(cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking));
  CHECK_OK(cudaStreamCreateWithFlags(&writing, cudaStreamNonBlocking));
  CHECK_IS(wait(waiting, (CUdeviceptr)word, 3, CU_STREAM_WAIT_VALUE_GEQ), CUDA_SUCCESS);
  set<<<1, 1, 0, waiting>>>(passed, 1);
  CHECK_IS(write(writing, (CUdeviceptr)word, 2, 0), CUDA_SUCCESS);
  CHECK_OK(cudaStreamSynchronize(writing));
  CHECK_IS(cudaStreamQuery(waiting), cudaErrorNotReady);
  CHECK_IS(*passed, 0);
  CHECK_IS(write(writing, (CUdeviceptr)word, 4, 0), CUDA_SUCCESS);
  CHECK_OK(cudaStreamSynchronize(waiting));
  CHECK_IS(*passed, 1);

  void* function = nullptr;
  cudaDriverEntryPointQueryResult status;
  CHECK_OK(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &function, 12000, 0, &status));
  CHECK_IS(status, cudaDriverEntryPointSymbolNotFound);
}
