// Lambdas of host code get the built-ins behind their parameters. Kernels over them, and over the
// lambdas of the same function, have other symbols then.
// RUN: %gpusched-opt --explain %s >%t.cu 2>%t.err
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s
// RUN: %reparse %t.cu --extended-lambda -std=c++17
__device__ int at(int n) { return blockIdx.x * n; }
// CHECK: void run__gs_body({{.*}}BodyBarrier __syncthreads, F &f) { (void)&run__gs<F>; f(blockIdx, gridDim, __syncthreads); }
template <class F> __global__ void run(F f) { f(); }
// CHECK: int operator()(F f, int i) const { return f(i, blockIdx, gridDim); }
template <class F> __device__ int through(F f, int i) { return f(i); }
template <class F> __global__ void each(F f, int* a) { *a = through(f, 3); }
template <class F> __global__ void plain(F f, int* a) { *a = f(3) + blockIdx.x; }
#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>
#include <cstdio>
#define LAUNCH(...) run<<<2, 64>>>(__VA_ARGS__)

template <class T> void launch(T* a, int n) {
  // CHECK: run<<<2, 64>>>([=] __device__ (const ::uint3 blockIdx = ::blockIdx, const ::dim3 gridDim = ::gridDim, const ::gpusched::BodyBarrier __syncthreads = ::gpusched::BodyBarrier{false}) { a[blockIdx.x] = n; });
  run<<<2, 64>>>([=] __device__ () { a[blockIdx.x] = n; });
  // CHECK-NEXT: LAUNCH([=] __device__ (const ::uint3 blockIdx = {{.*}}) { const ::at__gs_call at = ::at__gs_call{blockIdx, gridDim};
  LAUNCH([=] __device__ {
    if (at(threadIdx.x) > n) return;
    __syncthreads();
    a[threadIdx.x] = 1;
  });
}
int main() {
  int* a = nullptr;
  launch(a, 1);
  launch((float*)a, 2);
  // CHECK: plain<<<1, 1>>>([=] __device__ (int i) { return i; }, a);
  plain<<<1, 1>>>([=] __device__ (int i) { return i; }, a);
  // CHECK-NEXT: each<<<1, 1>>>([=] __device__ (int i, const ::uint3 blockIdx = ::blockIdx, const ::dim3 gridDim = ::gridDim) mutable -> int { return i + gridDim.x; }, a);
  each<<<1, 1>>>([=] __device__ (int i) mutable -> int { return i + gridDim.x; }, a);
  plain<<<1, 1>>>([=] __device__ (int i) { return 2 * i; }, a);
}
// A lambda that a macro is given calls another; one that waits for a group is written out first.
// CHECK: LAUNCH([=] __device__ (const ::uint3 blockIdx = {{.*}}) { a[0] = other(1, blockIdx, gridDim); });
void given(int* a) { auto other = [=] __device__ (int i) { return i * blockIdx.x; }; LAUNCH([=] __device__ { a[0] = other(1); });
  // CHECK-NEXT: {{^}}   run<<<2, 64>>>( [=] __device__ (const ::uint3 blockIdx = {{.*}}) { if (threadIdx.x > 40) return; __syncthreads.ofGroup(); a[threadIdx.x] = 2; } );
  LAUNCH([=] __device__ { if (threadIdx.x > 40) return; cooperative_groups::this_thread_block().sync(); a[threadIdx.x] = 2; });
}
// Where some cannot be told, others are all the same.
// CHECK: void mixed__gs_body({{.*}}, F &f, int n) { (void)&mixed__gs<F>; ::gpusched::toldCall(f, blockIdx, gridDim)(n); }
template <class F> __global__ void mixed(F f, int n) { f(n); }
struct Rows { int* a; __device__ void operator()(int n) const { a[n] = blockIdx.y; } };
void mix(int* a) {
  mixed<<<1, 1>>>([=] __device__ (int i) { a[i] = blockIdx.x; }, 1);
  mixed<<<1, 1>>>([=] __host__ __device__ (int i) { a[i] = 2; }, 1);
  mixed<<<1, 1>>>(Rows{a}, 1);
}
// One of the device inside sees the parameters.
// CHECK: plain<<<1, 1>>>([=] __device__ (int i) { const auto next = [=](int n) { return n + threadIdx.x; }; return next(i); }, a);
// CHECK-NEXT: each<<<1, 1>>>([=] __device__ (int i, const ::uint3 blockIdx {{.*}}) { const auto next = [=](int n) { return n + blockIdx.x; }; return next(i); }, a);
void inner(int* a) {
  plain<<<1, 1>>>([=] __device__ (int i) { const auto next = [=](int n) { return n + threadIdx.x; }; return next(i); }, a);
  each<<<1, 1>>>([=] __device__ (int i) { const auto next = [=](int n) { return n + blockIdx.x; }; return next(i); }, a);
}
// The text of an argument stays what it was.
#define SAY(call) puts(#call), call
// CHECK: puts( "(each<<<1, 1>>>([=] __device__ (int i) { return i * gridDim.x; }, a))" ), (each<<<1, 1>>>([=] __device__ (int i, const ::uint3 blockIdx
void said(int* a) { SAY((each<<<1, 1>>>([=] __device__ (int i) { return i * gridDim.x; }, a))); }
// CHECK: NamedRegistrar run__gs_registrar3("_Z3runIZ6launchIiEvP?iEUl5uint34dim3N8gpusched11BodyBarrierEE_Ev*", "_Z7run__gsIZ6launchIiEvP?iEUl5uint34dim3N8gpusched11BodyBarrierEE_Ev*"
// CHECK: NamedRegistrar run__gs_registrar4("_Z3runIZ6launchIiEvP?iEUl5uint34dim3N8gpusched11BodyBarrierEE0_Ev*"
// CHECK: NamedRegistrar each__gs_registrar1("_Z4eachIZ4mainEUli5uint34dim3E_Ev*"
// CHECK: NamedRegistrar plain__gs_registrar1("_Z5plainIZ4mainEUliE_Ev*"
// CHECK-NEXT: NamedRegistrar plain__gs_registrar2("_Z5plainIZ4mainEUliE0_Ev*"

// What cannot be given more parameters keeps its instantiations native, and no others.
template <class T> struct Argument;
template <class R, class F, class A> struct Argument<R (F::*)(A) const> { using Type = A; };
template <class F> __global__ void asked(F f) { f(typename Argument<decltype(&F::operator())>::Type(1)); }
template <class F> __global__ void unsure(F f) { f(1); }
#define TWICE(...) repeated<<<1, 1>>>(__VA_ARGS__), repeated<<<2, 1>>>(__VA_ARGS__)
template <class F> __global__ void generic(F f) { f(1); }
template <class F> __global__ void repeated(F f) { f(1); }
void refused(int* a) {
  // REMARK-NOT: kept native
  // REMARK: kernel 'asked' kept native: [GS020] {{.*}}; which is a lambda whose type, or the type of whose operator, somebody asks for
  asked<<<1, 1>>>([=] __device__ (int i) { a[i] = blockIdx.x; });
  // REMARK: kernel 'unsure<(lambda at {{.*}}:[[@LINE+1]]:{{.*}} kept native: [GS020] {{.*}} 'operator()' {{.*}}; and means another function in other instantiations, which cannot be told as well
  unsure<<<1, 1>>>([=] __device__ (int i) { a[i] = blockIdx.x; });
  unsure<<<1, 1>>>([=] __device__ (auto... i) { a[(i + ...)] = 2; });
  // REMARK: kernel 'generic' kept native: [GS020] {{.*}}; which is a generic lambda
  generic<<<1, 1>>>([=] __device__ (auto i) { a[i] = blockIdx.x; });
  // REMARK: kernel 'repeated' kept native: [GS020] {{.*}}; which is a lambda that a macro repeats
  TWICE([=] __device__ (int i) { a[i] = blockIdx.x; });
}
// REMARK-NOT: kept native
