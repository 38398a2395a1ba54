// Embedded.cu - a source file that another one includes in the middle of a namespace.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__global__ void reverse(int* values, int count) {
  __shared__ int kept[32];
  kept[threadIdx.x] = values[whichThread()];
  __syncthreads();
  values[whichThread()] = kept[blockDim.x - 1 - threadIdx.x];
}

int* reversed(int* values, int blocks) {
  reverse<<<blocks, 32>>>(values, blocks * 32);
  return values;
}
