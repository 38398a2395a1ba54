// Launches "k" by its CUfunction and its CUkernel, in streams of both kinds, with arguments in both forms.
#include <cuda.h>
#include <cstdio>

extern "C" CUresult cuLaunchKernel_ptsz(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                        unsigned, CUstream, void**, void**);

int main() {
  CUfunction function = nullptr, plain = nullptr;
  CUkernel kernel = nullptr;
  cuModuleGetFunction(&function, nullptr, "k");
  cuModuleGetFunction(&plain, nullptr, "plain");
  cuLibraryGetKernel(&kernel, nullptr, "k");
  std::setbuf(stdout, nullptr);
  struct {
    void* data;
    int count;
  } values = {nullptr, 5};
  void* arguments[] = {&values.data, &values.count};
  cuLaunchKernel(function, 7, 1, 1, 32, 1, 1, 64, nullptr, arguments, nullptr);
  cuLaunchKernel_ptsz(function, 8, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &values, CU_LAUNCH_PARAM_END};
  cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 9, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra);
  CUlaunchAttribute attribute = {};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  CUlaunchConfig config = {10, 1, 1, 32, 1, 1, 0, nullptr, &attribute, 1};
  cuLaunchKernelEx(&config, function, arguments, nullptr);
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  cuLaunchKernelEx(&config, function, arguments, nullptr);
  cuLaunchCooperativeKernel(function, 11, 1, 1, 32, 1, 1, 0, nullptr, arguments);
  cuLaunchKernel(plain, 12, 1, 1, 32, 1, 1, 64, nullptr, arguments, nullptr);
  cuGraphLaunch(nullptr, nullptr);
  void* launchGraph = nullptr;
  cuGetProcAddress("cuGraphLaunch", &launchGraph, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, nullptr);
  reinterpret_cast<decltype(&cuGraphLaunch)>(launchGraph)(nullptr, nullptr);
  cuLaunchKernel(function, 13, 2, 1, 32, 1, 1, 96, nullptr, arguments, nullptr);
  cuModuleUnload(nullptr);
}
