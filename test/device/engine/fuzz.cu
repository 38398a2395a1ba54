// Damaged PTX that still parses neither crashes nor hangs the decoder and the engine. A million
// mutants: the same program with 1000000 instead of 2000. Under the sanitizers: configure another
// build folder with -DCMAKE_CXX_FLAGS=-fsanitize=address,undefined\ -fno-sanitize-recover=undefined
// and give ASAN_OPTIONS=handle_segv=0:allow_user_segv_handler=1:log_path=FILE, since the engine
// catches the wild accesses of kernels itself and the program closes standard error.
// RUN: %nvcc -ptx -rdc=true -arch=compute_90 %s -o %t.ptx
// RUN: %nvcc -ptx -arch=compute_80 %root/test/conformance/named-barriers.cu -o %t.barriers.ptx
// RUN: %build/test-bin/engine-EngineFuzz 2000 1 %t.ptx %t.barriers.ptx | FileCheck %s
// CHECK: 2000 mutants
#include <cuda_fp16.h>
#include <mma.h>
#include <cstdio>

__device__ __noinline__ int recurse(int n) { return n < 2 ? n : recurse(n - 1) + recurse(n - 2); }

__global__ void mixed(int* out, float* values, long long wide) {
  __shared__ float tile[64];
  __shared__ int count;
  int local[8];
  const int t = threadIdx.x;
  for (int i = 0; i < 8; ++i)
    local[i] = out[i] + t;
  if (t == 0)
    count = 0;
  tile[t & 63] = values[t] * 2.5f;
  __syncthreads();
  atomicAdd(&count, local[t & 7]);
  const unsigned ballot = __ballot_sync(__activemask(), t & 1);
  const float other = __shfl_xor_sync(__activemask(), tile[t & 31], 1);
  switch (t & 3) {
  case 0: out[t] = recurse(t & 7); break;
  case 1: out[t] = __popc(ballot) + __dp4a(t, 3, 5); break;
  case 2: out[t] = __float2int_rn(other / 3.0f) + __half2int_rz(__float2half(other)); break;
  default: out[t] = int(wide % 7) + __clz(t); break;
  }
  __syncthreads();
  if (t == 0)
    printf("%d %f\n", count, double(tile[3]));
  __threadfence();
  values[t] = tile[t & 63] + sinf(other) + fmaf(other, 2.0f, values[t]);
}

__global__ void tensor(half* a, float* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> left;
  fragment<matrix_b, 16, 16, 16, half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, a, 16);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(c, sum, 16, mem_row_major);
}

__global__ void child(int* out) { out[threadIdx.x] += 1; }

__global__ void parent(int* out) {
  if (threadIdx.x != 0)
    return;
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  child<<<1, 32, 0, stream>>>(out);
  cudaMemsetAsync(out, 0, 16, stream);
  cudaStreamDestroy(stream);
  child<<<1, 32, 0, cudaStreamTailLaunch>>>(out);
}
