// A libcuda.so.1 with one module: the kernel "k", its twin "k__gs", the variable that names it, and "a::plain<int>".
// A CUkernel is no CUfunction here, and whoever takes one for the other ends the program.
#include "rt/include/gpusched/LaunchAbi.h"

#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#undef cuGetProcAddress

static int places[4]; // of the kernel, of its function, of the twin, of the other one
static const CUkernel kernel = reinterpret_cast<CUkernel>(&places[0]);
static const CUfunction native = reinterpret_cast<CUfunction>(&places[1]);
static const CUfunction twin = reinterpret_cast<CUfunction>(&places[2]);
static const CUfunction plain = reinterpret_cast<CUfunction>(&places[3]);
static struct {
  gpusched_module_twin words;
  char texts[14];
} variable = {{GPUSCHED_ABI_VERSION, 17, 2, 3}, "k__gs\0k\0k.cu"};

#define EXPORT extern "C" __attribute__((visibility("default"))) CUresult

static void mustBe(CUfunction given, CUfunction expected) {
  if (given == expected)
    return;
  std::puts("the driver crashes");
  std::exit(1);
}

static CUresult said(const char* stream, CUfunction function, void** arguments) {
  std::printf("[driver] %s of %s stream, %d arguments\n",
              function == twin                                  ? "twin"
              : function == native                              ? "native"
              : function == plain                               ? "plain"
              : function == reinterpret_cast<CUfunction>(kernel) ? "kernel"
                                                                : "nothing",
              stream, arguments ? *static_cast<int*>(arguments[function == twin ? 2 : 1]) : 0);
  return CUDA_SUCCESS;
}

EXPORT cuLaunchKernel(CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      unsigned, CUstream, void** arguments, void**) {
  return said("legacy", function, arguments);
}
EXPORT cuLaunchKernel_ptsz(CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned,
                           unsigned, unsigned, CUstream, void** arguments, void**) {
  return said("per-thread", function, arguments);
}
EXPORT cuStreamGetPriority(CUstream, int* priority) {
  *priority = -2;
  return CUDA_SUCCESS;
}
EXPORT cuCtxGetStreamPriorityRange(int* least, int* highest) {
  *least = 0, *highest = -5;
  return CUDA_SUCCESS;
}
EXPORT cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void**) {
  if (config->gridDimX == 13)
    std::printf("[driver] grid %u %u %u block %u shared %u, %s %d\n", config->gridDimX, config->gridDimY, config->gridDimZ,
                config->blockDimX, config->sharedMemBytes,
                config->attrs->id == CU_LAUNCH_ATTRIBUTE_PRIORITY ? "priority" : "what?", config->attrs->value.priority);
  return said("legacy", function, arguments);
}
EXPORT cuLaunchCooperativeKernel(CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, CUstream, void** arguments) {
  return said("a cooperative", function, arguments);
}
EXPORT cuGraphLaunch(CUgraphExec, CUstream) {
  std::puts("[driver] the graph");
  return CUDA_SUCCESS;
}
EXPORT cuGraphLaunch_ptsz(CUgraphExec, CUstream) {
  std::puts("[driver] the graph, in a per-thread stream");
  return CUDA_SUCCESS;
}
EXPORT cuLibraryGetKernel(CUkernel* found, CUlibrary, const char*) {
  *found = kernel;
  return CUDA_SUCCESS;
}
EXPORT cuKernelGetFunction(CUfunction* function, CUkernel given) {
  mustBe(reinterpret_cast<CUfunction>(given), reinterpret_cast<CUfunction>(kernel));
  *function = native;
  return CUDA_SUCCESS;
}
EXPORT cuModuleGetFunction(CUfunction* function, CUmodule, const char* name) {
  *function = !std::strcmp(name, "k__gs") ? twin : !std::strcmp(name, "k") ? native : plain;
  return CUDA_SUCCESS;
}
EXPORT cuFuncGetModule(CUmodule*, CUfunction function) {
  mustBe(function, function == plain ? plain : native);
  return CUDA_SUCCESS;
}
EXPORT cuFuncGetName(const char** name, CUfunction function) {
  mustBe(function, function == plain ? plain : native);
  *name = function == plain ? "_ZN1a5plainIiEEvPT_PFvS1_E" : "k";
  return CUDA_SUCCESS;
}
EXPORT cuFuncGetParamInfo(CUfunction, size_t index, size_t* offset, size_t* bytes) {
  *offset = index * 8, *bytes = index ? 4 : 8;
  return index < 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
EXPORT cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule, const char* name) {
  variable.words.abi_version += std::getenv("OTHER_ABI") ? 1 : 0;
  *address = reinterpret_cast<CUdeviceptr>(&variable), *bytes = sizeof variable;
  return std::strcmp(name, "gpusched_twin_of_k") ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
EXPORT cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream) {
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return CUDA_SUCCESS;
}
static CUresult anythingElse() { return CUDA_SUCCESS; }

EXPORT cuGetProcAddress_v2(const char* symbol, void** function, int, cuuint64_t flags,
                           CUdriverProcAddressQueryResult*) {
  const bool perThread = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  *function = reinterpret_cast<void*>(&anythingElse);
#define KNOWN(NAME, FUNCTION)                                                                      \
  if (!std::strcmp(symbol, NAME))                                                                  \
    *function = reinterpret_cast<void*>(&FUNCTION);
  KNOWN("cuLaunchKernel", cuLaunchKernel)
  if (perThread)
    KNOWN("cuLaunchKernel", cuLaunchKernel_ptsz)
  KNOWN("cuLaunchKernelEx", cuLaunchKernelEx)
  KNOWN("cuGraphLaunch", cuGraphLaunch)
  KNOWN("cuStreamGetPriority", cuStreamGetPriority)
  KNOWN("cuCtxGetStreamPriorityRange", cuCtxGetStreamPriorityRange)
  KNOWN("cuLibraryGetKernel", cuLibraryGetKernel)
  KNOWN("cuKernelGetFunction", cuKernelGetFunction)
  KNOWN("cuModuleGetFunction", cuModuleGetFunction)
  KNOWN("cuFuncGetModule", cuFuncGetModule)
  KNOWN("cuFuncGetName", cuFuncGetName)
  KNOWN("cuFuncGetParamInfo", cuFuncGetParamInfo)
  KNOWN("cuModuleGetGlobal", cuModuleGetGlobal_v2)
  KNOWN("cuMemcpyDtoHAsync", cuMemcpyDtoHAsync_v2)
  if (std::getenv("LACKS") && !std::strcmp(symbol, std::getenv("LACKS")))
    return CUDA_ERROR_NOT_FOUND;
  return CUDA_SUCCESS;
}
EXPORT cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}
EXPORT cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }
