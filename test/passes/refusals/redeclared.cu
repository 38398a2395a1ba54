// A built-in that the program declares once more is still a built-in.
// RUN: %gpusched-opt --explain %s 2>%t.err >%t.cu
// RUN: count 0 <%t.err
// RUN: grep -v CHECK %t.cu | FileCheck %s
// CHECK: k__gs_body({{.*}}BodyBarrier __syncthreads
extern "C" __device__ void __threadfence();
extern "C" __device__ void __syncthreads();
__global__ void k(int* a) {
  if (threadIdx.x > 3)
    return;
  __syncthreads();
  __threadfence();
  a[blockIdx.x] = 1;
}
