// A device function of a header that reads the block index.
#pragma once
static __device__ int headerIndex() { return blockIdx.x; }
