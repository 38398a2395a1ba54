// Where only a whole warp goes on, lanes that have left are not named: what is asked there need not
// be told of them, not even in an operator that could not be.
// RUN: %gpusched-opt --explain %s >%t.cu 2>%t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s && FileCheck --check-prefix=REMARK %s < %t.err
// RUN: %reparse %t.cu
#define WHOLE 0xffffffff
__device__ inline bool isWhole() { return (__activemask() == WHOLE); }

__device__ int ask(int value) { return __shfl_sync(WHOLE, value, 3); }
__device__ int leave(int value) {
  if (value > 3)
    return 0;
  return __shfl_sync(WHOLE, value, 3);
}
struct Loaded {
  int* place;
  __device__ int load() const {
    if (isWhole())
      return ask(*place);
    return *place;
  }
  __device__ operator int() const {
    if (~0u == __activemask()) {
      return ask(*place);
    } else {
      return *place;
    }
  }
};

// The twin's blocks have a barrier between them.
// CHECK: void loads__gs({{.*}}::gpusched::BatchWorker gpusched_worker(gpusched_launch); {{.*}} loads__gs_body({{.*}} gpusched_after: gpusched_worker.advance(); }
__global__ void loads(int* out, int n) {
  if (threadIdx.x >= n)
    return;
  Loaded loaded{out};
  out[blockIdx.x] = loaded + loaded.load();
}

// Another question, and callees or branches in which somebody may leave before.
struct Some {
  __device__ operator int() const {
    if (__activemask() == 1)
      return ask(1);
    return 0;
  }
};
struct Leaving {
  __device__ operator int() const {
    if (isWhole())
      return leave(1);
    return 0;
  }
};
struct Branching {
  int value;
  __device__ operator int() const {
    if (isWhole()) {
      if (value > 3)
        return 0;
      return ask(1);
    }
    return 0;
  }
};
// REMARK: remark: kernel 'some' kept native: [GS041] {{.*}} in 'ask'
// REMARK-NEXT: remark: kernel 'leaving' kept native: [GS041] {{.*}} in 'leave'
// REMARK-NEXT: remark: kernel 'branching' kept native: [GS041] {{.*}} in 'ask'
// REMARK-NOT: remark:
__global__ void some(int* out, int n) {
  if (threadIdx.x < n)
    return;
  out[blockIdx.x] = Some{};
}
__global__ void leaving(int* out, int n) {
  if (threadIdx.x < n)
    return;
  out[blockIdx.x] = Leaving{};
}
__global__ void branching(int* out, int n) {
  if (threadIdx.x < n)
    return;
  out[blockIdx.x] = Branching{n};
}

int main() { loads<<<1, 32>>>(nullptr, 3); }
