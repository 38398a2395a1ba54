// Kernels that macros make, wholly or up to the body: the uses are written out, one level a round.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --allow-empty --check-prefix=REMARK
// RUN: grep -v '^// ' %t.out | FileCheck %s
// RUN: %reparse %t.out
// REMARK-NOT: remark
template <class T> struct Box { T value; };

#define FILL(name, T) __global__ void name(T* a) { a[blockIdx.x] = VALUE; }
#define VALUE 1
// What the body's macros stand for is not written out.
// CHECK: {{^}} static __device__ __forceinline__ void fill__gs_body ({{.*}}, int * a) { a[blockIdx.x] = VALUE; } __global__ void fill(int * a) { fill__gs_body(::blockIdx, ::gridDim, a); }
FILL(fill, int)

// CHECK: void fill_float__gs_body ({{.*}}, float * a) {{.*}} void fill_char__gs_body (
#define BOTH(name, ...) FILL(name##_float, float) FILL(name##_char, char, ##__VA_ARGS__)
BOTH(fill)

#ifdef __CUDA_ARCH__
#define CONSTANT __grid_constant__
#else
#define CONSTANT
#endif
#define STORE(name, ...) template <class T, __VA_ARGS__> __global__ void name(CONSTANT const Box<T> box, T* a)
// An empty macro for the host stays in the kernel; the body's copy has neither. Lines do not move.
// CHECK: template <class T, int N, bool Odd > static {{.*}} void store__gs_body ({{.*}}, const Box<T> &box, T* a)
// CHECK-NEXT: {{^}} {
// CHECK-NEXT: a[blockIdx.x] = box.value + N + Odd;
// CHECK-NEXT: {{^}}} template < class T , int N , bool Odd > __global__ void store(CONSTANT const Box < T > box , T * a)
STORE(store, int N,
      bool Odd) {
  a[blockIdx.x] = box.value + N + Odd;
}

// CHECK: static __device__ __forceinline__ void closed__gs_body({{.*}}) { a[blockIdx.x] = 2; } __global__
#define END }
__global__ void closed(int* a) { a[blockIdx.x] = 2; END

// A list of kernels, each time under another macro of the same name.
#define LIST(X) X(int) X(float)
#define DEFINE(T) __global__ void ones_##T(T* a) { a[blockIdx.x] = 1; }
// CHECK: void ones_int__gs_body ({{.*}} a[blockIdx.x] = 1; {{.*}} void ones_float__gs_body (
LIST(DEFINE)
#undef DEFINE
#define DEFINE(T) __global__ void twos_##T(T* a) { a[blockIdx.x] = 2; }
// CHECK: void twos_int__gs_body ({{.*}} a[blockIdx.x] = 2; {{.*}} void twos_float__gs_body (
LIST(DEFINE)

#define QUOTED(name, ...) __global__ void name(int* a) { a[blockIdx.x] = sizeof(#__VA_ARGS__); }
// CHECK: void quoted__gs_body ({{.*}} a[blockIdx.x] = sizeof( "f(\"a\\n\" , '\"') + 1" ); }
QUOTED(quoted, f("a\n" , '"')   /* one blank */ + 1)

int main() {
  fill<<<1, 1>>>(nullptr);
  store<float, 3, true><<<1, 1>>>({1.0f}, nullptr);
}
