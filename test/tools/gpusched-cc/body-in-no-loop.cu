// nvcc's optimiser takes a twin's body for what it is in the kernel, not for what a loop repeats: it
// leaves there what depends on constants, parameters and threadIdx alone, and unrolls its loops as often.
// RUN: %gpusched-cc --gpusched-outline -O3 -arch=sm_90 -ptx %s -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// CHECK-LABEL: .entry power(
// CHECK-COUNT-5: fma.rn.f32
// CHECK-NOT: fma.rn.f32
// CHECK-LABEL: .entry power__gs(
// CHECK-NOT: ld.const
// CHECK-NOT: sin.approx
// CHECK: gpusched_block
// CHECK-DAG: ld.const
// CHECK-DAG: sin.approx
// CHECK-COUNT-5: fma.rn.f32
// CHECK-NOT: fma.rn.f32
// CHECK-LABEL: .entry stride(
// CHECK-COUNT-5: ld.global.f32
// CHECK-NOT: ld.global.f32
// CHECK-LABEL: .entry stride__gs(
// CHECK-COUNT-5: ld.global.f32
// CHECK-NOT: ld.global.f32
// CHECK: }
__constant__ float scale;
extern "C" __global__ void power(float* a, int n) {
  float x = scale * __sinf(threadIdx.x);
  for (int i = 0; i < n; ++i)
    x = x * x + n;
  a[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

extern "C" __global__ void stride(float* a, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
  for (int i = first; i < n; i += step)
    a[i] = a[i] + 1;
}
