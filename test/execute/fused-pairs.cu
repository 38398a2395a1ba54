// Launches that are made as one compute what they do on their own: grids of one to three dimensions and of
// very unlike size, early returns in front of barriers, static and dynamic shared memory, functions out of line, classes, a
// kernel beside itself. Ordered streams stay in order, and blocks of unlike shape are launched apart.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=some
// RUN: %gpusched run --device=cpu -- %t/native > %t/reference
// RUN: %gpusched run --device=cpu --fuse=always --trace=%t/trace.json -- %t/gpusched | diff %t/reference -
// RUN: %gpusched run --device=cpu --fuse=always --schedule=7 --policy=serial -- %t/gpusched | diff %t/reference -
// RUN: grep -o '"kernel": "[^"]*+[^"]*"' %t/trace.json | sort | uniq -c | FileCheck %s
// CHECK: 3 "kernel": "drains + {{.*}}sum<int>"
// CHECK: 1 "kernel": "fill + fill"
// CHECK: 1 "kernel": "fill + transpose"
// CHECK-NOT: kernel
#include "Inputs/Expect.h"

struct Part {
  int* out;
  int first, count;
};
__noinline__ __device__ int place(int width) { return blockIdx.x * width + threadIdx.x; }
__noinline__ __device__ int rows() { return gridDim.y; }

__global__ void __launch_bounds__(64) drains(Part part) {
  __shared__ int values[64];
  const int index = place(64);
  values[threadIdx.x] = index + part.first;
  if (index >= part.count)
    return;
  __syncthreads();
  if (threadIdx.x > 0)
    part.out[index] = values[threadIdx.x - 1];
}
template <class T> __global__ void sum(const T* in, T* out, int rounds) {
  extern __shared__ int partial[];
  partial[threadIdx.x] = 0;
  for (int i = 0; i < rounds; ++i)
    partial[threadIdx.x] += in[(blockIdx.x * rounds + i) * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = partial[0] + gridDim.x;
}
__global__ void fill(int* out, int value) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  out[block * blockDim.x + threadIdx.x] += value * block + rows();
}
__global__ void transpose(const int* in, int* out) {
  out[threadIdx.x * gridDim.x + blockIdx.x] = __shfl_xor_sync(~0u, in[place(blockDim.x)], 1);
}

int main() {
  cudaStream_t s, t;
  must(cudaStreamCreate(&s), "stream");
  must(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking), "stream");
  std::vector<int> numbers(64 * 1200);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = int(i * 7919 % 1000);
  int* const in = deviceCopy(numbers);
  int* const shifted = deviceArray<int>(3000);
  int* const sums = deviceArray<int>(400);
  must(cudaDeviceSynchronize(), "setup");
  for (int round = 0; round < 3; ++round) {
    const Part part = {shifted, 5 + round, 2990};
    drains<<<47, 64, 0, s>>>(part);
    sum<int><<<round == 1 ? 1 : 400, 64, 64 * sizeof(int), t>>>(in, sums, 3);
  }
  expect<int>("shifted", shifted, 2990, [](std::size_t i) { return i % 64 ? int(i + 6) : 0; });
  expect<int>("sums", sums, 400, [&](std::size_t i) {
    int all = 400;
    for (std::size_t j = 0; j < 192; ++j)
      all += numbers[i * 192 + j];
    return all;
  });

  int* const cube = deviceArray<int>(24 * 32);
  int* const plane = deviceArray<int>(7 * 32);
  must(cudaDeviceSynchronize(), "setup");
  fill<<<dim3(2, 3, 4), 32, 0, s>>>(cube, 3);
  fill<<<7, 32, 0, t>>>(plane, 4);
  expect<int>("cube", cube, 24 * 32, [](std::size_t i) { return int(i / 32 * 3 + 3); });
  // In order within s, though the pair is of two streams.
  int* const turned = deviceArray<int>(32 * 9);
  must(cudaDeviceSynchronize(), "setup");
  fill<<<7, 32, 0, t>>>(plane, 1);
  transpose<<<9, 32, 0, s>>>(in, turned);
  expect<int>("plane", plane, 7 * 32, [](std::size_t i) { return int(i / 32 * 5 + 2); });
  expect<int>("turned", turned, 32 * 9, [&](std::size_t i) { return numbers[i % 9 * 32 + (i / 9 ^ 1)]; });
  // Unlike shapes, and the legacy default stream.
  fill<<<7, 16, 0, s>>>(plane, 1);
  fill<<<7, 32, 0, t>>>(cube, 1);
  must(cudaDeviceSynchronize(), "apart");
  fill<<<7, 32>>>(plane, 1);
  fill<<<7, 32, 0, t>>>(cube, 1);
  expect<int>("cube again", cube, 7 * 32, [](std::size_t i) { return int(i / 32 * 5 + 5); });
}
