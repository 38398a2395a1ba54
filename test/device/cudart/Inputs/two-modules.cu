// two-modules.cu - two modules that are to be linked (CALLER, CALLEE), each with a variable for itself.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifdef CALLER
static __device__ int part = 4;
extern "C" __device__ int times(int* others);
extern "C" __global__ void scale(int* data) { data[threadIdx.x] *= times(&part); }
#else
static __device__ int part = 1;
extern "C" __device__ int times(int* others) { return *others + part; }
#endif
