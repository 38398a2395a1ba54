// Member functions that read the built-ins get them as parameters; calls of them are edited, the old
// names stay for everybody else. Static ones, templates, and a free function behind a member.
// RUN: %gpusched-opt --explain %s >%t.cu 2>%t.err
// RUN: count 1 < %t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: %reparse %t.cu -Wno-deprecated-gpu-targets
#define DEVICE __device__
__device__ int offset() { return blockIdx.x; }

template <int W> struct Tile {
  int base;
  // CHECK: template <bool Clamp> __device__ int at__gs(const ::uint3 blockIdx, const ::dim3 gridDim, int i) const { return Clamp ? 9 : base + blockIdx.x * W + i; } template < bool Clamp > __device__ int at(int i) const{ return at__gs<Clamp>(::blockIdx, ::gridDim, i); }
  template <bool Clamp> __device__ int at(int i) const { return Clamp ? 9 : base + blockIdx.x * W + i; }
  // CHECK-NEXT: __device__ int grid__gs(const ::uint3 blockIdx, const ::dim3 gridDim) { return gridDim.x; } __device__ int grid() { return grid__gs(::blockIdx, ::gridDim); }
  __device__ int grid() { return gridDim.x; }
  // CHECK-NEXT: __device__ int plain() const { return base; }
  __device__ int plain() const { return base; }
  // CHECK-NEXT: __device__ static void run__gs(const ::uint3 blockIdx, const ::dim3 gridDim, int* out, int n) { const ::offset__gs_call offset = ::offset__gs_call{blockIdx, gridDim};
  __device__ static void run(int* out, int n) {
    Tile<W> tile{3};
    // CHECK: out[n] = tile.template at__gs<true>(blockIdx, gridDim, n) + tile.at__gs<false>(blockIdx, gridDim, n) + tile.grid__gs(blockIdx, gridDim) + offset() + tile.plain();
    out[n] = tile.template at<true>(n) + tile.at<false>(n) + tile.grid() + offset() + tile.plain();
  }
};

// CHECK: k__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* out, int n) { Tile<W>::run__gs(blockIdx, gridDim, out, n); }
template <int W> __global__ void k(int* out, int n) { Tile<W>::run(out, n); }
// CHECK: { out[0] = tile.grid__gs(blockIdx, gridDim); }
__global__ void one(int* out, Tile<4> tile) { out[0] = tile.grid(); }
// CHECK-NEXT: __global__ void native(int* out, Tile<4>* tile) { asm("exit;"); out[0] = tile->grid(); }
__global__ void native(int* out, Tile<4>* tile) { asm("exit;"); out[0] = tile->grid(); }

// Members that some instantiations need to tell are told by all; one whose body calls an object.
struct Reads {
  int base;
  // CHECK: DEVICE Reads(const ::uint3 blockIdx, const ::dim3 gridDim, int n) : base(n) { const ::offset__gs_call offset = ::offset__gs_call{blockIdx, gridDim}; base += offset(); }
  DEVICE Reads(int n) : base(n) { base += offset(); }
  // CHECK: DEVICE int get__gs(const ::uint3 blockIdx, const ::dim3 gridDim) const { return base + blockIdx.x; }
  DEVICE int get() const { return base + blockIdx.x; }
};
struct Keeps {
  int base;
  DEVICE Keeps(int n) : base(n) {}
  // CHECK: DEVICE int get__gs(const ::uint3 blockIdx, const ::dim3 gridDim) const { return base; }
  DEVICE int get() const { return base; }
};
// CHECK: { Policy policy(blockIdx, gridDim, 3); out[0] = policy.get__gs(blockIdx, gridDim); }
template <class Policy> __global__ void policies(int* out) { Policy policy(3); out[0] = policy.get(); }

int main() {
  policies<Keeps><<<1, 1>>>(nullptr);
  policies<Reads><<<1, 1>>>(nullptr);
  k<8><<<1, 1>>>(nullptr, 1);
  one<<<1, 1>>>(nullptr, Tile<4>{});
}
