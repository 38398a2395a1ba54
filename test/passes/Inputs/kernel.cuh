// A kernel in a header of the user's.
#pragma once
static __global__ void inHeader(int* a) { a[blockIdx.x] = 1; }
