// A static variable of an inline function or a template is one for all files that -rdc links; in an
// object it would be one for each.
// RUN: %gpusched-opt --rdc --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %gpusched-opt --explain %s 2>&1 >/dev/null | FileCheck %s --check-prefix=CLOSED --allow-empty
// CLOSED-NOT: remark
inline __device__ int count() { static int calls; return ++calls + blockIdx.x; }
// CHECK: remark: kernel 'a' kept native: [GS020] {{.*}} 'count' (blockIdx {{.*}}; which has a static variable that files share
__global__ void a(int* p) { *p = count(); }
template <class T> __device__ T each(T n) { static T sum; return sum += n * blockIdx.x; }
// CHECK: remark: kernel 'b' kept native: [GS020] {{.*}} 'each'
__global__ void b(int* p) { *p = each(2); }
struct Tile { __device__ int next() { static int last; return last += gridDim.x; } };
// CHECK: remark: kernel 'c' kept native: [GS020] {{.*}} 'next'
__global__ void c(int* p) { *p = Tile().next(); }
// CHECK-NOT: remark
__device__ int own() { static int calls; return ++calls + blockIdx.x; }
static inline __device__ int hidden() { static int calls; return ++calls + blockIdx.x; }
inline __device__ int shared() { __shared__ int s; static const int two = 2; s = two; return s + blockIdx.x; }
// OUT: void d__gs_body(
__global__ void d(int* p) { *p = own() + hidden() + shared(); }
