// ApiCapture.cpp - stream capture: turning what a stream is given into a graph.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which calls are "potentially unsafe" during a capture, CUDA's documents show by examples only.
// Here these are what allocates and frees memory at once, and cudaEventQuery (escapingCall).
#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/GraphHandles.h"

#include <utility>

using namespace gpusched::cudart;

GPUSCHED_API cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return streamCall("cudaStreamBeginCapture", handle,
                    [mode](Runtime& runtime, const StreamRef& stream) {
                      return runtime.streams.beginCapture(stream, mode);
                    });
}

GPUSCHED_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph,
                                                       const cudaGraphNode_t* after,
                                                       const cudaGraphEdgeData*, size_t count,
                                                       cudaStreamCaptureMode mode) {
  return streamCall(
      "cudaStreamBeginCaptureToGraph", handle, [&](Runtime& runtime, const StreamRef& stream) {
        if (!graph || (count && !after))
          return cudaErrorInvalidValue;
        return runtime.streams.beginCapture(stream, mode, *graphOf(graph), nodesOf(after, count));
      });
}

GPUSCHED_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle,
                                                             cudaGraphNode_t* nodes,
                                                             const cudaGraphEdgeData*, size_t count,
                                                             unsigned flags) {
  return streamCall("cudaStreamUpdateCaptureDependencies", handle,
                    [&](Runtime& runtime, const StreamRef& stream) {
                      if (flags > cudaStreamSetCaptureDependencies || (count && !nodes))
                        return cudaErrorInvalidValue;
                      return runtime.streams.setTips(stream, nodesOf(nodes, count),
                                                     flags == cudaStreamAddCaptureDependencies);
                    });
}

GPUSCHED_API cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* result) {
  return streamCall("cudaStreamEndCapture", handle, [&](Runtime& runtime, const StreamRef& stream) {
    TaskGraph* graph = nullptr;
    cudaError_t error = runtime.streams.endCapture(stream, graph);
    if (result)
      *result = reinterpret_cast<cudaGraph_t>(error == cudaSuccess ? graph : nullptr);
    return error;
  });
}

static cudaStreamCaptureStatus statusOf(const CapturePoint& point) {
  if (!point.capture)
    return cudaStreamCaptureStatusNone;
  return point.capture->invalid ? cudaStreamCaptureStatusInvalidated
                                : cudaStreamCaptureStatusActive;
}

GPUSCHED_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle,
                                                  cudaStreamCaptureStatus* status,
                                                  unsigned long long* id, cudaGraph_t* graph,
                                                  const cudaGraphNode_t** dependencies,
                                                  const cudaGraphEdgeData** edges, size_t* count) {
  return streamCall("cudaStreamGetCaptureInfo", handle,
                    [&](Runtime& runtime, const StreamRef& stream) {
                      // The caller gets a pointer into it, valid until its next call.
                      static thread_local CapturePoint point;
                      point = runtime.streams.capturePoint(stream);
                      *status = statusOf(point);
                      if (!point.capture)
                        return cudaSuccess;
                      if (id)
                        *id = point.capture->id;
                      if (graph)
                        *graph = reinterpret_cast<cudaGraph_t>(point.capture->graph);
                      if (dependencies)
                        *dependencies = reinterpret_cast<cudaGraphNode_t*>(point.tips.data());
                      if (edges)
                        *edges = nullptr;
                      if (count)
                        *count = point.tips.size();
                      return cudaSuccess;
                    });
}

GPUSCHED_API cudaError_t cudaStreamIsCapturing(cudaStream_t handle,
                                               cudaStreamCaptureStatus* status) {
  return cudaStreamGetCaptureInfo(handle, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

cudaStreamCaptureMode& gpusched::cudart::threadsCaptureMode() {
  static thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

GPUSCHED_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(threadsCaptureMode(), *mode);
  return cudaSuccess;
}
