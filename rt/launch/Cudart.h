// Cudart.h - names for the numbers that cross the gpusched_cudart table.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime includes no CUDA header: it talks to whichever CUDA runtime the program brought,
// through plain function pointers. These are the documented values of the CUDA Runtime API
// that it passes or receives, under the names they have there, and the part of
// cudaFuncAttributes that it reads. All are part of CUDA's stable binary interface.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace gpusched::cudart {

// cudaError_t
inline constexpr int kSuccess = 0;
inline constexpr int kErrorNotReady = 600;

// cudaMemcpyKind
inline constexpr int kHostToDevice = 1;
inline constexpr int kDeviceToHost = 2;

// cudaStreamCreateWithFlags, cudaEventCreateWithFlags
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;

// cudaStreamCaptureStatus
inline constexpr int kCaptureStatusNone = 0;

// cudaDeviceAttr
inline constexpr int kAttributeMaxBlockDimX = 2; // Y and Z follow
inline constexpr int kAttributeMaxGridDimX = 5;  // Y and Z follow
inline constexpr int kAttributeClockRateKhz = 13;
inline constexpr int kAttributeMultiProcessorCount = 16;
inline constexpr int kAttributeMemoryClockKhz = 36;
inline constexpr int kAttributeMemoryBusBits = 37;
inline constexpr int kAttributeL2Bytes = 38;
inline constexpr int kAttributeMaxThreadsPerMultiProcessor = 39;
inline constexpr int kAttributeComputeCapabilityMajor = 75;
inline constexpr int kAttributeComputeCapabilityMinor = 76;
inline constexpr int kAttributeMaxSharedMemoryPerMultiprocessor = 81;
inline constexpr int kAttributeMaxRegistersPerMultiprocessor = 82;
inline constexpr int kAttributeMaxBlocksPerMultiprocessor = 106;
inline constexpr int kAttributeReservedSharedMemoryPerBlock = 111;

// cudaFuncAttribute
inline constexpr int kFuncMaxDynamicSharedMemorySize = 8;
inline constexpr int kFuncPreferredSharedMemoryCarveout = 9;

// cuStreamWaitValue32: wait until (int32_t)(*address - value) >= 0
inline constexpr unsigned kWaitValueGreaterOrEqual = 0;
inline constexpr unsigned kDriverVersionOfWaitValue = 12000;
inline constexpr unsigned kDriverVersionOfContextId = 12000;
inline constexpr unsigned kDriverVersionOfFunctionModule = 11000;
inline constexpr unsigned kDriverVersionOfFunctionName = 12030;
inline constexpr unsigned kDriverVersionOfContexts = 4000;
inline constexpr unsigned kDriverVersionOfUuid = 11040; // of a MIG slice its own

// cudaStreamCaptureMode
inline constexpr int kCaptureModeRelaxed = 2;

/// Leading fields of cudaFuncAttributes. The tail leaves room for the fields that newer
/// runtimes write behind them.
struct FunctionAttributes {
  size_t sharedSizeBytes = 0; ///< static
  size_t constSizeBytes = 0;
  size_t localSizeBytes = 0;
  int maxThreadsPerBlock = 0;
  int numRegs = 0;
  int ptxVersion = 0;
  int binaryVersion = 0;
  int cacheModeCA = 0;
  int maxDynamicSharedSizeBytes = 0;
  int preferredShmemCarveout = -1;
  int clusterDimMustBeSet = 0;
  char tail[448] = {};
};

/// binaryVersion of code with twins that may be launched. Older GPUs schedule a warp's lanes as
/// one, and twins were not tried there.
inline constexpr int kOldestTwin = 70;

// cudaLaunchAttributeID
inline constexpr unsigned kLaunchAttributePriority = 8;

/// cudaLaunchAttribute with a value of that kind.
struct LaunchAttribute {
  unsigned id = kLaunchAttributePriority;
  unsigned padding = 0;
  int priority = 0;
  char tail[60] = {};
};

/// cudaLaunchConfig_t.
struct LaunchConfig {
  gpusched_dim3 grid = {}, block = {};
  size_t sharedBytes = 0;
  void* stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attributeCount = 0;
};

/// A call of ours failed: takes its error away, so that the program does not find it in
/// cudaGetLastError.
inline void discardError(const gpusched_cudart& runtime) {
  (void)runtime.getLastError();
}

/// Was that what a call of ours returned? If not, its error is taken away.
inline bool succeeded(const gpusched_cudart& runtime, int error) {
  if (error != kSuccess)
    discardError(runtime);
  return error == kSuccess;
}

/// A stream of ours, for which none of the program's waits; null where there is none to be had.
inline void* makeStream(const gpusched_cudart& runtime) {
  void* stream = nullptr;
  const int error = runtime.streamCreateWithFlags(&stream, kStreamNonBlocking);
  return succeeded(runtime, error) ? stream : nullptr;
}

/// Memory on the device and pinned on the host, which go together.
struct MemoryPair {
  void *device = nullptr, *host = nullptr;
};

/// Also of one half.
inline void release(const gpusched_cudart& runtime, const MemoryPair& memory) {
  if (memory.device)
    (void)succeeded(runtime, runtime.free(memory.device));
  if (memory.host)
    (void)succeeded(runtime, runtime.freeHost(memory.host));
}

/// False: nothing is kept.
inline bool allocate(const gpusched_cudart& runtime, MemoryPair& memory, size_t deviceBytes,
                     size_t hostBytes) {
  if (succeeded(runtime, runtime.malloc(&memory.device, deviceBytes)) &&
      succeeded(runtime, runtime.mallocHost(&memory.host, hostBytes)))
    return true;
  release(runtime, memory);
  memory = {};
  return false;
}

/// A function of the driver as the program's CUDA runtime finds it; null when there is none.
/// `version` is CUDA's that brought its present form.
template <class Function>
Function driverFunction(const gpusched_cudart& runtime, const char* symbol, unsigned version) {
  void* function = nullptr;
  int status = 0;
  if (!runtime.getDriverEntryPoint)
    return nullptr;
  if (runtime.getDriverEntryPoint(symbol, &function, version, 0, &status) == kSuccess)
    return reinterpret_cast<Function>(function);
  discardError(runtime);
  return nullptr;
}

/// A stream that is made without a priority has this one, the lowest.
inline constexpr int kDefaultPriority = 0;

/// As CUDA counts, less goes first; none where it does not say.
inline std::optional<int> streamPriority(const gpusched_cudart& runtime, void* stream) {
  int priority = kDefaultPriority;
  if (!runtime.streamGetPriority)
    return std::nullopt;
  if (runtime.streamGetPriority(stream, &priority) == kSuccess)
    return priority;
  discardError(runtime);
  return std::nullopt;
}

/// `name` of `device`, or `fallback` when the runtime does not know it.
inline int attribute(const gpusched_cudart& runtime, int name, int device, int fallback) {
  int value = 0;
  if (runtime.deviceGetAttribute(&value, name, device) == kSuccess && value > 0)
    return value;
  discardError(runtime);
  return fallback;
}

inline uint64_t count(const gpusched_dim3& extent) {
  return uint64_t(extent.x) * extent.y * extent.z;
}

} // namespace gpusched::cudart
