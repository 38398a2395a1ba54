// Scale.cuh - a kernel in a user header, with a launch helper.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

template <class T> __global__ void scaleBy(T* values, T factor) {
  values[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

static __global__ void shiftBy(int* values, int amount) {
  values[blockIdx.x * blockDim.x + threadIdx.x] += amount;
}

inline void shiftAll(int* values, int blocks, int amount) { shiftBy<<<blocks, 32>>>(values, amount); }
