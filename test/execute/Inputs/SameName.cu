// SameName.cu - has a static helper with the name of one in same-name-helpers.cu.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
static __device__ __noinline__ int whichBlock() { return blockIdx.x + 100; }
__global__ void hundreds(int* values) { values[blockIdx.x] += whichBlock(); }

void addHundreds(int* values) { hundreds<<<40, 1>>>(values); }
