// Streams.h - streams and events: they choose what an operation has to wait for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   a stream           waits for its own last operation
//   a blocking stream  also for the legacy stream's last operation
//   the legacy stream  for the last operation of every blocking stream, and its own
//   an event           is a marker operation; who waits for the event depends on that marker
//
// So the legacy default stream needs no locking of other streams, and operations of independent
// streams have no edge between them. One lock orders append() calls; it is taken before
// OperationGraph's. A destroyed stream's handle is gone at once; its last operation stays until
// the legacy stream has joined it.
//
// While a stream is being captured, append() adds a node to the capture's TaskGraph instead: the
// stream's and its events' places are then sets of nodes, and waiting for a captured event draws
// the waiting stream into the capture.
#pragma once

#include "rt/device/cpu/cudart/Connections.h"
#include "rt/device/cpu/cudart/OperationGraph.h"
#include "rt/device/cpu/cudart/TaskGraph.h"

#include <driver_types.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace gpusched::cudart {

/// A stream capture in progress.
struct Capture {
  TaskGraph* graph = nullptr;     // null: it has ended
  std::unique_ptr<TaskGraph> own; // until it ends: the graph that it has made
  size_t known = 0;               // nodes that the graph had before
  uint64_t id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id begunBy;
  bool invalid = false; // under Streams' lock: something was done that no graph can hold
};

/// Where a stream or an event stands in a capture.
struct CapturePoint {
  std::shared_ptr<Capture> capture; // null: not capturing
  std::vector<TaskNode*> tips;      // what the next node comes after
};

struct Stream {
  unsigned flags = 0; // cudaStreamNonBlocking
  int priority = 0;
  uint64_t id = 0;
  OperationRef last;    // under Streams' lock
  CapturePoint capture; // under Streams' lock
  bool blocking() const { return (flags & cudaStreamNonBlocking) == 0; }
};
using StreamRef = std::shared_ptr<Stream>;

struct Event {
  unsigned flags = 0;
  OperationRef recorded; // null: never recorded; under Streams' lock
  CapturePoint capture;  // where it was recorded in a capturing stream; under Streams' lock
};
using EventRef = std::shared_ptr<Event>;

class Streams {
public:
  Streams(OperationGraph& graph, const ConnectionLimits& limits);

  cudaStream_t create(unsigned flags, int priority);
  /// False when there is no such stream. Its pending work still runs.
  bool destroy(cudaStream_t handle);
  /// Null when the handle names no stream. Handles 0 and cudaStreamLegacy are the legacy stream,
  /// cudaStreamPerThread the calling thread's.
  StreamRef find(cudaStream_t handle);

  /// Appends to `stream`, after `also` too. Waits while there is no room (Connections.h).
  void append(const StreamRef& stream, const OperationRef& operation,
              const std::vector<OperationRef>& also = {});
  /// What a host thread must wait for so that all work now in the stream has finished.
  std::vector<OperationRef> pending(const StreamRef& stream);
  std::vector<OperationRef> pendingEverywhere();

  cudaEvent_t createEvent(unsigned flags);
  bool destroyEvent(cudaEvent_t handle);
  EventRef findEvent(cudaEvent_t handle);
  /// `external`: a capture gets a node for it, instead of an edge.
  void record(const EventRef& event, const StreamRef& stream, bool external);
  cudaError_t waitFor(const StreamRef& stream, const EventRef& event, bool external);
  OperationRef recorded(const EventRef& event);

  /// Appends one execution of `graph`; its nodes run between what came before and after.
  void appendGraph(const StreamRef& stream, const TaskGraph& graph);
  /// Into a new graph.
  cudaError_t beginCapture(const StreamRef& stream, cudaStreamCaptureMode mode);
  /// Into `graph`, after `tips`. A capture that fails leaves what it has added.
  cudaError_t beginCapture(const StreamRef& stream, cudaStreamCaptureMode mode, TaskGraph& graph,
                           std::vector<TaskNode*> tips);
  cudaError_t endCapture(const StreamRef& stream, TaskGraph*& graph);
  /// What the next node comes after: `tips`, and what it was before if `also`.
  cudaError_t setTips(const StreamRef& stream, const std::vector<TaskNode*>& tips, bool also);
  /// A copy: not capturing when its `capture` is null.
  CapturePoint capturePoint(const StreamRef& stream);
  bool capturing(const StreamRef& stream) { return capturePoint(stream).capture != nullptr; }
  /// True where it captures; that is invalid from now on.
  bool spoilCapture(const StreamRef& stream);
  /// For calls that no graph can hold and no stream shows, like cudaMalloc: where the modes of the
  /// calling thread and of the captures forbid it, those are invalid from now on.
  cudaError_t mayEscapeCaptures(cudaStreamCaptureMode threadsMode);

private:
  StreamRef perThread();
  StreamRef add(unsigned flags, int priority);
  std::unique_lock<std::mutex> lockWithRoom(const Stream& stream);
  std::vector<OperationRef> predecessors(const Stream& stream);
  void collectLast(std::vector<OperationRef>& out, bool blockingOnly);

  OperationGraph& graph_;
  std::mutex mutex_;
  Connections connections_; // under mutex_
  StreamRef legacy_;
  uint64_t nextId_ = 1;
  std::unordered_map<cudaStream_t, StreamRef> byHandle_; // and per-thread streams, by address
  std::atomic<bool> everCaptured_ = false;
  std::vector<OperationRef> orphans_; // last operations of destroyed blocking streams
  std::vector<OperationRef> nonBlockingOrphans_;
  std::unordered_map<cudaEvent_t, EventRef> events_;
};

} // namespace gpusched::cudart
