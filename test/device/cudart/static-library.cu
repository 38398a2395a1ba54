// A shared library with its own static cudart and kernels is redirected too.
// RUN: split-file %s %t
// RUN: %nvcc -arch=sm_90 -Xcompiler -fPIC -shared %t/library.cu -o %t/libtwice.so
// RUN: %nvcc -arch=sm_90 %t/main.cu -o %t/main -L%t -ltwice -Xlinker -rpath=%t
// RUN: %gpusched run --device=cpu -- %t/main
//--- library.cu
__global__ void twice(int* value) { *value *= 2; }
extern "C" int doubled(int value) {
  int* device = nullptr;
  if (cudaMalloc(&device, sizeof(int)) != cudaSuccess)
    return -1;
  cudaMemcpy(device, &value, sizeof(int), cudaMemcpyHostToDevice);
  twice<<<1, 1>>>(device);
  cudaMemcpy(&value, device, sizeof(int), cudaMemcpyDeviceToHost);
  return value;
}
//--- main.cu
extern "C" int doubled(int value);
__global__ void add(int* value) { *value += 1; }
int main() {
  int* managed = nullptr;
  if (cudaMallocManaged(&managed, sizeof(int)) != cudaSuccess)
    return 1;
  *managed = doubled(20);
  add<<<1, 1>>>(managed);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 2;
  return *managed == 41 ? 0 : 3;
}
