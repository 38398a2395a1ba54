// helper.cpp - a host file of a mixed command; calls the launch function by its own name.
#include <cuda_runtime.h>
int helper() { return cudaLaunchKernel(nullptr, dim3(1), dim3(1), nullptr, 0, nullptr); }
