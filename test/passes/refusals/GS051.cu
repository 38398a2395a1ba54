// Clang reports an error in a callee, or cannot instantiate one, here for a `template` that nvcc does
// not ask for and that nobody puts into a macro's argument: nothing is known for sure, nvcc decides.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
__device__ int broken() { return undeclared; }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS051] {{.*}}GS051.cu:[[@LINE-1]]:{{[0-9]+}}
__global__ void k(int* a) { a[blockIdx.x] = broken(); }

template <int Size> struct Block {
  template <int Count> __device__ void add(const int (&a)[Count]) { out[blockIdx.x] += a[0]; }
  int* out;
};
#define CALL(object, member) object.member<Count>(a)
template <int Size, int Count> __device__ void sum(int* out) {
  const int a[Count] = {};
  CALL(Block<Size>{out}, add);
}
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'adds' kept native: [GS051] {{.*}}GS051.cu:[[@LINE-2]]:
template <int Size, int Count> __global__ void adds(int* out) { sum<Size, Count>(out); }
int main() { adds<1, 2><<<3, 1>>>(nullptr); }
