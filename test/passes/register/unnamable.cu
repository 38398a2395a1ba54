// Instantiations over closures stay native with a remark; the others of the template do not.
// RUN: %gpusched-opt --explain %s -- -std=c++17 > %t.out 2> %t.remarks
// RUN: grep -v '^// ' %t.out | FileCheck %s && FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %reparse %t.out --extended-lambda
template <class F> __global__ void apply(F f) { f(blockIdx.x); }
struct Nothing { __device__ void operator()(int) const {} };
int main() {
  int* out = nullptr;
  apply<<<1, 1>>>([=] __device__(int i) { out[i] = i; });
  apply<<<1, 1>>>(Nothing());
}
// CHECK: (&::apply<Nothing>, &::apply__gs<Nothing>,
// CHECK-NOT: apply__gs_{{r}}egistrar2
// REMARK: remark: kernel 'apply<(lambda at {{.*}}' kept native: [GS012] a template argument cannot be named: a lambda
