// Sharing.cpp - makes the streams; pads launches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding works below the kernels' source: the linker sends every launch of nvcc's code through
// __wrap___cudaLaunchKernel (--wrap). A launch that the padding makes impossible is made without.
// Streams and contexts live until the program ends.
#include "benchmarks/suite/Sharing.h"

#include "benchmarks/kernels/Workload.h"

#include <cuda.h>

#include <atomic>

extern "C" cudaError_t __real___cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t,
                                                 cudaStream_t);

static std::atomic<size_t> padding{0};

extern "C" cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                                 void** arguments, size_t shared,
                                                 cudaStream_t stream) {
  const size_t extra = padding.load(std::memory_order_relaxed);
  if (extra == 0)
    return __real___cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
  const cudaError_t error =
      __real___cudaLaunchKernel(kernel, grid, block, arguments, shared + extra, stream);
  if (error != cudaErrorInvalidValue && error != cudaErrorLaunchOutOfResources)
    return error;
  (void)cudaGetLastError();
  return __real___cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

namespace bench {
namespace {

cudaStream_t streamWithPriority(int priority) {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority), "stream");
  return stream;
}

std::vector<StreamPair> priorities(std::string& why) {
  int lowest = 0, highest = 0;
  if (cudaDeviceGetStreamPriorityRange(&lowest, &highest) != cudaSuccess || lowest == highest) {
    why = "the device has one stream priority";
    return {};
  }
  const cudaStream_t high = streamWithPriority(highest), low = streamWithPriority(lowest);
  return {{high, low, "high,low"}, {low, high, "low,high"}};
}

std::vector<StreamPair> paddings() {
  const cudaStream_t first = streamWithPriority(0), second = streamWithPriority(0);
  return {{first, second, "16384 bytes"},
          {first, second, "32768 bytes"},
          {first, second, "47104 bytes"}};
}

/// The driver's green contexts; a null pointer: the driver has none.
struct GreenCalls {
  decltype(&cuDeviceGetDevResource) getResource = nullptr;
  decltype(&cuDevSmResourceSplitByCount) split = nullptr;
  decltype(&cuDevResourceGenerateDesc) describe = nullptr;
  decltype(&cuGreenCtxCreate) create = nullptr;
  decltype(&cuGreenCtxStreamCreate) createStream = nullptr;

  bool load() {
    return find("cuDeviceGetDevResource", getResource) &&
           find("cuDevSmResourceSplitByCount", split) &&
           find("cuDevResourceGenerateDesc", describe) && find("cuGreenCtxCreate", create) &&
           find("cuGreenCtxStreamCreate", createStream);
  }

private:
  template <class Function> static bool find(const char* name, Function& function) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
    if (cudaGetDriverEntryPointByVersion(name, &found, 12050, cudaEnableDefault, &result) !=
        cudaSuccess)
      (void)cudaGetLastError();
    function = reinterpret_cast<Function>(found);
    return found != nullptr;
  }
};

cudaStream_t greenStream(const GreenCalls& calls, CUdevice device, CUdevResource& sms) {
  CUdevResourceDesc description = nullptr;
  CUgreenCtx context = nullptr;
  CUstream stream = nullptr;
  if (calls.describe(&description, &sms, 1) != CUDA_SUCCESS ||
      calls.create(&context, description, device, CU_GREEN_CTX_DEFAULT_STREAM) != CUDA_SUCCESS ||
      calls.createStream(&stream, context, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS)
    return nullptr;
  return stream;
}

std::vector<StreamPair> greenContexts(std::string& why) {
  GreenCalls calls;
  int ordinal = 0;
  require(cudaGetDevice(&ordinal), "cudaGetDevice");
  require(cudaFree(nullptr), "context"); // green contexts need the primary one
  CUdevResource all = {};
  if (!calls.load() || calls.getResource(ordinal, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS) {
    why = "the driver has no green contexts";
    return {};
  }
  std::vector<StreamPair> pairs;
  for (unsigned quarters : {1u, 2u, 3u}) {
    CUdevResource part = {}, rest = {};
    unsigned groups = 1;
    if (calls.split(&part, &groups, &all, &rest, 0, all.sm.smCount * quarters / 4) != CUDA_SUCCESS)
      continue;
    const StreamPair pair = {greenStream(calls, ordinal, part), greenStream(calls, ordinal, rest),
                             std::to_string(part.sm.smCount) + "+" +
                                 std::to_string(rest.sm.smCount) + " SMs"};
    if (pair.first && pair.second)
      pairs.push_back(pair);
  }
  if (pairs.empty())
    why = "the driver does not divide this device's SMs";
  return pairs;
}

} // namespace

std::vector<StreamPair> settingsOf(const std::string& mode, std::string& why) {
  if (mode == "priorities")
    return priorities(why);
  if (mode == "green")
    return greenContexts(why);
  if (mode == "padding")
    return paddings();
  return {{streamWithPriority(0), streamWithPriority(0), ""}};
}

void padLaunches(size_t bytes) {
  padding.store(bytes, std::memory_order_relaxed);
}

size_t paddingOf(const StreamPair& pair) {
  return pair.setting.find("bytes") == std::string::npos ? 0 : std::stoul(pair.setting);
}

} // namespace bench
