// __syncthreads_count and its like behind an exit: parameters and members of their names, and every
// barrier of such a kernel counts. Left alone without an exit, and without them; refused where their
// names cannot be replaced.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: grep -v '^ *// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
#define ANY(p) __syncthreads_or(p)

// OUT: struct busy__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim; ::gpusched::BodyBarrier __syncthreads; ::gpusched::CountingBarrier__syncthreads_count __syncthreads_count; template
template <class T> __device__ int busy(T value) {
  __syncthreads();
  return __syncthreads_count(value > 0);
}
struct Vote {
  // OUT: int all__gs(const ::uint3 blockIdx, const ::dim3 gridDim, const ::gpusched::CountingBarrier__syncthreads_and __syncthreads_and, int yes)
  __device__ int all(int yes) { return __syncthreads_and(yes); }
};

// OUT: void leaves__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, const ::gpusched::BodyBarrier __syncthreads, const ::gpusched::CountingBarrier__syncthreads_and __syncthreads_and, const ::gpusched::CountingBarrier__syncthreads_or __syncthreads_or, const ::busy__gs_call busy,
__global__ void leaves(int* a, int n) {
  if (threadIdx.x >= n) return;
  // OUT: {{^}}  while (ANY(a[threadIdx.x] > 0))
  while (ANY(a[threadIdx.x] > 0)) {
    a[threadIdx.x] -= busy(a[threadIdx.x]);
    // OUT: {{^}}    if (Vote().all__gs(blockIdx, gridDim, __syncthreads_and, 1)) __syncthreads();{{$}}
    if (Vote().all(1)) __syncthreads();
  }
}
// OUT: void leaves(int * a , int n) { leaves__gs_body(::blockIdx, ::gridDim, ::gpusched::BodyBarrier{false}, ::gpusched::CountingBarrier__syncthreads_and{false, false},
// OUT: leaves__gs_body(gpusched_worker.block(), gpusched_worker.grid(), ::gpusched::BodyBarrier{true, false, true}, ::gpusched::CountingBarrier__syncthreads_and{true, false},{{.*}} gpusched_after: gpusched_worker.drainCounting(); }

// Only the plain barrier is behind the exit: those who left must not meet another kind later.
// OUT: void plain__gs_body({{.*}} __syncthreads, const ::gpusched::CountingBarrier__syncthreads_count __syncthreads_count,
__global__ void plain(int* a) {
  const int b = __syncthreads_count(a[0]);
  if (threadIdx.x >= a[1]) return;
  __syncthreads();
  a[2] = b;
}
// OUT: plain__gs_body({{.*}} gpusched_after: gpusched_worker.drainCounting(); }

// Lanes leave a warp before a shuffle.
__global__ void lanes(int* a, int n) {
  if (threadIdx.x >= n) return;
  a[threadIdx.x] = __syncthreads_count(__shfl_down_sync(~0u, a[threadIdx.x], 1));
}
// OUT: lanes__gs_body({{.*}}::gpusched::BodyBarrier{true, true, true}, ::gpusched::LanePrimitive__shfl_down_sync{true}, ::gpusched::CountingBarrier__syncthreads_count{true, true},{{.*}} gpusched_after: gpusched_lanes.leaveCounting(), gpusched_worker.drainCounting(); }

// OUT: void stays__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* a)
__global__ void stays(int* a) { a[0] = __syncthreads_count(a[1]) + busy(2); }
// OUT: stays__gs_body({{.*}} gpusched_after: gpusched_worker.advance(); }
__global__ void uncounted(int n) {
  if (threadIdx.x < n) __syncthreads();
}
// OUT: uncounted__gs_body({{.*}}::gpusched::BodyBarrier{true}, n){{.*}} gpusched_after: gpusched_worker.drain(); }

// CHECK: remark: kernel 'qualified' kept native: [GS040] {{.*}}__syncthreads_count
__global__ void qualified(int* a, int n) {
  if (threadIdx.x < n) a[0] = ::__syncthreads_count(1);
}
// CHECK: remark: kernel 'hidden' kept native: [GS040] {{.*}}__syncthreads_or
__global__ void hidden(int* a, int n) {
  if (threadIdx.x < n) a[0] = [](int p) { return __syncthreads_or(p); }(1);
}
// CHECK: remark: kernel 'beside' kept native: [GS040] {{.*}}__syncthreads_or
__global__ void beside(int* a, int n) {
  a[0] = [](int p) { return __syncthreads_or(p); }(1);
  if (threadIdx.x < n) a[0] = __syncthreads_or(2);
}
// CHECK-NOT: kept native
