// What a worker itself needs: the twin of a kernel that needs next to nothing. Sums over a warp, which ptxas makes
// of atomics where it can, and stores of four words cost registers here.
// RUN: %gpusched-cc --gpusched-strict --gpusched-report --gpusched-profile=none -arch=sm_90 -cubin %s -o %t.cubin 2>&1 \
// RUN:   | FileCheck %s
// CHECK: persistent sm_90 {{ *(1[0-9]|20)}} registers, {{ *}}128 B shared
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}
