// Launches through cudaLaunchKernel with an argument array, of a plain kernel and of an
// instantiation of a template that is launched nowhere else.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

__global__ void fill(int* out, int base) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  out[index] = base + index;
}

template <class T> __global__ void cube(T* out) {
  const T index = static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x);
  out[blockIdx.x * blockDim.x + threadIdx.x] = index * index * index;
}

int main() {
  int* out = deviceArray<int>(60 * 32);
  int base = 17;
  void* arguments[] = {&out, &base};
  must(cudaLaunchKernel(reinterpret_cast<const void*>(fill), dim3(60), dim3(32), arguments, 0,
                        nullptr),
       "fill");
  expect<int>("fill", out, 60 * 32,
              [](std::size_t index) { return 17 + static_cast<int>(index); });
  double* cubes = deviceArray<double>(60 * 32);
  void* cubeArguments[] = {&cubes};
  must(cudaLaunchKernel(cube<double>, dim3(60), dim3(32), cubeArguments, 0, nullptr), "cube");
  expect<double>("cube", cubes, 60 * 32, [](std::size_t index) {
    return static_cast<double>(index) * static_cast<double>(index) * static_cast<double>(index);
  });
}
