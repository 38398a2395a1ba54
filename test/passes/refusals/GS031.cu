// The code is reserved: kernels with programmatic dependent launch are converted.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --allow-empty
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// CHECK-NOT: remark
__device__ void launchNext() { asm volatile("griddepcontrol.launch_dependents;"); }
// OUT: void k__gs_body(
__global__ void k(int* a) {
  cudaGridDependencySynchronize();
  launchNext();
  a[blockIdx.x] = 1;
  cudaTriggerProgrammaticLaunchCompletion();
}
