// Static shared memory up to the limit.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS030] {{.*}}49152 bytes
__global__ void k(int* a) {
  __shared__ int all[48 * 256];
  all[threadIdx.x] = a[blockIdx.x];
  __syncthreads();
  a[blockIdx.x] = all[0];
}
