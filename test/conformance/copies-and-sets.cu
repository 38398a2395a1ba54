// Copies and sets with pitch, offsets, symbols and pinned memory, in stream order.
// RUN: %nvcc -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

#include <algorithm>

__device__ int table[8];

__global__ void increment(int* values) { ++values[blockIdx.x * blockDim.x + threadIdx.x]; }

int main() {
  cudaStream_t stream;
  must(cudaStreamCreate(&stream), "stream");
  int *pinned = nullptr, *device = deviceArray<int>(64), *other = deviceArray<int>(64);
  must(cudaMallocHost(reinterpret_cast<void**>(&pinned), 64 * sizeof(int)), "pinned");
  for (int index = 0; index < 64; ++index)
    pinned[index] = index;
  must(cudaMemcpyAsync(device, pinned, 256, cudaMemcpyHostToDevice, stream), "up");
  increment<<<2, 32, 0, stream>>>(device);
  must(cudaMemcpyAsync(other, device + 32, 128, cudaMemcpyDeviceToDevice, stream), "across");
  must(cudaMemsetAsync(other + 32, 0x01, 128, stream), "set");
  must(cudaMemcpyAsync(pinned, other, 256, cudaMemcpyDefault, stream), "down");
  must(cudaStreamSynchronize(stream), "run");
  expect<int>("other", other, 64, [](std::size_t index) {
    return index < 32 ? static_cast<int>(index) + 33 : 0x01010101;
  });
  std::printf("pinned: %d %d\n", pinned[0], pinned[63]);

  char *grid = nullptr, host[5 * 3];
  std::size_t pitch = 0;
  must(cudaMallocPitch(reinterpret_cast<void**>(&grid), &pitch, 5, 4), "pitch");
  must(cudaMemset2D(grid, pitch, 'a', 5, 4), "set 2-D");
  must(cudaMemset2D(grid + pitch + 1, pitch, 'b', 3, 2), "set 2-D");
  must(cudaMemcpy2D(host, 5, grid, pitch, 5, 3, cudaMemcpyDeviceToHost), "copy 2-D");
  std::printf("grid: %.15s\n", host);
  const int fresh[2] = {7, 8};
  int back[8];
  must(cudaMemcpyToSymbol(table, fresh, sizeof fresh, 3 * sizeof(int)), "symbol");
  must(cudaMemcpyFromSymbol(back, table, sizeof back), "symbol");
  std::printf("table: %d %d %d %d %d\n", back[2], back[3], back[4], back[5], back[7]);
  return pinned[0] == 33 && pinned[63] == 0x01010101 && back[3] == 7 && back[4] == 8 &&
                 std::equal(host, host + 15, "aaaaaabbbaabbba")
             ? 0
             : 1;
}
