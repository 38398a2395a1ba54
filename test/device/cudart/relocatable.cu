// Device code of two files linked by -rdc=true runs: a kernel of one calls a function of the other.
// RUN: split-file %s %t
// RUN: %nvcc -arch=sm_90 -rdc=true %t/kernel.cu %t/function.cu -o %t/main
// RUN: %gpusched run --device=cpu -- %t/main
//--- function.cu
__device__ int offset = 5;
__device__ int shift(int value) { return value + offset; }
//--- kernel.cu
extern __device__ int offset;
__device__ int shift(int value);
__global__ void apply(int* value) { *value = shift(*value); }
int main() {
  int* value = nullptr;
  if (cudaMallocManaged(&value, sizeof(int)) != cudaSuccess)
    return 1;
  *value = 1;
  apply<<<1, 1>>>(value);
  if (cudaDeviceSynchronize() != cudaSuccess || *value != 6)
    return 2;
  int more = 10;
  cudaMemcpyToSymbol(offset, &more, sizeof more);
  apply<<<1, 1>>>(value);
  return cudaDeviceSynchronize() == cudaSuccess && *value == 16 ? 0 : 3;
}
