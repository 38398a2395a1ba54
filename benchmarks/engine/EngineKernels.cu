// EngineKernels - what the cpu device's engine is timed on; EngineSpeed.cpp launches them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All take three buffers of the same size and one number. Shapes: one element a thread unless said.

extern "C" __global__ void vecadd(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

template <int kTile> __device__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int tile = 0; tile < n; tile += kTile) {
    left[y][x] = a[row * n + tile + x];
    right[y][x] = b[(tile + y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k)
      sum += left[y][k] * right[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void matmul16(const float* a, const float* b, float* c, int n) {
  multiply<16>(a, b, c, n);
}
extern "C" __global__ void matmul32(const float* a, const float* b, float* c, int n) {
  multiply<32>(a, b, c, n);
}

__device__ float warpSum(float value) {
  for (int offset = 16; offset; offset /= 2)
    value += __shfl_down_sync(~0u, value, offset);
  return value;
}

extern "C" __global__ void reduction(const float* a, const float*, float* c, int n) {
  __shared__ float partial[8];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float sum = warpSum(i < n ? a[i] : 0);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    const float total = warpSum(threadIdx.x < 8 ? partial[threadIdx.x] : 0);
    if (threadIdx.x == 0)
      c[blockIdx.x] = total;
  }
}

extern "C" __global__ void histogram(const float* a, const float*, float* c, int n) {
  __shared__ unsigned bins[256];
  const unsigned* words = reinterpret_cast<const unsigned*>(a);
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    const unsigned word = words[i];
    for (int shift = 0; shift < 32; shift += 8)
      atomicAdd(&bins[word >> shift & 255], 1u);
  }
  __syncthreads();
  atomicAdd(reinterpret_cast<unsigned*>(c) + threadIdx.x, bins[threadIdx.x]);
}

/// Columns of a tile: shared reads of stride 33.
extern "C" __global__ void transpose(const float* a, const float*, float* c, int n) {
  __shared__ float tile[32][33];
  const int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 32, row = blockIdx.y * 32;
  for (int k = 0; k < 32; k += 8)
    tile[y + k][x] = a[(row + y + k) * n + column + x];
  __syncthreads();
  for (int k = 0; k < 32; k += 8)
    c[(column + y + k) * n + row + x] = tile[x][y + k];
}

extern "C" __global__ void transcendental(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float x = 0.5f + 0.001f * float(i & 4095);
  c[i] = __expf(-x) + __logf(x) + __sinf(x) * __cosf(x) + rsqrtf(x) + sqrtf(x) + __fdividef(1, x) +
         expf(x * 0.25f) + logf(x) + a[i] * b[i];
}

/// Lanes in two halves, each with its own loop.
extern "C" __global__ void divergent(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = a[i];
  const int rounds = 8 + (i & 7);
  if (i & 1)
    for (int k = 0; k < rounds; ++k)
      sum = sum * 0.5f + b[i];
  else
    for (int k = 0; k < rounds; ++k)
      sum = sum * 0.25f - b[i];
  c[i] = sum;
}

/// Global loads at random places.
extern "C" __global__ void gather(const float* a, const float*, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[(i * 2654435761u) & (n - 1)] + a[(i * 40503u) & (n - 1)];
}
