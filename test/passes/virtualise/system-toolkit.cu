// CUDA's headers among the system's, as Debian installs them: <cmath> still finds the C library's <math.h>. This
// folder has no cuda.h, for which Clang takes it for CUDA 7, which knows no newer GPU.
// RUN: rm -rf %t && mkdir -p %t/bin && ln -s /usr/include %t/include
// RUN: %gpusched-opt --explain --arch=sm_52 --cuda=%t %s -- -idirafter %cuda/include > %t/out.cu 2> %t/said
// RUN: count 0 < %t/said && grep -v "^ *// " %t/out.cu | FileCheck %s
// RUN: %reparse %t/out.cu
#include <cmath>

// CHECK: __global__ void store__gs(const ::gpusched_params gpusched_launch, float * out)
__global__ void store(float* out) { out[blockIdx.x] = std::floor(out[threadIdx.x]); }
