// An explicit specialisation stays native; the primary template is converted all the same.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
// OUT: void k__gs_body(
template <class T> __global__ void k(T* a) { a[blockIdx.x] = 1; }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k<int>' kept native: [GS005]
template <> __global__ void k<int>(int* a) { a[blockIdx.x] = 2; }
int main() {
  k<<<1, 1>>>(static_cast<int*>(nullptr));
  k<<<1, 1>>>(static_cast<float*>(nullptr));
}
// OUT: (&::k<float>, &::k__gs<float>
// OUT-NOT: k__gs<{{i}}nt>
