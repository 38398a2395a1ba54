// Twins of small kernels: what a worker runs once, or between two bodies, needs more registers at a
// time than such bodies do. Four more in the median, and no more for one that uses sixteen.
// RUN: %root/benchmarks/registers/register_growth.py --build=%build %s --limit=4 -- -O3 -arch=sm_90 > %t
// RUN: FileCheck %s < %t
// CHECK: axpy 10 {{[0-9]+}}
// CHECK: sum 16 16 +0
// CHECK: 2 twins: growth median

__global__ void axpy(const float* x, float* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += a * x[i];
}

__global__ void sum(const int* from, int* to, unsigned n) {
  extern __shared__ int shared[];
  const unsigned i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  int sum = i < n ? from[i] : 0;
  if (i + 512 < n)
    sum += from[i + 512];
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      shared[threadIdx.x] = sum = sum + shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    to[blockIdx.x] = sum;
}
