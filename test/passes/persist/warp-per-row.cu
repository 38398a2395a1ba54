// Whole warps leave: fine, if the launch has rows of whole warps (flag 4). Lanes leave: they are
// drained (flag 2), in any launch.
// RUN: %gpusched-opt %s >%t.out
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
// OUT: "rowSum", {{.*}}, [[@LINE+1]], 3, 21);
__global__ void rowSum(const float* a, float* sums, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = a[row * 32 + lane];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (lane == 0) sums[row] = sum;
}
// OUT: "lastWarp", {{.*}}, [[@LINE+1]], 1, 53);
__global__ void lastWarp(int* a) {
  if (threadIdx.x < 32) {
    const int sum = __reduce_add_sync(~0u, a[threadIdx.x]);
    if (threadIdx.x == 0) a[blockIdx.x] = sum;
  }
}
// OUT: "lanes", {{.*}}, [[@LINE+1]], 2, 51);
__global__ void lanes(int* a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  a[i] = __shfl_down_sync(~0u, a[i], 1);
}
// OUT: "active", {{.*}}, [[@LINE+1]], 2, 49);
__global__ void active(int* a, int n) {
  if (threadIdx.x >= n) return;
  a[0] = __ballot_sync(__activemask(), a[threadIdx.x]);
}
