// A twin's waits are told no more than the kernel's PTX asks for, whatever its source may hold: instantiations of
// one text, what optimisation removed, or showed to be the whole warp.
// RUN: %gpusched-cc --gpusched-strict -arch=sm_90 -ptx %s -o %t.ptx && FileCheck %s < %t.ptx
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_90" --outlined=native
// CHECK-LABEL: .entry {{.*each__gsI6NoWait}}
// CHECK-NOT: {{BlockDrain|splicedMeet|9LaneState}}
// CHECK-LABEL: .entry {{.*each__gsI11OnlyBarrier}}
// CHECK-NOT: {{splicedMeet|9LaneState}}
// CHECK: 10BlockDrain4meetEj
// CHECK-LABEL: .entry {{.*each__gsI9WholeWarp}}
// CHECK-NOT: 9LaneWaitsE
// CHECK: splicedMeetILb0E
// CHECK-LABEL: .entry {{.*each__gsI9SomeLanes}}
// CHECK: 9LaneWaitsE
// CHECK: splicedMeetILb1E
// CHECK-LABEL: .entry {{.*each__gsI10NoQuestion}}
// CHECK-NOT: {{CountingDrain|splicedCount}}
// CHECK-LABEL: .entry {{.*each__gsI8Question}}
// CHECK: splicedCount
// CHECK-LABEL: .entry {{.*each__gsI9OutOfLine}}
// CHECK-NOT: 9LaneWaitsE
// CHECK: deep{{.*}}__gsl
#include "Inputs/Expect.h"

constexpr bool kNever = sizeof(int) == 8;
constexpr int kBlocks = 90, kThreads = 64, kLive = 40, kLanes = 5;

/// What nvcc knows to be the whole warp, and the source only as a mask.
__device__ inline unsigned maskOf(int lanes) { return lanes == 32 ? 0xffffffffu : (1u << lanes) - 1; }

__device__ inline int first(int value, int lanes) { return __shfl_sync(maskOf(lanes), value, 0); }

__device__ __noinline__ int deep(int value) { return __shfl_sync(0xffffffff, value, 0) + kThreads; }

template <class Body> __global__ void each(int* out, int live, int lanes) {
  if (threadIdx.x >= live)
    return;
  atomicAdd(&out[blockIdx.x], Body::run(live, lanes));
}

struct NoWait {
  static __device__ int run(int live, int) {
    if (kNever)
      __syncthreads();
    return kNever ? first(live, 7) : 1;
  }
};
struct OnlyBarrier {
  static __device__ int run(int, int) {
    __shared__ int word;
    word = blockIdx.x;
    __syncthreads();
    return kNever ? first(1, 7) : word;
  }
};
struct WholeWarp {
  static __device__ int run(int, int) { return first(threadIdx.x + 1, 32); }
};
struct SomeLanes {
  static __device__ int run(int, int lanes) {
    return threadIdx.x % 32 < lanes ? first(threadIdx.x + 1, lanes) : 0;
  }
};
struct NoQuestion {
  static __device__ int run(int live, int) {
    __syncthreads();
    return kNever ? __syncthreads_or(live) : 1;
  }
};
struct Question {
  static __device__ int run(int, int) { return __syncthreads_count(threadIdx.x % 2); }
};
struct OutOfLine {
  static __device__ int run(int, int) { return deep(threadIdx.x); }
};

template <class Body> void check(const char* name, int perBlock, int ofBlock = 0) {
  int* out = deviceArray<int>(kBlocks);
  each<Body><<<kBlocks, kThreads>>>(out, kLive, kLanes);
  expect<int>(name, out, kBlocks, [=](std::size_t block) { return perBlock + ofBlock * static_cast<int>(block); });
}

int main() {
  check<NoWait>("no wait", kLive);
  check<OnlyBarrier>("only a barrier", 0, kLive);
  check<WholeWarp>("whole warp", 32 + 8 * 33);
  check<SomeLanes>("some lanes", kLanes + kLanes * 33);
  check<NoQuestion>("no question", kLive);
  check<Question>("question", kLive * kLive / 2);
  check<OutOfLine>("out of line", kLive * kThreads + 8 * 32);
}
