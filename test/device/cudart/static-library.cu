// A shared library with its own static cudart and kernels is redirected too.
// RUN: mkdir -p %t
// RUN: %nvcc -arch=sm_90 -Xcompiler -fPIC -shared %S/Inputs/doubled.cu -o %t/libtwice.so
// RUN: %nvcc -arch=sm_90 %s -o %t/main -L%t -ltwice -Xlinker -rpath=%t
// RUN: %gpusched run --device=cpu -- %t/main
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
