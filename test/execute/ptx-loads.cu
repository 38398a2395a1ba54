// PTX that nvcc alone has made, and what NVRTC makes while the program runs: with --ptx-twins its kernels have twins,
// however it is loaded; without, and where the driver does not take the text with twins, they are the program's own.
// RUN: %nvcc -arch=sm_90 -ptx -DDEVICE %s -o %t.ptx
// RUN: %nvcc -arch=sm_90 -fatbin -DDEVICE %s -o %t.fatbin
// RUN: head -c 40 %t.fatbin > %t.cut
// RUN: rm -rf %t.lib && mkdir %t.lib && %nvcc -x c++ -DNVRTC -shared -cudart none -Xcompiler -fPIC %s -o %t.lib/nvrtc.so
// RUN: %nvcc -x c++ -DBROKEN -shared -cudart none -Xcompiler -fPIC %s -o %t.lib/broken.so
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t %t.ptx %t.fatbin %t.lib/nvrtc.so %t.cut
// RUN: %gpusched run --device=cpu --variant=persistent --trace=%t.json -- %t %t.ptx %t.fatbin %t.lib/nvrtc.so %t.cut
// RUN: not grep persistent %t.json
// RUN: env GPUSCHED_LOG=info %gpusched run --device=cpu --variant=persistent --ptx-twins --trace=%t.json -- %t %t.ptx %t.fatbin %t.lib/nvrtc.so %t.cut 2> %t.log
// RUN: grep -c '"variant": "persistent"' %t.json | grep -qx 8
// RUN: grep -c '"kernel": "space::scale<int>"' %t.json | grep -qx 10
// RUN: grep -c "gpusched: info: 1 kernels of PTX have twins" %t.log | grep -qx 8
// RUN: FileCheck %s --check-prefix=LOG < %t.log
// LOG: gpusched: info: kernel 'wait(int volatile*)' stays native: a block may wait for another one in a loop
// RUN: env GPUSCHED_LOG=info %gpusched run --device=cpu --variant=persistent --embedded-ptx --trace=%t.json -- %t %t.ptx %t.fatbin %t.lib/nvrtc.so %t.cut 2> %t.log
// RUN: grep -c '"variant": "persistent"' %t.json | grep -qx 10
// RUN: env GPUSCHED_PTX=%t.lib/broken.so %gpusched run --device=cpu --variant=persistent -- %t %t.ptx %t.fatbin %t.lib/nvrtc.so %t.cut 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: gpusched: warning: the driver does not take a PTX text with twins (error {{[0-9]+}}); it has the program's
// RUN: env GPUSCHED_PTX=%t.lib/missing.so %gpusched run --device=cpu --variant=persistent -- %t %t.ptx %t.fatbin %t.lib/nvrtc.so %t.cut 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: gpusched: warning: no twins for PTX ({{.*}}missing.so{{.*}}); its kernels launch natively
// MISSING-NOT: warning
#ifdef DEVICE
namespace space {
template <class T> __global__ void scale(T* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] *= 2;
}
#ifdef __CUDA_ARCH__
template __global__ void scale(int*, int);
#endif
} // namespace space
__global__ void wait(volatile int* flag) {
  while (*flag == 0) {
  }
}
#elif defined(BROKEN)
#include <cstddef>
extern "C" int gpusched_ptx_add_twins(const void*, size_t, unsigned, void (*take)(void*, const char*, size_t), void* context) {
  take(context, ".version 9.0\nnonsense", 21);
  return 1;
}
#elif defined(NVRTC)
#include "../device/cudart/Inputs/FakeNvrtc.h"
extern "C" int nvrtcCompileProgram(const char* path) {
  compileFile(path);
  return 0;
}
#else
#include "../device/cudart/Inputs/Driver.h"
#include "../device/cudart/Inputs/FileText.h"

#include <string>
#include <vector>

static const int kCount = 4096;
static CUdeviceptr data;
static int expected = 1;

static void launch(CUmodule module) {
  CUfunction scale;
  CHECK_CU(cuModuleGetFunction, &scale, module, "_ZN5space5scaleIiEEvPT_i");
  int n = kCount;
  void* arguments[] = {&data, &n};
  CHECK_CU(cuLaunchKernel, scale, 16, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr);
  CHECK_CU(cuCtxSynchronize);
  static int host[kCount];
  CHECK_CU(cuMemcpyDtoH, host, data, sizeof host);
  expected *= 2;
  for (int value : host)
    CHECK_IS(value, expected);
}

static void launch(CUlibrary library) {
  CUmodule module;
  CHECK_CU(cuLibraryGetModule, &module, library);
  launch(module);
  CHECK_CU(cuLibraryUnload, library);
}

/// What a program gets that asks for machine code.
static std::vector<char> compile(const char* path, void* nvrtc) {
  const auto compileProgram = reinterpret_cast<int (*)(const char*)>(dlsym(nvrtc, "nvrtcCompileProgram"));
  const auto getSize = reinterpret_cast<int (*)(void*, size_t*)>(dlsym(nvrtc, "nvrtcGetCUBINSize"));
  const auto get = reinterpret_cast<int (*)(void*, char*)>(dlsym(nvrtc, "nvrtcGetCUBIN"));
  CHECK_TRUE(dlsym(nvrtc, "nvrtcNoSuchFunction") == nullptr);
  size_t bytes = 0;
  CHECK_IS(compileProgram(path), 0);
  CHECK_IS(getSize(nullptr, &bytes), 0);
  std::vector<char> code(bytes);
  CHECK_IS(get(nullptr, code.data()), 0);
  return code;
}

int main(int, char** files) {
  data = openFirstDevice(kCount * sizeof(int));
  CHECK_CU(cuMemsetD32, data, 1, kCount);
  const std::string ptx = fileText(files[1]);
  CUmodule module;
  CHECK_CU(cuModuleLoadData, &module, ptx.c_str());
  launch(module);
  CHECK_CU(cuModuleUnload, module);
  CHECK_CU(cuModuleLoadDataEx, &module, ptx.c_str(), 0, nullptr, nullptr);
  launch(module);
  CHECK_CU(cuModuleLoad, &module, files[1]);
  launch(module);
  CHECK_CU(cuModuleLoadFatBinary, &module, ptx.c_str());
  launch(module);
  CUlibrary library;
  CHECK_CU(cuLibraryLoadData, &library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  launch(library);
  CHECK_CU(cuLibraryLoadFromFile, &library, files[1], nullptr, nullptr, 0, nullptr, nullptr, 0);
  launch(library);
  void* asked = nullptr;
  CHECK_CU(cuGetProcAddress, "cuModuleLoadData", &asked, 12000, 0, nullptr);
  CHECK_IS(reinterpret_cast<decltype(&cuModuleLoadData)>(asked)(&module, ptx.c_str()), CUDA_SUCCESS);
  launch(module);
  // That of a fat binary is used where it is asked for.
  CHECK_CU(cuModuleLoad, &module, files[2]);
  launch(module);
  CUlibraryOption stays = CU_LIBRARY_BINARY_IS_PRESERVED;
  int yes = 1;
  void* value = &yes;
  CHECK_CU(cuLibraryLoadFromFile, &library, files[2], nullptr, nullptr, 0, &stays, &value, 1);
  launch(library);
  CHECK_IS(DRIVER(cuModuleLoad)(&module, "/nowhere.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
  CHECK_IS(DRIVER(cuModuleLoad)(&module, files[4]), CUDA_ERROR_INVALID_IMAGE);
  const std::vector<char> code = compile(files[1], dlopen(files[3], RTLD_NOW));
  if (code.size() > 4) {
    CHECK_CU(cuModuleLoadData, &module, code.data());
    launch(module);
  }
}
#endif
