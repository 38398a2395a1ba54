// How many registers PTX would need is estimated where there is no machine code. An estimate forbids no launch: whoever
// wrote this one knows the number.
// RUN: %nvcc -gencode arch=compute_90,code=compute_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Check.h"

constexpr int kValues = 120;

__global__ void keepMany(float* data) {
  float values[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i)
    values[i] = data[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kValues; ++i)
    data[i * 1024 + threadIdx.x] = values[(i + 1) % kValues] + values[kValues - 1 - i];
}

int main() {
  float* data = nullptr;
  CHECK_OK(cudaMallocManaged(&data, kValues * 1024 * sizeof *data));
  for (int i = 0; i < kValues * 1024; ++i)
    data[i] = float(i / 1024);
  keepMany<<<1, 1024>>>(data);
  CHECK_OK(cudaGetLastError());
  CHECK_OK(cudaDeviceSynchronize());
  CHECK_IS(int(data[5 * 1024 + 1023]), 6 + kValues - 1 - 5);
}
