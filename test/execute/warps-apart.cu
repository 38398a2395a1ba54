// In a batch, warps of a body that share nothing go on by themselves, also where some leave early, ask the other lanes
// of their warp, or take longer. Those that share memory, or words of the block's index, or wait for each other, do
// not. The worker's words are the twin's own, in front of the kernel's.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_90" --outlined=some
// RUN: %gpusched-cc --gpusched-strict -arch=sm_90 -ptx %s -o %t.ptx
// RUN: grep -oE 'entry \w+__gs|^\.shared .*WorkerShared|ld.volatile.shared.v2' %t.ptx | uniq | FileCheck %s
// RUN: %gpusched run --device=cpu -- %t/native > %t.native
// RUN: env GPUSCHED_CLAIM_BATCH=4 %gpusched run --device=cpu --check=race,memory \
// RUN:   --variant=persistent --blocks-per-sm=1 --sms=0-1 -- %t/gpusched | diff - %t.native
// CHECK-NOT: WorkerShared
// CHECK: straight__gs
// CHECK-NEXT: ld.volatile.shared.v2
// CHECK-NEXT: asks__gs
// CHECK-NEXT: ld.volatile.shared.v2
// CHECK-NEXT: calls__gs
// CHECK-NEXT: ld.volatile.shared.v2
// CHECK-NEXT: shares__gs
// CHECK-NEXT: waits__gs
// CHECK-NEXT: meets__gs
// CHECK-NEXT: passes__gs
// CHECK-NEXT: finds__gs
// CHECK-NEXT: ofType__gs
// CHECK-NEXT: ld.volatile.shared.v2
// CHECK-NEXT: leaves__gs
// CHECK-NOT: {{.}}
#include "Inputs/Expect.h"

constexpr int kBlocks = 300, kThreads = 96, kLive = kThreads * kBlocks - 50;

__device__ __noinline__ int met(int value) {
  __syncthreads();
  return value;
}
/// Without a barrier: each warp has its own words.
__device__ __noinline__ int passed(int value) {
  __shared__ int words[kThreads];
  words[threadIdx.x] = value;
  __syncwarp();
  return words[threadIdx.x ^ 1];
}
__device__ __noinline__ int ownBlock() { return blockIdx.x; }
__device__ __noinline__ int one() { return 1; }
__device__ int place() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void straight(int* out) {
  if (place() >= kLive)
    return;
  if (threadIdx.x < 32)
    __nanosleep(blockIdx.x % 7 * 100);
  atomicAdd(&out[blockIdx.x], threadIdx.x);
}
__global__ void asks(int* out) {
  const int sum = __reduce_add_sync(0xffffffff, threadIdx.x);
  if (threadIdx.x % 32 == 0)
    atomicAdd(&out[blockIdx.x], sum);
}
__global__ void calls(int* out) { atomicAdd(&out[blockIdx.x], one()); }
template <class T> __global__ void ofType(T* out) { atomicAdd(&out[blockIdx.x], T(threadIdx.x)); }

template <class T> __global__ void leaves(T* out) {
  if (threadIdx.x % 32 > 20)
    return;
  atomicAdd(&out[blockIdx.x], __shfl_sync(0xffffffff, T(threadIdx.x), 3));
}

__global__ void shares(int* out) {
  __shared__ int words[kThreads];
  words[threadIdx.x] = threadIdx.x;
  __syncwarp();
  atomicAdd(&out[blockIdx.x], words[threadIdx.x ^ 1]);
}
__global__ void waits(int* out) {
  __syncthreads();
  atomicAdd(&out[blockIdx.x], threadIdx.x);
}
__global__ void meets(int* out) { atomicAdd(&out[blockIdx.x], met(threadIdx.x)); }
__global__ void passes(int* out) { atomicAdd(&out[blockIdx.x], passed(threadIdx.x)); }
__global__ void finds(int* out) { atomicAdd(&out[ownBlock()], threadIdx.x); }

template <class Kernel> void check(const char* name, Kernel kernel, int perBlock, int last) {
  int* out = deviceArray<int>(kBlocks);
  kernel<<<kBlocks, kThreads>>>(out);
  expect<int>(name, out, kBlocks, [=](std::size_t block) { return block == kBlocks - 1 ? last : perBlock; });
}

int main() {
  constexpr int sum = kThreads * (kThreads - 1) / 2, live = kThreads - 50;
  check("straight", straight, sum, live * (live - 1) / 2);
  check("asks", asks, sum, sum);
  check("calls", calls, kThreads, kThreads);
  check("ofType", ofType<int>, sum, sum);
  check("leaves", leaves<int>, 21 * (3 + 35 + 67), 21 * (3 + 35 + 67));
  check("shares", shares, sum, sum);
  check("waits", waits, sum, sum);
  check("meets", meets, sum, sum);
  check("passes", passes, sum, sum);
  check("finds", finds, sum, sum);
}
