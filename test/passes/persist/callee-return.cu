// Threads that leave a callee before its barrier have one less than others, whatever follows.
// Functions and members get the drain barrier. Only a condition that is shown to be the same for
// all threads keeps a block together: in loops, members and lambdas too.
// RUN: %gpusched-opt --explain %s 2>%t.err >%t.cu
// RUN: count 0 <%t.err
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
// TEXT: __global__ void uniform__gs({{.*}}.advance();
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
// TEXT: struct rounds__gs_call
__device__ void rounds(int* p) {
  for (int i = p[1]; i > 0; i /= 2)
    __syncthreads();
}
// TEXT: __global__ void loop__gs({{.*}}BodyBarrier{true
__global__ void loop(int* p) { rounds(p); }
__device__ void countDown(int* p, const int& n) {
  for (int i = n; i > 0; i /= 2)
    __syncthreads();
  p[0] = n;
}
// TEXT: __global__ void counted__gs({{.*}}.advance();
__global__ void counted(int* p) {
  const int threads = blockDim.x * blockDim.y;
  countDown(p, threads);
}

// Who leaves the first of these functions may leave the next one in the same way.
// TEXT: __global__ void phases__gs({{.*}}BodyBarrier{true
__global__ void phases(int* p, int n) {
  body(p, threadIdx.x, n);
  body(p, threadIdx.x, n);
}
// TEXT: __global__ void followed__gs({{.*}}BodyBarrier{true
__global__ void followed(int* p, int n) {
  body(p, threadIdx.x, n);
  __syncthreads();
  p[1] = 2;
}

struct Self { int i; __device__ Self() : i(threadIdx.x) {} };
// TEXT: __global__ void constructed__gs({{.*}}BodyBarrier{true
__global__ void constructed(int* p, int n) {
  const Self self;
  if (self.i >= n) return;
  __syncthreads();
  p[0] = 1;
}
__device__ void standard(int* p, int n, int i = threadIdx.x) {
  if (i >= n) return;
  __syncthreads();
  p[0] = 1;
}
// TEXT: __global__ void byDefault__gs({{.*}}BodyBarrier{true
__global__ void byDefault(int* p, int n) { standard(p, n); }
// TEXT: __global__ void captured__gs({{.*}}BodyBarrier{true
__global__ void captured(int* p, int n) {
  const int i = threadIdx.x;
  const auto f = [&] { if (i >= n) return; __syncthreads(); p[0] = 1; };
  f();
}
#define ROUNDS(N) for (int i = N; i > 0; i /= 2) __syncthreads();
template <class T> __device__ void each(const T* p, int i) { ROUNDS(p[i]) }
// TEXT: __global__ void instance__gs({{.*}}BodyBarrier{true
__global__ void instance(const int* p) { each(p, 1); }

// Lanes that leave a function before its primitive.
__device__ int share(int i, int n) {
  if (i >= n) return 0;
  return __shfl_sync(0xffffffffu, i, 0);
}
// TEXT: __global__ void shared__gs({{.*}}LaneDrain
__global__ void shared(int* p, int n) { p[threadIdx.x] = share(threadIdx.x, n); }
// TEXT: __global__ void together__gs({{.*}}.advance();
__global__ void together(int* p, int n) { p[threadIdx.x] = share(blockIdx.x, n); }

struct Op {
  int n;
  __device__ void operator()(int* p) const {
    if (threadIdx.x >= n) return;
    __syncthreads();
    p[0] = 1;
  }
  __device__ void each(int* p) const {
    for (int i = 0; i < n; ++i)
      __syncthreads();
    p[0] = 1;
  }
};
// TEXT: __global__ void member__gs({{.*}}BodyBarrier{true
__global__ void member(int* p, int n) { Op{n}(p); }
// TEXT: __global__ void ownRounds__gs({{.*}}BodyBarrier{true
__global__ void ownRounds(int* p) {
  const Op op{p[threadIdx.x]};
  op.each(p);
}
// TEXT: __global__ void sameRounds__gs({{.*}}.advance();
__global__ void sameRounds(int* p, int n) {
  const Op op{n};
  op.each(p);
}
