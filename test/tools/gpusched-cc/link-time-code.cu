// What -dlto makes is for nvlink alone: there are no resources to tell yet, which is no damage.
// RUN: %gpusched-cc -dc -dlto -arch=sm_90 %s -o %t.o 2>&1 | count 0
// RUN: %gpusched-cc -dc -gencode arch=compute_90,code=lto_90 -gencode arch=compute_90,code=sm_90 \
// RUN:   --gpusched-report %s -o %t.both.o 2>&1 | FileCheck %s
// CHECK: kernel 'fill'
// CHECK: persistent sm_90
__global__ void fill(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
