// Static shared memory up to the limit, and lanes that leave before the warp's shuffle: the words
// that say who is there have no place.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'k' kept native: [GS030] {{.*}}49152 bytes
__global__ void k(int* a, int n) {
  __shared__ int all[48 * 256];
  if (threadIdx.x >= n)
    return;
  all[threadIdx.x] = a[blockIdx.x];
  a[blockIdx.x] = __shfl_xor_sync(0xffffffff, all[0], 1);
}
