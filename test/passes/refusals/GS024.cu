// A captureless lambda and a local class cannot see the parameters.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'a' kept native: [GS024]
__global__ void a(int* p) { p[0] = [](int i) { return i * blockIdx.x; }(2); }
__global__ void b(int* p) {
  struct Local { __device__ int index() { return gridDim.x; } };
  p[Local().index()] = 1;
}
// CHECK: remark: kernel 'b' kept native: [GS024]
