// Contexts that come and go, and errors by the driver's names.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t
#include "Inputs/Driver.h"

#include <cstring>

static CUcontext current() {
  CUcontext context = nullptr;
  CHECK_CU(cuCtxGetCurrent, &context);
  return context;
}

static void checkNames() {
  const char* name = nullptr;
  CHECK_CU(cuGetErrorName, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, &name);
  CHECK_TRUE(!std::strcmp(name, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"));
  CHECK_CU(cuGetErrorName, CUDA_SUCCESS, &name);
  CHECK_TRUE(!std::strcmp(name, "CUDA_SUCCESS"));
  CHECK_IS(DRIVER(cuGetErrorName)(CUresult(12345), &name), CUDA_ERROR_INVALID_VALUE);
  CHECK_TRUE(!name);
}

int main() {
  checkNames();
  CUcontext primary = nullptr, made = nullptr, popped = nullptr;
  CHECK_CU(cuInit, 0);
  CHECK_CU(cuDevicePrimaryCtxRetain, &primary, 0);
  // Nobody has pushed the one that the runtime makes current; it can be popped all the same, once.
  CHECK_TRUE(current() == primary);
  CHECK_CU(cuCtxPopCurrent, &popped);
  CHECK_TRUE(popped == primary && !current());
  CHECK_IS(DRIVER(cuCtxPopCurrent)(&popped), CUDA_ERROR_INVALID_CONTEXT);
  CHECK_CU(cuCtxCreate, &made, nullptr, 0, 0);
  CHECK_TRUE(current() == made);
  CHECK_CU(cuCtxPopCurrent, &popped);
  CHECK_TRUE(popped == made);
  CHECK_CU(cuCtxSetCurrent, nullptr);
  CHECK_TRUE(!current());
  CHECK_CU(cuCtxPushCurrent, made);
  CHECK_TRUE(current() == made);
}
