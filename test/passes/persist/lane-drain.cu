// Lanes leave before warp primitives that name them: the primitives become parameters and members
// that know who is left, of the whole warp or of any mask; members get them as arguments. Those that
// cannot be replaced refuse the kernel.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
constexpr unsigned kAll = 0xffffffffu;
// OUT: struct sum__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim; ::gpusched::LanePrimitive__shfl_xor_sync __shfl_xor_sync; template
template <class T> __device__ T sum(T v) { return v + __shfl_xor_sync(kAll, v, 1); }
// OUT: void leaves__gs_body({{.*}} gridDim, const ::gpusched::BodyBarrier __syncthreads, const ::gpusched::LanePrimitive__syncwarp __syncwarp, const ::sum__gs_call sum, int* p, int n)
// OUT: leaves__gs_body(::blockIdx, ::gridDim, ::gpusched::BodyBarrier{false}, ::gpusched::LanePrimitive__syncwarp{false}, ::sum__gs_call{::blockIdx, ::gridDim, ::gpusched::LanePrimitive__shfl_xor_sync{false}}, p, n);
// OUT: { const ::gpusched::LaneDrain gpusched_lanes{false}; {{.*}} leaves__gs_body({{.*}}, ::gpusched::BodyBarrier{true, true}, ::gpusched::LanePrimitive__syncwarp{true}, ::sum__gs_call{{{.*}}, ::gpusched::LanePrimitive__shfl_xor_sync{true}}, p, n);{{.*}} gpusched_after: gpusched_lanes.leave(), gpusched_worker.drain(); }
__global__ void leaves(int* p, int n) {
  if (threadIdx.x >= n) return;
  p[threadIdx.x] = sum(1);
  __syncwarp();
}
// OUT: void stays__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* p)
__global__ void stays(int* p) { p[threadIdx.x] = sum(1); }
// OUT: void rounds__gs_body({{.*}}const ::gpusched::LanePrimitive__syncwarp __syncwarp,
__global__ void rounds(int* p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) { p[i] = 1; __syncwarp(); }
}
// OUT: gpusched_lanes{true}; {{.*}} partial__gs_body({{.*}}, ::gpusched::BodyBarrier{true, true}, ::gpusched::LanePrimitive__any_sync{true, true},
__global__ void partial(int* p, int n, unsigned mask) {
  if (threadIdx.x < n) p[0] = __any_sync(mask, p[threadIdx.x]);
}
// CHECK: remark: kernel 'hidden' kept native: [GS041] {{.*}}__any_sync
__global__ void hidden(int* p, int n) {
  const auto any = [](int v) { return __any_sync(kAll, v); };
  if (threadIdx.x < n) p[0] = any(p[threadIdx.x]);
}
// OUT: struct Warp { __device__ void wait__gs(const ::uint3 blockIdx, const ::dim3 gridDim, const ::gpusched::LanePrimitive__syncwarp __syncwarp) const
// OUT-SAME: void wait() const{ return wait__gs(::blockIdx, ::gridDim, ::gpusched::LanePrimitive__syncwarp{false}); }
struct Warp { __device__ void wait() const { __syncwarp(); } };
// OUT: void member__gs_body({{.*}}const ::gpusched::LanePrimitive__syncwarp __syncwarp,
// OUT-NEXT: Warp().wait__gs(blockIdx, gridDim, __syncwarp);
__global__ void member(int* p, int n) {
  if (threadIdx.x < n) Warp().wait();
}
// Where rows of whole warps leave no other mask in doubt, those of the whole warp are enough.
// OUT: gpusched_lanes{false}; {{.*}} inRows__gs_body(
// OUT: "inRows", {{.*}}, [[@LINE+1]], 3, 55);
__global__ void inRows(int* p, int n, unsigned mask) {
  if (threadIdx.x / 32 >= n) return;
  p[threadIdx.x] = __any_sync(mask, p[threadIdx.x]);
  if (threadIdx.x % 32 > 5) return;
  __syncwarp();
}
