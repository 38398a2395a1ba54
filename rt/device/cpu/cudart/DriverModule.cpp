// DriverModule.cpp - driver functions: modules, functions, launches, the JIT linker.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The "cubin" that cuLinkComplete gives out is the PTX that was added (JoinedPtx.h), to be linked
// when it is loaded. Nothing but PTX can be linked.
#include "rt/device/cpu/cudart/DriverCall.h"
#include "rt/device/cpu/cudart/KernelLaunch.h"
#include "rt/schema/TextFile.h"
#include "rt/support/JoinedPtx.h"
#include "rt/support/Log.h"

#include <cstring>
#include <string>
#include <vector>

using namespace gpusched;
using namespace gpusched::cudart;

GPUSCHED_DRIVER cuModuleLoadData(CUmodule* module, const void* code) {
  return driverResult(cudaLibraryLoadData(reinterpret_cast<cudaLibrary_t*>(module), code, nullptr,
                                          nullptr, 0, nullptr, nullptr, 0));
}

GPUSCHED_DRIVER cuModuleLoadDataEx(CUmodule* module, const void* code, unsigned count,
                                   CUjit_option* options, void** values) {
  emptyLogs(count, options, values);
  return cuModuleLoadData(module, code);
}

GPUSCHED_DRIVER cuModuleLoadFatBinary(CUmodule* module, const void* code) {
  return cuModuleLoadData(module, code);
}

GPUSCHED_DRIVER cuModuleLoad(CUmodule* module, const char* path) {
  return driverResult(cudaLibraryLoadFromFile(reinterpret_cast<cudaLibrary_t*>(module), path,
                                              nullptr, nullptr, 0, nullptr, nullptr, 0));
}

GPUSCHED_DRIVER cuModuleUnload(CUmodule module) {
  return driverResult(cudaLibraryUnload(reinterpret_cast<cudaLibrary_t>(module)));
}

GPUSCHED_DRIVER cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return driverResult(cudaLibraryGetKernel(reinterpret_cast<cudaKernel_t*>(function),
                                           reinterpret_cast<cudaLibrary_t>(module), name));
}

GPUSCHED_DRIVER cuModuleGetGlobal(CUdeviceptr* address, size_t* bytes, CUmodule module,
                                  const char* name) {
  return driverResult(cudaLibraryGetGlobal(reinterpret_cast<void**>(address), bytes,
                                           reinterpret_cast<cudaLibrary_t>(module), name));
}

// The linker.

namespace {
struct Link {
  std::vector<std::string> texts; // PTX
  std::string image;              // when it is complete
};
} // namespace

static Link* linkOf(CUlinkState state) {
  return reinterpret_cast<Link*>(state);
}

GPUSCHED_DRIVER cuLinkCreate(unsigned count, CUjit_option* options, void** values,
                             CUlinkState* state) {
  emptyLogs(count, options, values);
  *state = reinterpret_cast<CUlinkState>(new Link);
  return CUDA_SUCCESS;
}

/// The functions of libcudadevrt.a are there anyway; no other library is to be expected.
static bool takesInput(CUjitInputType type, const char* name) {
  if (type == CU_JIT_INPUT_PTX || type == CU_JIT_INPUT_LIBRARY)
    return true;
  log(LogLevel::Error, "linking %s: the cpu device links PTX", name ? name : "");
  return false;
}

GPUSCHED_DRIVER cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t bytes,
                              const char* name, unsigned, CUjit_option*, void**) {
  if (!takesInput(type, name))
    return CUDA_ERROR_NOT_SUPPORTED;
  const char* const text = static_cast<const char*>(data);
  if (type == CU_JIT_INPUT_PTX)
    linkOf(state)->texts.emplace_back(text, strnlen(text, bytes));
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned,
                              CUjit_option*, void**) {
  Result<std::string> text = readTextFile(path);
  return text.ok()
             ? cuLinkAddData(state, type, text->data(), text->size(), path, 0, nullptr, nullptr)
             : CUDA_ERROR_FILE_NOT_FOUND;
}

GPUSCHED_DRIVER cuLinkComplete(CUlinkState state, void** code, size_t* bytes) {
  Link* link = linkOf(state);
  link->image = joinPtx(link->texts);
  *code = link->image.data(); // ends with a zero byte
  if (bytes)
    *bytes = link->image.size();
  return CUDA_SUCCESS;
}

GPUSCHED_DRIVER cuLinkDestroy(CUlinkState state) {
  delete linkOf(state);
  return CUDA_SUCCESS;
}

// Functions.

static const void* handleOf(CUfunction function) {
  return reinterpret_cast<const void*>(function);
}

GPUSCHED_DRIVER cuFuncGetAttribute(int* value, CUfunction_attribute attribute,
                                   CUfunction function) {
  cudaFuncAttributes all;
  if (cudaError_t error = cudaFuncGetAttributes(&all, handleOf(function)); error != cudaSuccess)
    return driverResult(error);
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = all.maxThreadsPerBlock;
    break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = int(all.sharedSizeBytes);
    break;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    *value = int(all.constSizeBytes);
    break;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = int(all.localSizeBytes);
    break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = all.numRegs;
    break;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    *value = all.ptxVersion;
    break;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = all.binaryVersion;
    break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = all.maxDynamicSharedSizeBytes;
    break;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *value = all.preferredShmemCarveout;
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

/// The attributes that can be set have the runtime's numbers.
GPUSCHED_DRIVER cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return driverResult(
      cudaFuncSetAttribute(handleOf(function), cudaFuncAttribute(attribute), value));
}

GPUSCHED_DRIVER cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
  return driverResult(cudaFuncSetCacheConfig(handleOf(function), cudaFuncCache(config)));
}

GPUSCHED_DRIVER cuFuncGetName(const char** name, CUfunction function) {
  return driverResult(cudaFuncGetName(name, handleOf(function)));
}

GPUSCHED_DRIVER cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function,
                                                            int threads, size_t shared) {
  return driverResult(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, handleOf(function), threads, shared));
}

GPUSCHED_DRIVER cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                     CUfunction function,
                                                                     int threads, size_t shared,
                                                                     unsigned flags) {
  return driverResult(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, handleOf(function), threads, shared, flags));
}

GPUSCHED_DRIVER cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function,
                                                        int blocks, int threads) {
  return driverResult(
      cudaOccupancyAvailableDynamicSMemPerBlock(bytes, handleOf(function), blocks, threads));
}

/// The block size that keeps most threads resident; of equals the largest.
GPUSCHED_DRIVER cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction function,
                                                 CUoccupancyB2DSize sharedOf, size_t shared,
                                                 int limit) {
  cudaFuncAttributes all;
  if (cudaError_t error = cudaFuncGetAttributes(&all, handleOf(function)); error != cudaSuccess)
    return driverResult(error);
  constexpr int kStep = 32;
  int most = limit > 0 ? std::min(limit, all.maxThreadsPerBlock) : all.maxThreadsPerBlock;
  int bestThreads = 0, bestBlocks = 0;
  for (int threads = (most + kStep - 1) / kStep * kStep; threads > 0; threads -= kStep) {
    int size = std::min(threads, most), blocks = 0;
    CUresult error = cuOccupancyMaxActiveBlocksPerMultiprocessor(
        &blocks, function, size, sharedOf ? sharedOf(size) : shared);
    if (error != CUDA_SUCCESS)
      return error;
    if (blocks * size > bestThreads)
      bestThreads = blocks * size, bestBlocks = blocks, *block = size;
  }
  int sms = 0;
  cudaError_t error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  *grid = bestBlocks * sms;
  return driverResult(error);
}

GPUSCHED_DRIVER cuOccupancyMaxPotentialBlockSizeWithFlags(int* grid, int* block,
                                                          CUfunction function,
                                                          CUoccupancyB2DSize sharedOf,
                                                          size_t shared, int limit, unsigned) {
  return cuOccupancyMaxPotentialBlockSize(grid, block, function, sharedOf, shared, limit);
}

// Launches.

/// The arguments in `extra`'s packed buffer, or nothing if there is none.
static std::vector<void*> unpack(Runtime& runtime, CUfunction function, void** extra) {
  RegisteredKernel* kernel = nullptr;
  char* buffer = nullptr;
  for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2)
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = static_cast<char*>(extra[1]);
  std::vector<void*> arguments;
  if (buffer && kernelFor(runtime, handleOf(function), &kernel) == cudaSuccess)
    for (const cpu::KernelFacts::Parameter& one : cpu::Gpu::facts(*kernel->kernel).parameters)
      arguments.push_back(buffer + one.offset);
  return arguments;
}

static CUresult launch(const char* name, CUfunction function, const LaunchShape& shape,
                       CUstream handle, void** arguments, void** extra) {
  return driverResult(streamCall(name, handle, [&](Runtime& runtime, const StreamRef& stream) {
    std::vector<void*> packed = unpack(runtime, function, extra);
    return launchKernel(runtime, stream, handleOf(function), shape,
                        packed.empty() ? arguments : packed.data());
  }));
}

GPUSCHED_DRIVER cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                               unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared,
                               CUstream stream, void** arguments, void** extra) {
  return launch("cuLaunchKernel", function,
                {dim3(gridX, gridY, gridZ), dim3(blockX, blockY, blockZ), shared, false}, stream,
                arguments, extra);
}

GPUSCHED_DRIVER cuLaunchCooperativeKernel(CUfunction function, unsigned gridX, unsigned gridY,
                                          unsigned gridZ, unsigned blockX, unsigned blockY,
                                          unsigned blockZ, unsigned shared, CUstream stream,
                                          void** arguments) {
  return launch("cuLaunchCooperativeKernel", function,
                {dim3(gridX, gridY, gridZ), dim3(blockX, blockY, blockZ), shared, true}, stream,
                arguments, nullptr);
}

/// Attributes are the runtime's.
static cudaLaunchConfig_t configOf(const CUlaunchConfig& from) {
  static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(from.gridDimX, from.gridDimY, from.gridDimZ);
  config.blockDim = dim3(from.blockDimX, from.blockDimY, from.blockDimZ);
  config.dynamicSmemBytes = from.sharedMemBytes;
  config.stream = from.hStream;
  config.attrs = reinterpret_cast<cudaLaunchAttribute*>(from.attrs);
  config.numAttrs = from.numAttrs;
  return config;
}

GPUSCHED_DRIVER cuLaunchKernelEx(const CUlaunchConfig* from, CUfunction function, void** arguments,
                                 void** extra) {
  if (!from)
    return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t config = configOf(*from);
  std::vector<void*> packed;
  const cudaError_t error = apiCall("cuLaunchKernelEx", [&](Runtime& runtime) {
    packed = unpack(runtime, function, extra);
    return cudaSuccess;
  });
  if (error != cudaSuccess)
    return driverResult(error);
  return driverResult(
      cudaLaunchKernelExC(&config, handleOf(function), packed.empty() ? arguments : packed.data()));
}

static CUresult clusterQuery(cudaError_t (*query)(int*, const void*, const cudaLaunchConfig_t*),
                             int* result, CUfunction function, const CUlaunchConfig* from) {
  if (!from)
    return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t config = configOf(*from);
  return driverResult(query(result, handleOf(function), &config));
}

GPUSCHED_DRIVER cuOccupancyMaxActiveClusters(int* clusters, CUfunction function,
                                             const CUlaunchConfig* from) {
  return clusterQuery(cudaOccupancyMaxActiveClusters, clusters, function, from);
}

GPUSCHED_DRIVER cuOccupancyMaxPotentialClusterSize(int* blocks, CUfunction function,
                                                   const CUlaunchConfig* from) {
  return clusterQuery(cudaOccupancyMaxPotentialClusterSize, blocks, function, from);
}
