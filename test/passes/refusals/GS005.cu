// The code is reserved: explicit specialisations are converted.
// RUN: %gpusched-opt --explain %s 2>&1 >/dev/null | FileCheck %s --allow-empty
// CHECK-NOT: remark
template <class T> __global__ void k(T* a) { a[blockIdx.x] = 1; }
template <> __global__ void k<int>(int* a) { a[blockIdx.x] = 2; }
int main() {
  k<<<1, 1>>>(static_cast<int*>(nullptr));
  k<<<1, 1>>>(static_cast<float*>(nullptr));
}
