// Streams.cpp - streams and events: they choose what an operation has to wait for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/Streams.h"

#include <algorithm>
#include <utility>

#include <unistd.h>

namespace gpusched::cudart {

Streams::Streams(OperationGraph& graph, const ConnectionLimits& limits)
    : graph_(graph), connections_(graph, limits), legacy_(std::make_shared<Stream>()) {}

StreamRef Streams::add(unsigned flags, int priority) {
  StreamRef stream = std::make_shared<Stream>();
  stream->flags = flags;
  stream->priority = priority;
  std::lock_guard<std::mutex> lock(mutex_);
  stream->id = nextId_++;
  byHandle_.emplace(reinterpret_cast<cudaStream_t>(stream.get()), stream);
  return stream;
}

cudaStream_t Streams::create(unsigned flags, int priority) {
  return reinterpret_cast<cudaStream_t>(add(flags, priority).get());
}

bool Streams::destroy(cudaStream_t handle) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::unordered_map<cudaStream_t, StreamRef>::iterator found = byHandle_.find(handle);
  if (found == byHandle_.end())
    return false;
  const Stream& stream = *found->second;
  std::vector<OperationRef>& orphans = stream.blocking() ? orphans_ : nonBlockingOrphans_;
  std::erase_if(orphans, [this](const OperationRef& last) { return graph_.done(last); });
  if (!graph_.done(stream.last))
    orphans.push_back(stream.last);
  byHandle_.erase(found);
  return true;
}

/// The calling thread's stream. Nothing to destroy: exit handlers and static destructors launch
/// after the main thread's destructors ran.
static thread_local StreamRef* gOwnStream = nullptr;

StreamRef Streams::perThread() {
  // Destroys the stream with its thread, as CUDA does.
  struct Closer {
    Streams* owner;
    ~Closer() {
      owner->destroy(reinterpret_cast<cudaStream_t>(gOwnStream->get()));
      delete gOwnStream;
      gOwnStream = nullptr;
    }
  };
  if (gOwnStream)
    return *gOwnStream;
  gOwnStream = new StreamRef(add(0, 0));
  if (gettid() != getpid())
    static thread_local Closer closer{this};
  return *gOwnStream;
}

StreamRef Streams::find(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy)
    return legacy_;
  if (handle == cudaStreamPerThread)
    return perThread();
  std::lock_guard<std::mutex> lock(mutex_);
  std::unordered_map<cudaStream_t, StreamRef>::iterator found = byHandle_.find(handle);
  return found == byHandle_.end() ? nullptr : found->second;
}

void Streams::collectLast(std::vector<OperationRef>& out, bool blockingOnly) {
  for (const std::pair<const cudaStream_t, StreamRef>& entry : byHandle_)
    if (entry.second->last && (entry.second->blocking() || !blockingOnly))
      out.push_back(entry.second->last);
  out.insert(out.end(), orphans_.begin(), orphans_.end());
  if (!blockingOnly)
    out.insert(out.end(), nonBlockingOrphans_.begin(), nonBlockingOrphans_.end());
}

std::vector<OperationRef> Streams::predecessors(const Stream& stream) {
  std::vector<OperationRef> before;
  if (stream.last)
    before.push_back(stream.last);
  if (&stream == legacy_.get())
    collectLast(before, /*blockingOnly=*/true);
  else if (stream.blocking() && legacy_->last)
    before.push_back(legacy_->last);
  return before;
}

/// What is captured needs no room.
std::unique_lock<std::mutex> Streams::lockWithRoom(const Stream& stream) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stream.capture.capture) {
    const OperationRef oldest = connections_.oldestOfFull(stream.id);
    if (!oldest)
      break;
    lock.unlock();
    graph_.wait(oldest);
    lock.lock();
  }
  return lock;
}

void Streams::append(const StreamRef& stream, const OperationRef& operation,
                     const std::vector<OperationRef>& also) {
  const std::unique_lock<std::mutex> lock = lockWithRoom(*stream);
  if (CapturePoint& point = stream->capture; point.capture) {
    point.tips = {point.capture->graph->add(*operation, point.tips)};
    return;
  }
  std::vector<OperationRef> before = predecessors(*stream);
  before.insert(before.end(), also.begin(), also.end());
  if (stream == legacy_)
    orphans_.clear(); // joined by this operation
  stream->last = operation;
  connections_.enter(stream->id, operation, std::move(before));
}

std::vector<OperationRef> Streams::pending(const StreamRef& stream) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (stream == legacy_)
    return predecessors(*stream);
  return {stream->last};
}

std::vector<OperationRef> Streams::pendingEverywhere() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<OperationRef> all{legacy_->last};
  collectLast(all, /*blockingOnly=*/false);
  return all;
}

cudaEvent_t Streams::createEvent(unsigned flags) {
  EventRef event = std::make_shared<Event>();
  event->flags = flags;
  cudaEvent_t handle = reinterpret_cast<cudaEvent_t>(event.get());
  std::lock_guard<std::mutex> lock(mutex_);
  events_.emplace(handle, std::move(event));
  return handle;
}

bool Streams::destroyEvent(cudaEvent_t handle) {
  std::lock_guard<std::mutex> lock(mutex_);
  return events_.erase(handle) != 0;
}

EventRef Streams::findEvent(cudaEvent_t handle) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::unordered_map<cudaEvent_t, EventRef>::iterator found = events_.find(handle);
  return found == events_.end() ? nullptr : found->second;
}

void Streams::record(const EventRef& event, const StreamRef& stream, bool external) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    CapturePoint& point = stream->capture;
    if (point.capture && external)
      point.tips = {
          point.capture->graph->addEvent(cudaGraphNodeTypeEventRecord, event, point.tips)};
    else
      event->capture = point;
    if (point.capture)
      return;
  }
  OperationRef marker = makeOperation(Operation::Kind::Marker);
  append(stream, marker);
  std::lock_guard<std::mutex> lock(mutex_);
  event->recorded = marker;
}

OperationRef Streams::recorded(const EventRef& event) {
  std::lock_guard<std::mutex> lock(mutex_);
  return event->recorded;
}

cudaError_t Streams::waitFor(const StreamRef& stream, const EventRef& event, bool external) {
  OperationRef recorded;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const CapturePoint& from = event->capture;
    CapturePoint& to = stream->capture;
    if (to.capture && external) {
      to.tips = {to.capture->graph->addEvent(cudaGraphNodeTypeWaitEvent, event, to.tips)};
      return cudaSuccess;
    }
    if (from.capture && from.capture->graph) {
      if (to.capture && to.capture != from.capture) {
        to.capture->invalid = from.capture->invalid = true;
        return cudaErrorStreamCaptureMerge;
      }
      to.capture = from.capture;
      to.tips.insert(to.tips.end(), from.tips.begin(), from.tips.end());
      return cudaSuccess;
    }
    if (to.capture) {
      to.capture->invalid = true;
      return cudaErrorStreamCaptureIsolation;
    }
    recorded = event->recorded;
  }
  if (recorded)
    append(stream, makeOperation(Operation::Kind::Marker), {recorded});
  return cudaSuccess;
}

void Streams::appendGraph(const StreamRef& stream, const TaskGraph& graph) {
  // Both ends are joined under one lock, so nothing slips in between.
  OperationRef first = makeOperation(Operation::Kind::Marker);
  OperationRef last = makeOperation(Operation::Kind::Marker);
  const std::unique_lock<std::mutex> lock = lockWithRoom(*stream);
  if (CapturePoint& point = stream->capture; point.capture) {
    point.tips = {point.capture->graph->addChild(graph, point.tips)};
    return;
  }
  std::vector<OperationRef> before = predecessors(*stream);
  if (stream == legacy_)
    orphans_.clear();
  stream->last = last;
  connections_.enter(stream->id, first, std::move(before));
  graph.submit(graph_, first, last);
}

cudaError_t Streams::beginCapture(const StreamRef& stream, cudaStreamCaptureMode mode) {
  std::unique_ptr<TaskGraph> graph = std::make_unique<TaskGraph>();
  cudaError_t error = beginCapture(stream, mode, *graph, {});
  if (error == cudaSuccess)
    stream->capture.capture->own = std::move(graph);
  return error;
}

cudaError_t Streams::beginCapture(const StreamRef& stream, cudaStreamCaptureMode mode,
                                  TaskGraph& graph, std::vector<TaskNode*> tips) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (stream == legacy_)
    return cudaErrorStreamCaptureUnsupported;
  if (stream->capture.capture)
    return cudaErrorIllegalState;
  stream->capture.capture = std::make_shared<Capture>();
  stream->capture.capture->graph = &graph;
  stream->capture.capture->known = graph.nodes().size();
  stream->capture.capture->id = nextId_++;
  stream->capture.capture->mode = mode;
  stream->capture.capture->begunBy = std::this_thread::get_id();
  stream->capture.tips = std::move(tips);
  everCaptured_ = true;
  return cudaSuccess;
}

cudaError_t Streams::setTips(const StreamRef& stream, const std::vector<TaskNode*>& tips,
                             bool also) {
  std::lock_guard<std::mutex> lock(mutex_);
  CapturePoint& point = stream->capture;
  if (!point.capture)
    return cudaErrorIllegalState;
  if (!also)
    point.tips.clear();
  point.tips.insert(point.tips.end(), tips.begin(), tips.end());
  return cudaSuccess;
}

cudaError_t Streams::endCapture(const StreamRef& stream, TaskGraph*& graph) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<Capture> capture = stream->capture.capture;
  if (!capture)
    return cudaErrorIllegalState;
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->begunBy != std::this_thread::get_id())
    return cudaErrorStreamCaptureWrongThread;
  TaskGraph* const made = std::exchange(capture->graph, nullptr);
  const bool joined = made->allReach(stream->capture.tips, capture->known);
  for (const std::pair<const cudaStream_t, StreamRef>& entry : byHandle_)
    if (entry.second->capture.capture == capture)
      entry.second->capture = {};
  if (capture->invalid)
    return cudaErrorStreamCaptureInvalidated;
  if (!joined)
    return cudaErrorStreamCaptureUnjoined;
  graph = capture->own ? capture->own.release() : made;
  return cudaSuccess;
}

bool Streams::spoilCapture(const StreamRef& stream) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!stream->capture.capture)
    return false;
  stream->capture.capture->invalid = true;
  return true;
}

cudaError_t Streams::mayEscapeCaptures(cudaStreamCaptureMode threadsMode) {
  if (!everCaptured_ || threadsMode == cudaStreamCaptureModeRelaxed)
    return cudaSuccess;
  cudaError_t answer = cudaSuccess;
  std::lock_guard<std::mutex> lock(mutex_);
  for (const std::pair<const cudaStream_t, StreamRef>& entry : byHandle_) {
    Capture* const capture = entry.second->capture.capture.get();
    if (!capture)
      continue;
    const bool isOwn = capture->begunBy == std::this_thread::get_id();
    const bool forbids = isOwn ? capture->mode != cudaStreamCaptureModeRelaxed
                               : capture->mode == cudaStreamCaptureModeGlobal &&
                                     threadsMode == cudaStreamCaptureModeGlobal;
    if (!forbids)
      continue;
    capture->invalid = true;
    answer = cudaErrorStreamCaptureUnsupported;
  }
  return answer;
}

CapturePoint Streams::capturePoint(const StreamRef& stream) {
  std::lock_guard<std::mutex> lock(mutex_);
  return stream->capture;
}

} // namespace gpusched::cudart
