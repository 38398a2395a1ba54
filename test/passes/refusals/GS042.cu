// Outlined, threads that leave before a barrier keep their kernel native; spliced they do not.
// RUN: %gpusched-cc --gpusched-outline --gpusched-explain -arch=sm_90 -cubin %s -o %t.cubin 2>&1 | FileCheck %s
// RUN: %gpusched-cc --gpusched-explain -arch=sm_90 -cubin %s -o %t.cubin 2>&1 | FileCheck --check-prefix=SPLICED %s
// CHECK: kernel 'sums': native only, [GS042]
// CHECK: kernel 'plain': native and persistent
// SPLICED: kernel 'sums': native and persistent
__global__ void sums(int* p, int n) {
  if (threadIdx.x >= n) return;
  p[threadIdx.x] += 1;
  __syncthreads();
  p[threadIdx.x] += p[threadIdx.x ^ 1];
}
__global__ void plain(int* p) {
  __syncthreads();
  p[threadIdx.x] = 1;
}
