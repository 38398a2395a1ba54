// NullCudart.h - a CUDA runtime whose calls cost nothing, so that what is left is ours.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every call succeeds at once. Events are numbered in order of recording; one is reached once
// `depth` more were recorded, so that `depth` launches are in flight at any moment. So are those of
// twins that say themselves when they end. Thread-safe.
#pragma once

#include "rt/launch/Cudart.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace nullCudart {

inline std::atomic<uint64_t> recorded{0};
inline std::atomic<uint64_t> depth{4};
inline std::atomic<bool> unlike{false}; ///< every second stream has the highest priority
inline std::atomic<uint64_t> launches{0};
constexpr uint64_t kMostDepth = 64;

/// Does a launch of `function` have gpusched_params as its first argument?
inline bool (*isTwin)(const void* function) = nullptr;

struct Event {
  std::atomic<uint64_t> number{0};
};

/// Of twins in flight that say when they end; one ends when another takes its place.
inline std::atomic<gpusched_u32*> saying[kMostDepth];

inline int launchKernel(const void* function, gpusched_dim3, gpusched_dim3, void** arguments,
                        size_t, void*) {
  launches.fetch_add(1, std::memory_order_relaxed);
  if (!isTwin(function))
    return 0;
  const auto& params = *static_cast<const gpusched_params*>(arguments[0]);
  static std::atomic<uint64_t> turn{0};
  if (params.role == GPUSCHED_ALONE)
    if (gpusched_u32* const ended = saying[turn++ % depth].exchange(params.ended))
      __atomic_store_n(ended, 1, __ATOMIC_RELEASE);
  return 0;
}

inline int attributesOf(void* out, const void*) {
  gpusched::cudart::FunctionAttributes attributes;
  attributes.maxThreadsPerBlock = 1024;
  attributes.numRegs = 32;
  attributes.maxDynamicSharedSizeBytes = 49152;
  std::memcpy(out, &attributes, offsetof(gpusched::cudart::FunctionAttributes, tail));
  return 0;
}

inline int deviceAttribute(int* value, int name, int) {
  namespace cudart = gpusched::cudart;
  *value = name == cudart::kAttributeMultiProcessorCount             ? 132
           : name == cudart::kAttributeMaxThreadsPerMultiProcessor   ? 2048
           : name == cudart::kAttributeMaxRegistersPerMultiprocessor ? 65536
           : name == cudart::kAttributeMaxBlocksPerMultiprocessor    ? 32
           : name == cudart::kAttributeComputeCapabilityMajor        ? 9
                                                                     : 233472;
  return name >= cudart::kAttributeMaxBlockDimX && name < cudart::kAttributeClockRateKhz
             ? (*value = 1 << 20, 0)
             : 0;
}

inline int contextId(void*, unsigned long long* id) {
  return *id = 1, 0;
}

inline int deviceOf(int* device, int ordinal) {
  return *device = ordinal, 0;
}

/// All alike: the devices of two processes of the benchmark are one.
inline int deviceUuid(char* uuid, int) {
  return std::memset(uuid, 'n', 16), 0;
}

inline int entryPoint(const char* symbol, void** function, unsigned, unsigned long long, int*) {
  auto is = [symbol](const char* name) { return std::strcmp(symbol, name) == 0; };
  *function = is("cuCtxGetId")        ? reinterpret_cast<void*>(&contextId)
              : is("cuDeviceGet")     ? reinterpret_cast<void*>(&deviceOf)
              : is("cuDeviceGetUuid") ? reinterpret_cast<void*>(&deviceUuid)
                                      : nullptr;
  return 0;
}

inline const gpusched_cudart& table() {
  static const gpusched_cudart kTable = {
      sizeof(gpusched_cudart),
      launchKernel,
      [] { return 0; },
      [](int* device) { return *device = 0; },
      deviceAttribute,
      attributesOf,
      [](const void*, int, int) { return 0; },
      [](int* blocks, const void*, int, size_t) { return *blocks = 8, 0; },
      [](void** pointer, size_t bytes) { return *pointer = std::malloc(bytes), 0; },
      [](void* pointer) { return std::free(pointer), 0; },
      [](void** pointer, size_t bytes) { return *pointer = std::malloc(bytes), 0; },
      [](void* pointer) { return std::free(pointer), 0; },
      [](void*, const void*, size_t, int, void*) { return 0; },
      [](void*, int, size_t, void*) { return 0; },
      [](void** stream, unsigned) { return *stream = new char, 0; },
      [](void*) { return 0; },
      [](void*, int* status) { return *status = 0; },
      [](void*, void*, unsigned) { return 0; },
      [](void** event, unsigned) { return *event = new Event, 0; },
      [](void* event, void*) {
        static_cast<Event*>(event)->number = 1 + recorded.fetch_add(1, std::memory_order_relaxed);
        return 0;
      },
      [](void* event) {
        return static_cast<Event*>(event)->number + depth <= recorded
                   ? 0
                   : gpusched::cudart::kErrorNotReady;
      },
      [](void*) { return 0; },
      entryPoint,
      [](int*) { return 0; },
      [](float* milliseconds, void*, void*) { return *milliseconds = 1, 0; },
      [](void*, void (*function)(void*), void* data) { return function(data), 0; },
      [](void** handle, const void* function) { return *handle = const_cast<void*>(function), 0; },
      [] { return 0; },
      [](const void*, const void* function, void** arguments) {
        return launchKernel(function, {}, {}, arguments, 0, nullptr);
      },
      [](void* stream, int* priority) {
        return *priority = unlike && reinterpret_cast<uintptr_t>(stream) % 2 ? -5 : 0, 0;
      },
      [](int* lowest, int* highest) { return *lowest = 0, *highest = -5, 0; }};
  return kTable;
}

} // namespace nullCudart
