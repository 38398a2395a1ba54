// One instantiation of a kernel calls what Clang cannot instantiate, which has no body then: that one stays
// native, and the others tell who can be told.
// RUN: %gpusched-opt --explain %s 2>%t.remarks >%t.cu && FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: grep -v '^// ' %t.cu | FileCheck %s && %reparse %t.cu
#include <cuda_fp16.h>

struct Mark {
  __device__ void operator()(int* a) const { a[blockIdx.x] = 1; }
};
template <class T> struct Store {
  __device__ void operator()(int* a) const {
    T v;
    v = {half(1), half(2)};
    a[0] = int(v.x);
  }
};
// REMARK: remark: kernel 'invoke<Store<__half2> >' kept native: [GS051]
// REMARK-NOT: remark:
// CHECK: void invoke__gs_body({{.*}}{ ::gpusched::toldCall(op, blockIdx, gridDim)(a); }
// CHECK-NOT: registrar{{.*}}Store
// CHECK: invoke__gs_registrar1(&::invoke<Mark>
template <class Op> __global__ void invoke(Op op, int* a) { op(a); }

int main() {
  invoke<<<1, 1>>>(Mark(), nullptr);
  invoke<<<1, 1>>>(Store<half2>(), nullptr);
}
