// Explicit specialisations are those of the object's call operator, needed or not; a template that
// is only declared has its object there. A definition through a qualified name keeps it.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --check-prefix=TOLD
// RUN: grep -v '^ *// ' %t.out | FileCheck %s
// RUN: %reparse %t.out -arch=sm_90
namespace ns {
// CHECK: namespace { struct at__gs_call { {{.*}}::ns::all__gs_call all; template <class T> __device__ T operator()(T n) const { return n; } }; } template < class T > __device__ T at(T n) { return ::ns::at__gs_call{::blockIdx, ::gridDim, ::ns::all__gs_call{::blockIdx, ::gridDim}}.template operator()<T>(n); }
__device__ int all() { return gridDim.x; }
template <class T> __device__ T at(T n) { return n; }
// CHECK: {{^}}template <> inline __device__ int at__gs_call::operator()<int>(int n) const { const at__gs_call& at = *this; return blockIdx.x + n * all() + at.template operator()<unsigned>(1u); } template <> inline __device__ int at < int >(int n) { return ::ns::at__gs_call{{.*}}.template operator()< int >(n); }
template <> inline __device__ int at<int>(int n) { return blockIdx.x + n * all() + at<unsigned>(1u); }
} // namespace ns
// CHECK: {{^}}template <> __device__ float ns::at__gs_call::operator()(float n) const { return n / 2; } template <> __device__ float ns ::at(float n) { return ::ns::at__gs_call{{.*}}}(n); }
template <> __device__ float ns::at(float n) { return n / 2; }
// CHECK: { a[0] = at.template operator()<int>(n) + at(n); }
template <class T> __global__ void k(int* a, T n) { a[0] = ns::at<int>(n) + ns::at(n); }
template __global__ void k(int*, float);
// A kernel that means one that needs nothing, by the name of one that does.
// CHECK: plain__gs_body({{.*}}const ::ns::at__gs_call at, float* a) { a[0] = at(a[1]); }
__global__ void plain(float* a) { a[0] = ns::at(a[1]); }

// CHECK: template <class T> __device__ T only(T); namespace { struct only__gs_call { {{.*}} template < class T > __device__ T operator()(T gpusched_p0) const ; }; }
template <class T> __device__ T only(T);
// CHECK: {{^}}template <> __device__ int only__gs_call::operator()(int n) const { return blockIdx.x + n; } template <> __device__ int only(int n) { return ::only__gs_call{
template <> __device__ int only(int n) { return blockIdx.x + n; }
// CHECK: const ::only__gs_call only, int* a) { a[0] = only(1); }
__global__ void declared(int* a) { a[0] = only(1); }

// What a specialisation needs, the template's text sees as well, which no kernel needs.
template <int N> __device__ int scaled() { return blockIdx.x * N; }
// CHECK: ::scaled__gs_call scaled; template <class T> __device__ T operator()(T n) const { return n + scaled.template operator()<2>(); }
template <class T> __device__ T seen(T n) { return n + scaled<2>(); }
template <> __device__ int seen(int n) { return scaled<3>() + n; }
__device__ float elsewhere(float n) { return seen(n); }
__global__ void special(int* a) { a[0] = seen(1); }

template <class T> __device__ T late(T n) { return n; }
template <> __device__ int late(int n);
__global__ void early(int* a) { a[0] = late(1); }
// TOLD: kernel 'early' kept native: [GS020] {{.*}}; which has a specialisation that is declared before it is defined
template <> __device__ int late(int n) { return blockIdx.x + n; }
template <class T> __device__ T outer(T n) { return n; }
__device__ int between() { return blockIdx.x; }
// TOLD: kernel 'order' kept native: [GS020] {{.*}} calls 'between' {{.*}}; which is defined after its caller
template <> __device__ int outer(int n) { return between() + n; }
__global__ void order(int* a) { a[0] = outer(1); }
// TOLD-NOT: kept native
