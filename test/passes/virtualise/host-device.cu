// Functions that the host compiles as well are told as others are; who keeps the name asks for the
// built-ins where there are some. One that a call means on the host only goes with them.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --check-prefix=TOLD
// RUN: grep -v '^ *// ' %t.out | FileCheck %s
// RUN: %reparse %t.out --expt-relaxed-constexpr -Xcompiler -Wall,-Wextra,-Werror
#define HD __host__ __device__
// CHECK: { struct plain__gs_call { const ::uint3 blockIdx; const ::dim3 gridDim; HD int operator()(int n) const {
HD int plain(int n) {
#ifdef __CUDA_ARCH__
  return n + blockIdx.x;
#else
  return n;
#endif
  // CHECK: } }; } HD int plain(int n) { return ::plain__gs_call{::gpusched::NativeBlock::index(), ::gpusched::NativeBlock::grid()}(n); }
}
struct Lattice {
  int n;
  // CHECK: HD int at__gs(const ::uint3 blockIdx, const ::dim3 gridDim, int i) const { static_cast<void>(blockIdx); static_cast<void>(gridDim); const ::plain__gs_call plain = ::plain__gs_call{blockIdx, gridDim}; static_cast<void>(plain); return n * plain(i); } HD int at(int i) const{ return at__gs(::gpusched::NativeBlock::index(), ::gpusched::NativeBlock::grid(), i); }
  HD int at(int i) const { return n * plain(i); }
};
// CHECK: { p[0] = plain(1) + lattice.at__gs(blockIdx, gridDim, 2); }
__global__ void k(int* p, Lattice lattice) { p[0] = plain(1) + lattice.at(2); }
int onHost() { return Lattice{2}.at(3); }

// One text for both sides, which decides on the side.
template <template <bool> class F, class... Arguments> HD auto dispatch(Arguments... arguments) {
#ifdef __CUDA_ARCH__
  // CHECK: return ::gpusched::toldCall(F<true>(), blockIdx, gridDim)(arguments...);
  return F<true>()(arguments...);
#else
  return F<false>()(arguments...);
#endif
}
template <bool> struct OnDevice { constexpr bool operator()() { return false; } };
template <> struct OnDevice<true> { constexpr bool operator()() { return true; } };
template <bool> struct Block { int operator()() { return 0; } };
template <> struct Block<true> { __device__ int operator()() { return blockIdx.x; } };
template <bool> struct Least { template <class T> HD T operator()(T a, T b) { return a < b ? a : b; } };
template <bool> struct Load {
  HD int operator()(int& value, const void* from) { return value = *static_cast<const int*>(from); }
  template <class T> HD T operator()(T& value, const void* from) { return value = *static_cast<const T*>(from); }
};
// CHECK: { p[0] = dispatch.template operator()<Block>() + dispatch.template operator()<Least>(1, 2) + dispatch.template operator()<OnDevice>() + dispatch.template operator()<Load>(p[1], p); }
__global__ void both(int* p) { p[0] = dispatch<Block>() + dispatch<Least>(1, 2) + dispatch<OnDevice>() + dispatch<Load>(p[1], p); }

#pragma nv_diag_suppress 20011, 20014
template <class F> HD int apply(F f, int n) { return f(n); }
// CHECK: struct Reads { HD int call__gs(
struct Reads { HD int operator()(int n) const { return plain(n); } };
// CHECK: struct HostOnly { int call__gs({{.*}} return call__gs(::gpusched::NativeBlock::index(),
struct HostOnly { int operator()(int n) const { return n + 1; } };
__global__ void reads(int* p) { p[0] = apply(Reads{}, 5); }
int onHostOnly() { return apply(HostOnly{}, 3); }

HD constexpr int fixed(int n) {
#ifdef __CUDA_ARCH__
  return n + gridDim.x;
#else
  return n;
#endif
}
// TOLD: kernel 'constant' kept native: [GS020] {{.*}} calls 'fixed' {{.*}}; which has an unusual signature
__global__ void constant(int* p) { p[0] = fixed(1); }
// TOLD-NOT: kept native
