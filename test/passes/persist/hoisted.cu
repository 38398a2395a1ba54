// nvcc moves what a body computes of threadIdx alone in front of the worker's loop, if it can tell that each
// logical block computes the same, and then has to keep it: here 16 addresses for each half of the block.
// RUN: %gpusched-cc --gpusched-strict --gpusched-report --gpusched-profile=none -O3 -arch=sm_90 -cubin %s -o %t.cubin 2>&1 \
// RUN:   | FileCheck %s
// CHECK: native sm_90 {{ *}}[[NATIVE:[0-9]+]] registers
// CHECK: persistent sm_90 {{ *}}[[NATIVE]] registers
constexpr int kSize = 16;
__global__ void solve(float* matrix, int width, int offset) {
  __shared__ float diagonal[kSize][kSize], rows[kSize][kSize], columns[kSize][kSize];
  const int lane = threadIdx.x % kSize;
  const bool isRow = threadIdx.x < kSize;
  int place = offset * width + offset;
  for (int i = 0; i < kSize; ++i) {
    diagonal[i][lane] = matrix[place + lane];
    place += width;
  }
  place = (offset + (blockIdx.x + 1) * kSize) * width + offset;
  for (int i = 0; i < kSize; ++i)
    columns[i][lane] = matrix[place + i * width + lane], rows[i][lane] = matrix[place + i + lane * width];
  __syncthreads();
  float(&mine)[kSize][kSize] = isRow ? rows : columns;
  for (int i = 1; i < kSize; ++i)
    for (int j = 0; j < i; ++j)
      mine[i][lane] -= diagonal[i][j] * mine[j][lane];
  __syncthreads();
  for (int i = 0; i < kSize; ++i)
    matrix[place + i * width + lane] = columns[i][lane] + rows[i][lane];
}
