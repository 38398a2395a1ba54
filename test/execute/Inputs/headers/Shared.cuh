// Shared.cuh - kernels that several files of one program include.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPUSCHED_TEST_SHARED_CUH
#define GPUSCHED_TEST_SHARED_CUH

#include "Index.cuh"

template <class T> __global__ void add(T* values, T value) { values[whichThread()] += value; }
inline __global__ void twice(int* values) { values[whichThread()] *= 2; }
static __global__ void mark(int* values) { values[whichThread()] += scaledThread<2>(); }

#endif
