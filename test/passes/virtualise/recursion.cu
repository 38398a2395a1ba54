// A function that calls itself, or another instantiation of its template, does so through its own
// object. What each of those calls is told, too. Through another function it cannot.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --check-prefix=TOLD
// RUN: grep -v '^ *// ' %t.out | FileCheck %s
// RUN: %reparse %t.out -Xptxas --suppress-stack-size-warning
// CHECK: __device__ int again(int n); namespace { struct again__gs_call {
__device__ int again(int n);
__device__ int step() { return 1; }
// CHECK: { return blockIdx.x; }
__device__ int here() { return blockIdx.x; }
// CHECK: struct down__gs_call { {{.*}}::here__gs_call here; template <int N> __device__ int operator()() const { const down__gs_call& down = *this;
template <int N> __device__ int down() {
  if constexpr (N > 2)
    // CHECK: return step() + down.template operator()<N - 1>();
    return step() + down<N - 1>();
  else
    return here();
}
// CHECK: const ::again__gs_call again, const ::down__gs_call down, int* a) { a[0] = again(3) + down.template operator()<4>(); }
__global__ void k(int* a) { a[0] = again(3) + down<4>(); }
// CHECK: int again__gs_call::operator()(int n) const { const again__gs_call& again = *this; return n ? again(n - 1) : blockIdx.x; } __device__ int again(int n) { return
__device__ int again(int n) { return n ? again(n - 1) : blockIdx.x; }

__device__ int odd(int n);
__device__ int even(int n) { return n == 0 ? 0 : odd(n - 1); }
__device__ int odd(int n) { return n == 0 ? blockIdx.x : even(n - 1); }
// TOLD: kernel 'circle' kept native: [GS020] {{.*}}: calls 'even' (blockIdx {{.*}}; which calls itself through another function
__global__ void circle(int* a) { a[0] = even(4); }
__device__ int sum(float n) { return n + blockIdx.x; }
// TOLD: kernel 'overloaded' kept native: [GS020] {{.*}}: calls 'sum' {{.*}}; which calls itself and another function by one name
__device__ int sum(int n) { return n ? sum(n - 1) : sum(1.0f); }
__global__ void overloaded(int* a) { a[0] = sum(4); }
#define AGAIN(n) named<1>(n)
template <int> __device__ int named(int n) { return n ? AGAIN(n - 1) : blockIdx.x; }
// TOLD: kernel 'inMacro' kept native: [GS020] {{.*}}; which a macro calls with template arguments or a namespace
__global__ void inMacro(int* a) { a[0] = named<1>(4); }
// TOLD-NOT: kept native
