// ApiPerThread.cpp - the _ptsz twins: stream 0 means the calling thread's default stream.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs compiled with --default-stream per-thread call these names.
#include "rt/device/cpu/cudart/ApiCall.h"

using gpusched::cudart::perThread;

/// Defines NAME_ptsz with the given parameters, which calls NAME with the given arguments.
#define GPUSCHED_PER_THREAD(NAME, PARAMETERS, ARGUMENTS)                                           \
  GPUSCHED_API cudaError_t NAME##_ptsz PARAMETERS {                                                \
    return NAME ARGUMENTS;                                                                         \
  }

GPUSCHED_API cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);

GPUSCHED_PER_THREAD(__cudaLaunchKernel,
                    (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                     cudaStream_t stream),
                    (kernel, grid, block, arguments, shared, perThread(stream)))
GPUSCHED_PER_THREAD(cudaLaunchKernel,
                    (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                     cudaStream_t stream),
                    (function, grid, block, arguments, shared, perThread(stream)))
GPUSCHED_PER_THREAD(cudaLaunchCooperativeKernel,
                    (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                     cudaStream_t stream),
                    (function, grid, block, arguments, shared, perThread(stream)))

GPUSCHED_API cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config,
                                                  const void* function, void** arguments) {
  if (!config)
    return cudaLaunchKernelExC(config, function, arguments);
  cudaLaunchConfig_t changed = *config;
  changed.stream = perThread(config->stream);
  return cudaLaunchKernelExC(&changed, function, arguments);
}

GPUSCHED_PER_THREAD(cudaMemcpyAsync,
                    (void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                     cudaStream_t stream),
                    (to, from, bytes, kind, perThread(stream)))
GPUSCHED_PER_THREAD(cudaMemcpy2DAsync,
                    (void* to, size_t toPitch, const void* from, size_t fromPitch, size_t width,
                     size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                    (to, toPitch, from, fromPitch, width, height, kind, perThread(stream)))
GPUSCHED_PER_THREAD(cudaMemcpy3DAsync, (const cudaMemcpy3DParms* parameters, cudaStream_t stream),
                    (parameters, perThread(stream)))
GPUSCHED_PER_THREAD(cudaMemcpy3DPeerAsync,
                    (const cudaMemcpy3DPeerParms* parameters, cudaStream_t stream),
                    (parameters, perThread(stream)))
GPUSCHED_PER_THREAD(cudaMemcpyToSymbolAsync,
                    (const void* symbol, const void* from, size_t bytes, size_t offset,
                     cudaMemcpyKind kind, cudaStream_t stream),
                    (symbol, from, bytes, offset, kind, perThread(stream)))
GPUSCHED_PER_THREAD(cudaMemcpyFromSymbolAsync,
                    (void* to, const void* symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                     cudaStream_t stream),
                    (to, symbol, bytes, offset, kind, perThread(stream)))
GPUSCHED_PER_THREAD(cudaMemsetAsync, (void* to, int value, size_t bytes, cudaStream_t stream),
                    (to, value, bytes, perThread(stream)))
GPUSCHED_PER_THREAD(cudaMemset2DAsync,
                    (void* to, size_t pitch, int value, size_t width, size_t height,
                     cudaStream_t stream),
                    (to, pitch, value, width, height, perThread(stream)))
GPUSCHED_PER_THREAD(cudaMemset3DAsync,
                    (cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream),
                    (to, value, extent, perThread(stream)))
GPUSCHED_PER_THREAD(cudaMallocAsync, (void** pointer, size_t bytes, cudaStream_t stream),
                    (pointer, bytes, perThread(stream)))
GPUSCHED_PER_THREAD(cudaMallocFromPoolAsync,
                    (void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
                    (pointer, bytes, pool, perThread(stream)))
GPUSCHED_PER_THREAD(cudaFreeAsync, (void* pointer, cudaStream_t stream),
                    (pointer, perThread(stream)))
GPUSCHED_PER_THREAD(cudaMemPrefetchAsync,
                    (const void* pointer, size_t bytes, cudaMemLocation location, unsigned flags,
                     cudaStream_t stream),
                    (pointer, bytes, location, flags, perThread(stream)))

GPUSCHED_PER_THREAD(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream),
                    (event, perThread(stream)))
GPUSCHED_PER_THREAD(cudaEventRecordWithFlags,
                    (cudaEvent_t event, cudaStream_t stream, unsigned flags),
                    (event, perThread(stream), flags))

GPUSCHED_PER_THREAD(cudaStreamSynchronize, (cudaStream_t stream), (perThread(stream)))
GPUSCHED_PER_THREAD(cudaStreamQuery, (cudaStream_t stream), (perThread(stream)))
GPUSCHED_PER_THREAD(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags),
                    (perThread(stream), event, flags))
GPUSCHED_PER_THREAD(cudaStreamAddCallback,
                    (cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                     unsigned flags),
                    (perThread(stream), callback, data, flags))
GPUSCHED_PER_THREAD(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void* data),
                    (perThread(stream), function, data))
GPUSCHED_PER_THREAD(cudaStreamAttachMemAsync,
                    (cudaStream_t stream, void* pointer, size_t bytes, unsigned flags),
                    (perThread(stream), pointer, bytes, flags))
GPUSCHED_PER_THREAD(cudaStreamGetPriority, (cudaStream_t stream, int* priority),
                    (perThread(stream), priority))
GPUSCHED_PER_THREAD(cudaStreamGetFlags, (cudaStream_t stream, unsigned* flags),
                    (perThread(stream), flags))
GPUSCHED_PER_THREAD(cudaStreamGetId, (cudaStream_t stream, unsigned long long* id),
                    (perThread(stream), id))
GPUSCHED_PER_THREAD(cudaStreamGetDevice, (cudaStream_t stream, int* device),
                    (perThread(stream), device))
GPUSCHED_PER_THREAD(cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus* status),
                    (perThread(stream), status))
GPUSCHED_PER_THREAD(cudaStreamGetCaptureInfo,
                    (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                     cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                     const cudaGraphEdgeData** edges, size_t* count),
                    (perThread(stream), status, id, graph, dependencies, edges, count))
GPUSCHED_PER_THREAD(cudaStreamGetAttribute,
                    (cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue* value),
                    (perThread(stream), attribute, value))
GPUSCHED_PER_THREAD(cudaStreamSetAttribute,
                    (cudaStream_t stream, cudaStreamAttrID attribute,
                     const cudaStreamAttrValue* value),
                    (perThread(stream), attribute, value))
GPUSCHED_PER_THREAD(cudaStreamCopyAttributes, (cudaStream_t to, cudaStream_t from),
                    (perThread(to), perThread(from)))

GPUSCHED_PER_THREAD(cudaStreamBeginCapture, (cudaStream_t stream, cudaStreamCaptureMode mode),
                    (perThread(stream), mode))
GPUSCHED_PER_THREAD(cudaStreamBeginCaptureToGraph,
                    (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* after,
                     const cudaGraphEdgeData* edges, size_t count, cudaStreamCaptureMode mode),
                    (perThread(stream), graph, after, edges, count, mode))
GPUSCHED_PER_THREAD(cudaStreamUpdateCaptureDependencies,
                    (cudaStream_t stream, cudaGraphNode_t* nodes, const cudaGraphEdgeData* edges,
                     size_t count, unsigned flags),
                    (perThread(stream), nodes, edges, count, flags))
GPUSCHED_PER_THREAD(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t* graph),
                    (perThread(stream), graph))
GPUSCHED_PER_THREAD(cudaGraphLaunch, (cudaGraphExec_t executable, cudaStream_t stream),
                    (executable, perThread(stream)))
GPUSCHED_PER_THREAD(cudaGraphUpload, (cudaGraphExec_t executable, cudaStream_t stream),
                    (executable, perThread(stream)))
GPUSCHED_API cudaError_t cudaGraphInstantiateWithParams_ptsz(
    cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphInstantiateParams* parameters) {
  return cudaGraphInstantiateWithParams(executable, graph, parameters);
}
GPUSCHED_PER_THREAD(cudaMemcpyBatchAsync,
                    (void* const* to, const void* const* from, const size_t* bytes, size_t count,
                     cudaMemcpyAttributes* attributes, size_t* indices, size_t attributeCount,
                     cudaStream_t stream),
                    (to, from, bytes, count, attributes, indices, attributeCount,
                     perThread(stream)))
