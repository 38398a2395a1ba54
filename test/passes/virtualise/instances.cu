// One text serves all instantiations of a function template: what an edited call means in one that
// no kernel needs is told as well; where it cannot, the call asks who takes what, or nobody is told.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
using u = unsigned;
struct Reads { __device__ u run(u n) const { return n + blockIdx.x; } };
// OUT: struct Plain { __device__ u run__gs(const ::uint3 blockIdx, const ::dim3 gridDim, u n) const
struct Plain { __device__ u run(u n) const { return n; } };
// OUT: return f.run__gs(blockIdx, gridDim, 3);
template <class F> __device__ u call(F f) { return f.run(3); }
__global__ void reads(u* o) { o[0] = call(Reads()); }
__global__ void plain(u* o) { o[0] = call(Plain()); }

// A lambda of the device and a pointer cannot be told.
struct Adds { __device__ u operator()(u n) const { return n + blockIdx.x; } };
// OUT: u operator()(F f) const { return ::gpusched::toldCall(f, blockIdx, gridDim)(3); }
template <class F> __device__ u apply(F f) { return f(3); }
template <class F> __device__ u invoke(F f) { return f(3); }
__device__ u same(u n) { return n; }
__global__ void adds(u* o) { o[0] = apply(Adds()); }
__global__ void lambda(u* o) { o[0] = apply([](u n) { return n; }); }
// CHECK: kernel 'invokes' kept native: [GS020] {{.*}} calls 'operator()' {{.*}}; and means another function in other instantiations
__global__ void invokes(u* o) { o[0] = invoke(Adds()); }
__global__ void pointer(u* o) { o[0] = invoke(same); }
// CHECK-NOT: remark
