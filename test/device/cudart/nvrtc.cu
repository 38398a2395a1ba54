// A program that compiles for the device it finds asks NVRTC for machine code, and gets the PTX.
// NVRTC itself asks the driver for a private table, and must be told that there is none.
// A library of that name with the functions concerned stands for it.
// RUN: %nvcc -arch=sm_90 -ptx -DDEVICE %s -o %t.ptx
// RUN: rm -rf %t.lib && mkdir %t.lib
// RUN: echo 'libnvrtc.so.13 { global: nvrtc*; local: *; };' > %t.map
// RUN: %nvcc -x c++ -DNVRTC -shared -cudart none -Xcompiler -fPIC %s -o %t.lib/libnvrtc.so \
// RUN:   -Xlinker -soname=libnvrtc.so.13 -Xlinker --version-script=%t.map
// RUN: ln -s libnvrtc.so %t.lib/libnvrtc.so.13
// RUN: %nvcc -arch=sm_90 %s -o %t -L%t.lib -lnvrtc -Xlinker -rpath=%t.lib
// RUN: %gpusched run --device=cpu -- %t %t.ptx | FileCheck %s
#ifdef DEVICE
extern "C" __global__ void fill(int* data) { data[threadIdx.x] = threadIdx.x * 3; }
#elif defined(NVRTC)
#include "Inputs/FakeNvrtc.h"

#include <cstdio>
#include <dlfcn.h>

extern "C" int nvrtcCompileProgram(const char* path) {
  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  using Table = int (*)(const void**, const void*);
  const Table table = reinterpret_cast<Table>(dlsym(driver, "cuGetExportTable"));
  const void* found = path;
  const int error = table(&found, "sixteen letters");
  std::printf("table: error %d, %s\n", error, found ? "something" : "nothing");
  compileFile(path);
  return 0;
}
#else
#include "Inputs/Driver.h"

#include <vector>

extern "C" int nvrtcCompileProgram(const char*);
extern "C" int nvrtcGetCUBINSize(void*, size_t*);
extern "C" int nvrtcGetCUBIN(void*, char*);

int main(int, char** arguments) {
  // CHECK: table: error 500, nothing
  CHECK_IS(nvrtcCompileProgram(arguments[1]), 0);
  size_t bytes = 0;
  CHECK_IS(nvrtcGetCUBINSize(nullptr, &bytes), 0);
  std::vector<char> code(bytes);
  CHECK_IS(nvrtcGetCUBIN(nullptr, code.data()), 0);
  CUcontext context;
  CUmodule module;
  CUfunction fill;
  CUdeviceptr data;
  int host[32];
  CHECK_CU(cuInit, 0);
  CHECK_CU(cuCtxCreate, &context, nullptr, 0, 0);
  CHECK_CU(cuModuleLoadData, &module, code.data());
  CHECK_CU(cuModuleGetFunction, &fill, module, "fill");
  CHECK_CU(cuMemAlloc, &data, sizeof host);
  void* parameters[] = {&data};
  CHECK_CU(cuLaunchKernel, fill, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr);
  CHECK_CU(cuMemcpyDtoH, host, data, sizeof host);
  // CHECK: 93
  std::printf("%d\n", host[31]);
}
#endif
