// A kernel of the program itself tells its module, which holds all that the file has, also what the host never names;
// what the driver cannot find is no error of the runtime's.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Driver.h"

__device__ int step = 3;
extern "C" __global__ void add(int* data) { data[threadIdx.x] += step; }
template <class T> __global__ void scale(T* data) { data[threadIdx.x] *= step; }
#ifdef __CUDA_ARCH__
template __global__ void scale(int*);
#endif

int main() {
  int *data, host = 0;
  CHECK_OK(cudaMalloc(&data, sizeof(int)));
  CHECK_OK(cudaMemset(data, 0, sizeof(int)));
  add<<<1, 1>>>(data);

  cudaFunction_t function;
  CHECK_OK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(add)));
  CUmodule module;
  CHECK_CU(cuFuncGetModule, &module, function);
  CUfunction known, unnamed;
  CHECK_CU(cuModuleGetFunction, &known, module, "add");
  CHECK_IS(known, function);
  CHECK_CU(cuModuleGetFunction, &unnamed, module, "_Z5scaleIiEvPT_");
  CUdeviceptr address;
  size_t bytes;
  CHECK_CU(cuModuleGetGlobal, &address, &bytes, module, "step");
  CHECK_IS(bytes, sizeof(int));
  const int factor = 5;
  CHECK_CU(cuMemcpyHtoD, address, &factor, sizeof factor);
  void* arguments[] = {&data};
  CHECK_CU(cuLaunchKernel, unnamed, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
  CHECK_OK(cudaMemcpy(&host, data, sizeof host, cudaMemcpyDeviceToHost));
  CHECK_IS(host, 3 * factor);

  CHECK_IS(DRIVER(cuModuleGetFunction)(&unnamed, module, "missing"), CUDA_ERROR_NOT_FOUND);
  CHECK_IS(cudaGetLastError(), cudaSuccess);
  CHECK_IS(cudaEventQuery(nullptr), cudaErrorInvalidResourceHandle);
  CHECK_IS(DRIVER(cuModuleGetFunction)(&unnamed, module, "missing"), CUDA_ERROR_NOT_FOUND);
  CHECK_IS(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}
