// cuda_layout_test - what gpusched says of CUDA's interface without CUDA's headers is what they
// say.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime library includes no CUDA header: it has its own table of functions, its own numbers
// and its own front part of cudaFuncAttributes. CUPTI's header of launch parameters cannot be
// included at all; launch_parameters.inc has the structs of it that are used, cut out by the build.
// Everything is checked while this compiles. A pointer, a handle and an enumerator pass like void*
// and int.
#include "rt/launch/Cudart.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <driver_types.h>

#include <cstdio>
#include <type_traits>

#include "launch_parameters.inc"

using gpusched::cudart::FunctionAttributes;
namespace ours = gpusched::cudart;

/// Do two parameters or results travel alike?
template <class Ours, class Theirs> constexpr bool alike() {
  if constexpr (std::is_pointer_v<Ours> || std::is_pointer_v<Theirs>)
    return std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>;
  else if constexpr (std::is_enum_v<Theirs>)
    return std::is_integral_v<Ours> && sizeof(Ours) == sizeof(Theirs);
  else
    return sizeof(Ours) == sizeof(Theirs) && std::is_class_v<Ours> == std::is_class_v<Theirs> &&
           std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;
}

template <class Ours, class Theirs> struct SameCall : std::false_type {};
template <class R, class... A, class S, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct SameCall<R (*)(A...), S (*)(B...)>
    : std::bool_constant<alike<R, S>() && (alike<A, B>() && ...)> {};

#define CHECK_CALL(entry, function)                                                                \
  static_assert(SameCall<decltype(gpusched_cudart::entry), decltype(&::function)>::value,          \
                "gpusched_cudart::" #entry " is not " #function)
CHECK_CALL(launchKernel, cudaLaunchKernel);
CHECK_CALL(getLastError, cudaGetLastError);
CHECK_CALL(getDevice, cudaGetDevice);
CHECK_CALL(deviceGetAttribute, cudaDeviceGetAttribute);
CHECK_CALL(funcGetAttributes, cudaFuncGetAttributes);
CHECK_CALL(funcSetAttribute, cudaFuncSetAttribute);
CHECK_CALL(occupancyMaxActiveBlocksPerMultiprocessor,
           cudaOccupancyMaxActiveBlocksPerMultiprocessor);
CHECK_CALL(malloc, cudaMalloc);
CHECK_CALL(free, cudaFree);
CHECK_CALL(mallocHost, cudaMallocHost);
CHECK_CALL(freeHost, cudaFreeHost);
CHECK_CALL(memcpyAsync, cudaMemcpyAsync);
CHECK_CALL(memsetAsync, cudaMemsetAsync);
CHECK_CALL(streamCreateWithFlags, cudaStreamCreateWithFlags);
CHECK_CALL(streamSynchronize, cudaStreamSynchronize);
CHECK_CALL(streamIsCapturing, cudaStreamIsCapturing);
CHECK_CALL(streamWaitEvent, cudaStreamWaitEvent);
CHECK_CALL(eventCreateWithFlags, cudaEventCreateWithFlags);
CHECK_CALL(eventRecord, cudaEventRecord);
CHECK_CALL(eventQuery, cudaEventQuery);
CHECK_CALL(eventDestroy, cudaEventDestroy);
CHECK_CALL(getDriverEntryPoint, cudaGetDriverEntryPointByVersion);
CHECK_CALL(threadExchangeStreamCaptureMode, cudaThreadExchangeStreamCaptureMode);
CHECK_CALL(eventElapsedTime, cudaEventElapsedTime);
CHECK_CALL(launchHostFunc, cudaLaunchHostFunc);
// Its name has an overload for any function.
static_assert(SameCall<decltype(gpusched_cudart::launchKernelExC),
                       cudaError_t (*)(const cudaLaunchConfig_t*, const void*, void**)>::value);
CHECK_CALL(streamGetPriority, cudaStreamGetPriority);
CHECK_CALL(deviceGetStreamPriorityRange, cudaDeviceGetStreamPriorityRange);
static_assert(sizeof(gpusched_dim3) == sizeof(dim3));

#define CHECK_NUMBER(name, value) static_assert(long(ours::name) == long(value), #name)
CHECK_NUMBER(kSuccess, cudaSuccess);
CHECK_NUMBER(kErrorNotReady, cudaErrorNotReady);
CHECK_NUMBER(kHostToDevice, cudaMemcpyHostToDevice);
CHECK_NUMBER(kDeviceToHost, cudaMemcpyDeviceToHost);
CHECK_NUMBER(kStreamNonBlocking, cudaStreamNonBlocking);
CHECK_NUMBER(kEventDisableTiming, cudaEventDisableTiming);
CHECK_NUMBER(kCaptureStatusNone, cudaStreamCaptureStatusNone);
CHECK_NUMBER(kCaptureModeRelaxed, cudaStreamCaptureModeRelaxed);
CHECK_NUMBER(kAttributeMaxBlockDimX, cudaDevAttrMaxBlockDimX);
CHECK_NUMBER(kAttributeMaxBlockDimX + 2, cudaDevAttrMaxBlockDimZ);
CHECK_NUMBER(kAttributeMaxGridDimX, cudaDevAttrMaxGridDimX);
CHECK_NUMBER(kAttributeMaxGridDimX + 2, cudaDevAttrMaxGridDimZ);
CHECK_NUMBER(kAttributeClockRateKhz, cudaDevAttrClockRate);
CHECK_NUMBER(kAttributeMultiProcessorCount, cudaDevAttrMultiProcessorCount);
CHECK_NUMBER(kAttributeMaxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor);
CHECK_NUMBER(kAttributeComputeCapabilityMajor, cudaDevAttrComputeCapabilityMajor);
CHECK_NUMBER(kAttributeComputeCapabilityMinor, cudaDevAttrComputeCapabilityMinor);
CHECK_NUMBER(kAttributeMaxSharedMemoryPerMultiprocessor,
             cudaDevAttrMaxSharedMemoryPerMultiprocessor);
CHECK_NUMBER(kAttributeMaxRegistersPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor);
CHECK_NUMBER(kAttributeMaxBlocksPerMultiprocessor, cudaDevAttrMaxBlocksPerMultiprocessor);
CHECK_NUMBER(kAttributeReservedSharedMemoryPerBlock, cudaDevAttrReservedSharedMemoryPerBlock);
CHECK_NUMBER(kFuncMaxDynamicSharedMemorySize, cudaFuncAttributeMaxDynamicSharedMemorySize);
CHECK_NUMBER(kFuncPreferredSharedMemoryCarveout, cudaFuncAttributePreferredSharedMemoryCarveout);
CHECK_NUMBER(kWaitValueGreaterOrEqual, CU_STREAM_WAIT_VALUE_GEQ);

#define CHECK_FIELD(mine, field)                                                                   \
  static_assert(offsetof(FunctionAttributes, mine) == offsetof(cudaFuncAttributes, field) &&       \
                    sizeof(FunctionAttributes::mine) == sizeof(cudaFuncAttributes::field),         \
                #field)
CHECK_FIELD(sharedSizeBytes, sharedSizeBytes);
CHECK_FIELD(constSizeBytes, constSizeBytes);
CHECK_FIELD(localSizeBytes, localSizeBytes);
CHECK_FIELD(maxThreadsPerBlock, maxThreadsPerBlock);
CHECK_FIELD(numRegs, numRegs);
CHECK_FIELD(ptxVersion, ptxVersion);
CHECK_FIELD(binaryVersion, binaryVersion);
CHECK_FIELD(cacheModeCA, cacheModeCA);
CHECK_FIELD(maxDynamicSharedSizeBytes, maxDynamicSharedSizeBytes);
CHECK_FIELD(preferredShmemCarveout, preferredShmemCarveout);
CHECK_FIELD(clusterDimMustBeSet, clusterDimMustBeSet);
static_assert(sizeof(FunctionAttributes) >= sizeof(cudaFuncAttributes));

CHECK_NUMBER(kLaunchAttributePriority, cudaLaunchAttributePriority);
static_assert(sizeof(ours::LaunchAttribute) == sizeof(cudaLaunchAttribute) &&
              offsetof(ours::LaunchAttribute, id) == offsetof(cudaLaunchAttribute, id) &&
              offsetof(ours::LaunchAttribute, priority) == offsetof(cudaLaunchAttribute, val) &&
              sizeof(cudaLaunchAttributeValue::priority) == sizeof(int));
static_assert(sizeof(ours::LaunchConfig) == sizeof(cudaLaunchConfig_t) &&
              offsetof(ours::LaunchConfig, grid) == offsetof(cudaLaunchConfig_t, gridDim) &&
              offsetof(ours::LaunchConfig, block) == offsetof(cudaLaunchConfig_t, blockDim) &&
              offsetof(ours::LaunchConfig, sharedBytes) ==
                  offsetof(cudaLaunchConfig_t, dynamicSmemBytes) &&
              offsetof(ours::LaunchConfig, stream) == offsetof(cudaLaunchConfig_t, stream) &&
              offsetof(ours::LaunchConfig, attributes) == offsetof(cudaLaunchConfig_t, attrs) &&
              offsetof(ours::LaunchConfig, attributeCount) ==
                  offsetof(cudaLaunchConfig_t, numAttrs));

// rt/counters/cupti/Injection.cpp reads seven numbers behind the function, and the first pointer.
static_assert(offsetof(cuLaunchKernel_params, gridDimX) == 8 &&
              offsetof(cuLaunchKernel_params, blockDimX) == 20 &&
              offsetof(cuLaunchKernel_params, sharedMemBytes) == 32);
static_assert(offsetof(cuLaunchCooperativeKernel_params, gridDimX) == 8 &&
              offsetof(cuLaunchCooperativeKernel_params, sharedMemBytes) == 32);
static_assert(offsetof(cuLaunchKernelEx_params, config) == 0);

int main() {
  std::puts("as in the headers");
}
