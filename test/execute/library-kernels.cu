// Kernels built on the toolkit's libraries: CUB's block reduction and scan, curand's device API,
// wmma.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <curand_kernel.h>
#include <mma.h>

__global__ void blockSums(const int* in, int* out, int count) {
  using Reduce = cub::BlockReduce<int, 128>;
  using Scan = cub::BlockScan<int, 128>;
  __shared__ union {
    Reduce::TempStorage reduce;
    Scan::TempStorage scan;
  } storage;
  const int index = blockIdx.x * 128 + threadIdx.x;
  const int value = index < count ? in[index] : 0;
  int before = 0;
  Scan(storage.scan).ExclusiveSum(value, before);
  __syncthreads();
  const int sum = Reduce(storage.reduce).Sum(value);
  if (index < count)
    out[index] = before;
  if (threadIdx.x == 0)
    out[count + blockIdx.x] = sum;
}

__global__ void randoms(unsigned* out) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  curandStatePhilox4_32_10_t state;
  curand_init(7, index, 0, &state);
  out[index] = curand(&state);
}

__global__ void product(const half* a, const half* b, float* c) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c + blockIdx.x * 256, sum, 16, wmma::mem_row_major);
}

int main() {
  constexpr int count = 40 * 128 - 17;
  std::vector<int> in(count, 3);
  int* out = deviceArray<int>(count + 40);
  blockSums<<<40, 128>>>(deviceCopy(in), out, count);
  expect<int>("sums", out, count + 40, [](std::size_t i) {
    return i < count ? static_cast<int>(i % 128 * 3) : i == count + 39 ? 111 * 3 : 384;
  });
  unsigned* values = deviceArray<unsigned>(40 * 64);
  randoms<<<40, 64>>>(values);
  std::vector<unsigned> drawn(40 * 64);
  must(cudaMemcpy(drawn.data(), values, drawn.size() * sizeof(unsigned), cudaMemcpyDeviceToHost),
       "download");
  unsigned all = 0;
  for (unsigned value : drawn)
    all = all * 31 + value;
  std::printf("randoms: %u\n", all);
  std::vector<half> ones(256, __float2half(1.0f));
  float* c = deviceArray<float>(40 * 256);
  product<<<40, 32>>>(deviceCopy(ones), deviceCopy(ones), c);
  expect<float>("product", c, 40 * 256, [](std::size_t) { return 16.0f; });
}
