// Index.cuh - device functions of a header that read the block index, some through others.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

__device__ inline int whichThread() { return blockIdx.x * blockDim.x + threadIdx.x; }
template <int Scale> __device__ int scaledThread() { return Scale * whichThread(); }
