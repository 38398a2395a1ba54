// Threads that leave a callee before its barrier leave the kernel before it. A function gets the drain
// barrier, a member cannot. Conditions that do not come from threadIdx keep a block together; what
// comes out of a call may, and a loop's end is taken for the same in all threads.
// RUN: %gpusched-opt --explain %s 2>%t.err >%t.cu
// RUN: count 1 <%t.err
// RUN: FileCheck %s <%t.err
// RUN: grep -v TEXT %t.cu | FileCheck --check-prefix=TEXT %s
__device__ void body(int* p, int i, int n) {
  int last = i + 1;
  if (last > n) return;
  __syncthreads();
  p[0] = 1;
}
__device__ void around(int* p, int i, int n) { body(p, i, n); }
// TEXT: __global__ void drains__gs({{.*}}BodyBarrier{true
__global__ void drains(int* p, int n) { around(p, threadIdx.x, n); }
// TEXT: __global__ void uniform__gs(
// TEXT-NOT: BodyBarrier
__global__ void uniform(int* p, int n) { around(p, blockIdx.x, n); }

// TEXT: struct unknown__gs_call
__device__ int ask(const int* p) { return p[threadIdx.x]; }
__device__ void unknown(int* p) {
  if (ask(p)) return;
  __syncthreads();
  p[0] = 1;
}
// TEXT: __global__ void result__gs({{.*}}BodyBarrier{true
__global__ void result(int* p) { unknown(p); }
__device__ void rounds(int* p) {
  for (int i = p[1]; i > 0; i /= 2)
    __syncthreads();
}
// TEXT: __global__ void loop__gs(
// TEXT-NOT: BodyBarrier
__global__ void loop(int* p) { rounds(p); }

struct Op {
  int n;
  __device__ void operator()(int* p) const {
    if (threadIdx.x >= n) return;
    __syncthreads();
    p[0] = 1;
  }
};
// CHECK: kernel 'member' kept native: [GS040] {{.*}}'operator()'
__global__ void member(int* p, int n) { Op{n}(p); }
