// A kernel of a header of the user is named, one of a system header is not.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#include "../Inputs/kernel.cuh"
// CHECK: kernel.cuh:3:24: remark: kernel 'inHeader' kept native: [GS003]
__device__ int unused; // __global__
