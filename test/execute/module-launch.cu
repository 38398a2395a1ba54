// Kernels of modules, launched through the driver by a program that nvcc compiled: their twins run, however the
// program found the driver's functions, and what is loaded later under the same handles is not taken for what was there.
// Kernels that nvcc compiled, and captured launches, stay native.
// RUN: %gpusched-cc -arch=sm_90 -ptx -DDEVICE -DFACTOR=2 %s -o %t.first.ptx
// RUN: %gpusched-cc -arch=sm_90 -fatbin -DDEVICE -DFACTOR=3 %s -o %t.second.fatbin
// RUN: %nvcc -arch=sm_90 -ptx -DDEVICE -DFACTOR=4 %s -o %t.third.ptx
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %gpusched run --device=cpu -- %t %t.first.ptx %t.second.fatbin %t.third.ptx
// RUN: %gpusched run --device=cpu --variant=persistent --trace=%t.json -- %t %t.first.ptx %t.second.fatbin %t.third.ptx
// RUN: grep -c '"kernel": "scale"' %t.json | grep -qx 13
// RUN: grep -c '"kernel": "space::offset<int>"' %t.json | grep -qx 2
// RUN: grep -c '"variant": "persistent"' %t.json | grep -qx 12
// RUN: %gpusched run --device=cpu --policy=serial --variant=persistent -- %t %t.first.ptx %t.second.fatbin %t.third.ptx
#ifdef DEVICE
extern "C" __global__ void scale(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] *= FACTOR;
}
#ifdef __CUDA_ARCH__
namespace space {
template <class T> __global__ void offset(T* data, T by) { data[blockIdx.x * blockDim.x + threadIdx.x] += by; }
template __global__ void offset(int*, int);
} // namespace space
#endif
#else
#include "../device/cudart/Inputs/Driver.h"

static const int kCount = 4096;
static CUdeviceptr data;
static int expected = 1;

static void check(int factor) {
  static int host[kCount];
  CHECK_CU(cuCtxSynchronize);
  CHECK_CU(cuMemcpyDtoH, host, data, sizeof host);
  expected *= factor;
  for (int value : host)
    CHECK_IS(value, expected);
}

// By the names that a linked program has, as CUDA's runtime finds them, and in the driver's library itself.
static void launchAllWays(CUfunction scale, int factor) {
  void *asked = nullptr, *const opened = dlopen("libcuda.so.1", RTLD_NOW);
  CHECK_CU(cuGetProcAddress, "cuLaunchKernel", &asked, 12000, 0, nullptr);
  int n = kCount;
  void* arguments[] = {&data, &n};
  for (void* launch : {driverFunction("cuLaunchKernel"), asked, dlsym(opened, "cuLaunchKernel")}) {
    CHECK_IS(reinterpret_cast<decltype(&cuLaunchKernel)>(launch)(scale, 16, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr),
             CUDA_SUCCESS);
    check(factor);
  }
}

static void launchModule(const char* path, int factor) {
  CUmodule module;
  CUfunction scale;
  CHECK_CU(cuModuleLoad, &module, path);
  CHECK_CU(cuModuleGetFunction, &scale, module, "scale");
  launchAllWays(scale, factor);
  CHECK_CU(cuModuleUnload, module);
}

// With a configuration, arguments in a buffer, and a CUkernel in place of its function.
static void launchLibrary(const char* path, int factor) {
  CUlibrary library;
  CUkernel scale;
  CHECK_CU(cuLibraryLoadFromFile, &library, path, nullptr, nullptr, 0, nullptr, nullptr, 0);
  CHECK_CU(cuLibraryGetKernel, &scale, library, "scale");
  const CUfunction function = reinterpret_cast<CUfunction>(scale);
  launchAllWays(function, factor);
  struct {
    CUdeviceptr data;
    int n;
  } packed = {data, kCount};
  size_t size = 12;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CUlaunchConfig config = {16, 1, 1, 256, 1, 1, 0, nullptr, nullptr, 0};
  CHECK_CU(cuLaunchKernelEx, &config, function, nullptr, extra);
  check(factor);
  CUstream stream;
  CUgraph graph;
  CHECK_CU(cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
  CHECK_CU(cuStreamBeginCapture, stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  config.hStream = stream;
  CHECK_CU(cuLaunchKernelEx, &config, function, nullptr, extra);
  CHECK_CU(cuStreamEndCapture, stream, &graph);
  check(1);
  CUfunction offset;
  CUmodule module;
  CHECK_CU(cuLibraryGetModule, &module, library);
  CHECK_CU(cuModuleGetFunction, &offset, module, "_ZN5space6offsetIiEEvPT_S1_");
  int by = 1;
  void* arguments[] = {&data, &by};
  CHECK_CU(cuLaunchKernel, offset, 16, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr);
  by = -1;
  CHECK_CU(cuLaunchKernel, offset, 16, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr);
  check(1);
  CHECK_CU(cuLibraryUnload, library);
}

int main(int, char** files) {
  data = openFirstDevice(kCount * sizeof(int));
  CHECK_CU(cuMemsetD32, data, 1, kCount);
  launchModule(files[1], 2);
  launchModule(files[3], 4);
  launchLibrary(files[2], 3);
  launchModule(files[1], 2);
  // Nothing of ours is between a caller and its RTLD_NEXT.
  CHECK_TRUE(dlsym(RTLD_NEXT, "dlsym") == dlsym(RTLD_DEFAULT, "dlsym"));
  CHECK_TRUE(dlsym(RTLD_DEFAULT, "cuNoSuchFunction") == nullptr);
}
#endif
