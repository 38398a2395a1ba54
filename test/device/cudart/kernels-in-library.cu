// A program linked by nvcc to a shared cudart whose kernels are all in a library: of the registration
// it imports the end alone, which nvcc's device link refers to.
// RUN: mkdir -p %t && %nvcc -arch=sm_90 -cudart shared -DLIBRARY -Xcompiler -fPIC -shared %s -o %t/libkernels.so
// RUN: cp %s %t/program.cpp && %nvcc -arch=sm_90 -cudart shared %t/program.cpp -L%t -lkernels -Xlinker -rpath,%t -o %t/program
// RUN: nm -D %t/program | not grep __cudaRegisterFatBinary
// RUN: %gpusched run --device=cpu -- %t/program
#include <cuda_runtime.h>

#ifdef LIBRARY
__global__ void set(int* value) { *value = 7; }
extern "C" void run(int* value) { set<<<1, 1>>>(value); }
#else
extern "C" void run(int* value);

int main() {
  int* value = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&value), sizeof *value);
  run(value);
  return cudaDeviceSynchronize() != cudaSuccess || *value != 7;
}
#endif
