// ApiCuda12.cpp - what CUDA 12's runtime says otherwise than CUDA 13's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a program that was compiled with CUDA 12, as gpusched12_<its name>. Those that
// are not here are the same in both. Two ways lead here: StaticRuntimePatch finds a static cudart
// of 12 in a program, and libgpusched_cudart12.so stands for libcudart.so.12 (Stubs12.awk).
//
//   older form without edge data, version 2 of the same with it     13 has only the latter, plainly
//   devices by number in prefetch and advice                        13 has locations
//   structs that 13 has made larger, or taken fields out of          written no further than 12's
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/support/Log.h"

#include <array>
#include <cstddef>
#include <cstring>

#define GPUSCHED_CUDA12(NAME) GPUSCHED_API cudaError_t gpusched12_##NAME

/// 12's NAME_v2 (or another ending) is 13's NAME.
#define GPUSCHED_AS_IN_13(OLD, NAME, PARAMETERS, ARGUMENTS)                                        \
  GPUSCHED_CUDA12(OLD) PARAMETERS {                                                                \
    return NAME ARGUMENTS;                                                                         \
  }

/// As that, with the form whose stream 0 is the calling thread's. REQUIRES: a parameter `stream`.
#define GPUSCHED_STREAM_AS_IN_13(OLD, NAME, PARAMETERS, ARGUMENTS)                                 \
  GPUSCHED_AS_IN_13(OLD, NAME, PARAMETERS, ARGUMENTS)                                              \
  GPUSCHED_CUDA12(OLD##_ptsz) PARAMETERS {                                                         \
    stream = perThread(stream);                                                                    \
    return NAME ARGUMENTS;                                                                         \
  }

namespace {

using namespace gpusched::cudart;

/// cudaDeviceProp of 12.0 to 12.9. 13's fields are in the same order, but some went.
struct DeviceProperties12 {
  std::array<std::byte, 1032> bytes;
};

struct Run {
  size_t from, to, bytes;
};
constexpr Run kKept[] = {{0, 0, 348},
                         {offsetof(cudaDeviceProp, totalConstMem), 352, 32},
                         {offsetof(cudaDeviceProp, multiProcessorCount), 388, 4},
                         {offsetof(cudaDeviceProp, integrated), 396, 8},
                         {offsetof(cudaDeviceProp, maxTexture1D), 408, 8},
                         {offsetof(cudaDeviceProp, maxTexture2D), 420, 188},
                         {offsetof(cudaDeviceProp, memoryBusWidth), 612, 28},
                         {offsetof(cudaDeviceProp, sharedMemPerMultiprocessor), 640, 28},
                         {offsetof(cudaDeviceProp, pageableMemoryAccess), 672, 20},
                         {offsetof(cudaDeviceProp, sharedMemPerBlockOptin), 696, 84}};

struct Gone {
  size_t at;
  cudaDeviceAttr attribute; ///< has the value still
};
constexpr Gone kGone[] = {{348, cudaDevAttrClockRate},
                          {384, cudaDevAttrGpuOverlap},
                          {392, cudaDevAttrKernelExecTimeout},
                          {404, cudaDevAttrComputeMode},
                          {416, cudaDevAttrMaxTexture1DLinearWidth},
                          {608, cudaDevAttrMemoryClockRate},
                          {668, cudaDevAttrSingleToDoublePrecisionPerfRatio}};

constexpr size_t kPointerAttributes12 = 24, kResourceDesc12 = 64;

cudaMemLocation locationOf(int device) {
  cudaMemLocation location = {};
  location.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}

template <class Function, class... Arguments>
cudaError_t batchOf12(size_t* failed, Function&& function, Arguments... arguments) {
  if (failed)
    *failed = SIZE_MAX;
  return function(arguments...);
}

/// Of `ask`, which fills a T, the first `bytes`.
template <class T, class Ask> cudaError_t askedUpTo(T* out, size_t bytes, Ask&& ask) {
  T whole = {};
  const cudaError_t error = ask(out ? &whole : nullptr);
  if (error == cudaSuccess && out)
    std::memcpy(static_cast<void*>(out), &whole, bytes);
  return error;
}

} // namespace

GPUSCHED_CUDA12(cudaGetDeviceProperties_v2)(DeviceProperties12* out, int device) {
  cudaDeviceProp properties = {};
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, device); error != cudaSuccess)
    return error;
  out->bytes.fill({});
  for (const Run& run : kKept)
    std::memcpy(out->bytes.data() + run.to,
                reinterpret_cast<const std::byte*>(&properties) + run.from, run.bytes);
  for (const Gone& gone : kGone) {
    int value = 0;
    cudaDeviceGetAttribute(&value, gone.attribute, device);
    std::memcpy(out->bytes.data() + gone.at, &value, sizeof(value));
  }
  return cudaSuccess;
}

/// Objects that CUDA 11 has compiled call it, for a struct of its own.
GPUSCHED_CUDA12(cudaGetDeviceProperties)(void*, int) {
  gpusched::log(gpusched::LogLevel::Error,
                "cudaGetDeviceProperties of CUDA 11 is not implemented on the cpu device");
  return cudaErrorNotSupported;
}

/// Of the last one: which it was that linked the program is not known.
GPUSCHED_CUDA12(cudaRuntimeGetVersion)(int* version) {
  constexpr int kLast12 = 12090;
  const cudaError_t error = cudaRuntimeGetVersion(version);
  if (error == cudaSuccess)
    *version = kLast12;
  return error;
}

GPUSCHED_CUDA12(cudaPointerGetAttributes)(cudaPointerAttributes* out, const void* pointer) {
  return askedUpTo(out, kPointerAttributes12, [&](cudaPointerAttributes* whole) {
    return cudaPointerGetAttributes(whole, pointer);
  });
}
GPUSCHED_CUDA12(cudaGetTextureObjectResourceDesc)(cudaResourceDesc* out,
                                                  cudaTextureObject_t texture) {
  return askedUpTo(out, kResourceDesc12, [&](cudaResourceDesc* whole) {
    return cudaGetTextureObjectResourceDesc(whole, texture);
  });
}
GPUSCHED_CUDA12(cudaGetSurfaceObjectResourceDesc)(cudaResourceDesc* out,
                                                  cudaSurfaceObject_t surface) {
  return askedUpTo(out, kResourceDesc12, [&](cudaResourceDesc* whole) {
    return cudaGetSurfaceObjectResourceDesc(whole, surface);
  });
}

// Memory.
GPUSCHED_STREAM_AS_IN_13(cudaMemPrefetchAsync, cudaMemPrefetchAsync,
                         (const void* pointer, size_t bytes, int device, cudaStream_t stream),
                         (pointer, bytes, locationOf(device), 0, stream))
GPUSCHED_STREAM_AS_IN_13(cudaMemPrefetchAsync_v2, cudaMemPrefetchAsync,
                         (const void* pointer, size_t bytes, cudaMemLocation location,
                          unsigned flags, cudaStream_t stream),
                         (pointer, bytes, location, flags, stream))
GPUSCHED_CUDA12(cudaMemAdvise)(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                               int device) {
  return cudaMemAdvise(pointer, bytes, advice, locationOf(device));
}
GPUSCHED_AS_IN_13(cudaMemAdvise_v2, cudaMemAdvise,
                  (const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                   cudaMemLocation location),
                  (pointer, bytes, advice, location))
// `failed`: index of a copy that could not be made; SIZE_MAX where no single one is to blame.
GPUSCHED_STREAM_AS_IN_13(cudaMemcpyBatchAsync, batchOf12,
                         (void** to, void** from, size_t* bytes, size_t count,
                          cudaMemcpyAttributes* attributes, size_t* indices, size_t attributeCount,
                          size_t* failed, cudaStream_t stream),
                         (failed, cudaMemcpyBatchAsync, to, const_cast<const void**>(from), bytes,
                          count, attributes, indices, attributeCount, stream))
GPUSCHED_STREAM_AS_IN_13(cudaMemcpy3DBatchAsync, batchOf12,
                         (size_t count, cudaMemcpy3DBatchOp* operations, size_t* failed,
                          unsigned long long flags, cudaStream_t stream),
                         (failed, cudaMemcpy3DBatchAsync, count, operations, flags, stream))

// Graphs.
GPUSCHED_CUDA12(cudaGraphAddNode)(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, size_t count,
                                  cudaGraphNodeParams* parameters) {
  return cudaGraphAddNode(node, graph, dependencies, nullptr, count, parameters);
}
GPUSCHED_AS_IN_13(cudaGraphAddNode_v2, cudaGraphAddNode,
                  (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                   const cudaGraphEdgeData* data, size_t count, cudaGraphNodeParams* parameters),
                  (node, graph, dependencies, data, count, parameters))
GPUSCHED_CUDA12(cudaGraphAddDependencies)(cudaGraph_t graph, const cudaGraphNode_t* from,
                                          const cudaGraphNode_t* to, size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
GPUSCHED_AS_IN_13(cudaGraphAddDependencies_v2, cudaGraphAddDependencies,
                  (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                   const cudaGraphEdgeData* data, size_t count),
                  (graph, from, to, data, count))
GPUSCHED_CUDA12(cudaGraphRemoveDependencies)(cudaGraph_t graph, const cudaGraphNode_t* from,
                                             const cudaGraphNode_t* to, size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}
GPUSCHED_AS_IN_13(cudaGraphRemoveDependencies_v2, cudaGraphRemoveDependencies,
                  (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                   const cudaGraphEdgeData* data, size_t count),
                  (graph, from, to, data, count))
GPUSCHED_CUDA12(cudaGraphGetEdges)(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                   size_t* count) {
  return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
GPUSCHED_AS_IN_13(cudaGraphGetEdges_v2, cudaGraphGetEdges,
                  (cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                   cudaGraphEdgeData* data, size_t* count),
                  (graph, from, to, data, count))
GPUSCHED_CUDA12(cudaGraphNodeGetDependencies)(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                              size_t* count) {
  return cudaGraphNodeGetDependencies(node, dependencies, nullptr, count);
}
GPUSCHED_AS_IN_13(cudaGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies,
                  (cudaGraphNode_t node, cudaGraphNode_t* dependencies, cudaGraphEdgeData* data,
                   size_t* count),
                  (node, dependencies, data, count))
GPUSCHED_CUDA12(cudaGraphNodeGetDependentNodes)(cudaGraphNode_t node, cudaGraphNode_t* dependents,
                                                size_t* count) {
  return cudaGraphNodeGetDependentNodes(node, dependents, nullptr, count);
}
GPUSCHED_AS_IN_13(cudaGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes,
                  (cudaGraphNode_t node, cudaGraphNode_t* dependents, cudaGraphEdgeData* data,
                   size_t* count),
                  (node, dependents, data, count))

// Captures. What has no ending is the oldest form of three.
GPUSCHED_STREAM_AS_IN_13(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo,
                         (cudaStream_t stream, cudaStreamCaptureStatus* status,
                          unsigned long long* id),
                         (stream, status, id, nullptr, nullptr, nullptr, nullptr))
GPUSCHED_STREAM_AS_IN_13(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo,
                         (cudaStream_t stream, cudaStreamCaptureStatus* status,
                          unsigned long long* id, cudaGraph_t* graph,
                          const cudaGraphNode_t** dependencies, size_t* count),
                         (stream, status, id, graph, dependencies, nullptr, count))
GPUSCHED_STREAM_AS_IN_13(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo,
                         (cudaStream_t stream, cudaStreamCaptureStatus* status,
                          unsigned long long* id, cudaGraph_t* graph,
                          const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** data,
                          size_t* count),
                         (stream, status, id, graph, dependencies, data, count))
GPUSCHED_STREAM_AS_IN_13(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies,
                         (cudaStream_t stream, cudaGraphNode_t* dependencies, size_t count,
                          unsigned flags),
                         (stream, dependencies, nullptr, count, flags))
GPUSCHED_STREAM_AS_IN_13(cudaStreamUpdateCaptureDependencies_v2,
                         cudaStreamUpdateCaptureDependencies,
                         (cudaStream_t stream, cudaGraphNode_t* dependencies,
                          const cudaGraphEdgeData* data, size_t count, unsigned flags),
                         (stream, dependencies, data, count, flags))

// Gone from 13, under the names that took their place.
GPUSCHED_AS_IN_13(cudaEventElapsedTime_v2, cudaEventElapsedTime,
                  (float* milliseconds, cudaEvent_t begin, cudaEvent_t end),
                  (milliseconds, begin, end))
GPUSCHED_AS_IN_13(cudaThreadSynchronize, cudaDeviceSynchronize, (), ())
GPUSCHED_AS_IN_13(cudaThreadExit, cudaDeviceReset, (), ())
GPUSCHED_AS_IN_13(cudaThreadGetLimit, cudaDeviceGetLimit, (size_t* value, cudaLimit limit),
                  (value, limit))
GPUSCHED_AS_IN_13(cudaThreadSetLimit, cudaDeviceSetLimit, (cudaLimit limit, size_t value),
                  (limit, value))
GPUSCHED_AS_IN_13(cudaThreadGetCacheConfig, cudaDeviceGetCacheConfig, (cudaFuncCache * config),
                  (config))
GPUSCHED_AS_IN_13(cudaThreadSetCacheConfig, cudaDeviceSetCacheConfig, (cudaFuncCache config),
                  (config))
