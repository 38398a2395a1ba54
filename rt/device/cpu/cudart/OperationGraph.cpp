// OperationGraph.cpp - runs operations as soon as what they depend on has finished.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/OperationGraph.h"

namespace gpusched::cudart {

OperationGraph::OperationGraph(cpu::Gpu& gpu, DeviceFailure& failure, OutcomeSink sink)
    : gpu_(gpu), failure_(failure), sink_(std::move(sink)) {}

void OperationGraph::submit(const OperationRef& operation, const std::vector<OperationRef>& after) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const OperationRef& earlier : after) {
      if (!earlier || earlier->done)
        continue;
      earlier->dependents.push_back(operation);
      ++operation->unfinished;
    }
    if (operation->unfinished != 0)
      return;
  }
  start(operation);
}

void OperationGraph::waitAndRun(const OperationRef& operation) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return operation->startable; });
  }
  runWork(*operation);
  finish(operation);
}

void OperationGraph::wait(const OperationRef& operation) {
  if (!operation)
    return;
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return operation->done; });
}

bool OperationGraph::waitUntil(const OperationRef& operation, Clock::time_point deadline) {
  if (!operation)
    return true;
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] { return operation->done; });
}

bool OperationGraph::done(const OperationRef& operation) const {
  if (!operation)
    return true;
  std::lock_guard<std::mutex> lock(mutex_);
  return operation->done;
}

Clock::time_point OperationGraph::finishedAt(const OperationRef& operation) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return operation->finishedAt;
}

void OperationGraph::start(const OperationRef& operation) {
  switch (operation->kind) {
  case Operation::Kind::Kernel:
    return startKernel(operation);
  case Operation::Kind::Copy:
  case Operation::Kind::Fill:
    return runOn(copies_, operation);
  case Operation::Kind::HostFunction:
    return runOn(callbacks_, operation);
  case Operation::Kind::Decision:
    return runOn(dispatch_, operation);
  case Operation::Kind::Inline: {
    std::lock_guard<std::mutex> lock(mutex_);
    operation->startable = true;
    changed_.notify_all();
    return;
  }
  case Operation::Kind::ValueWait:
    return watcher_.watch([this, operation] { return failure_.failed() || operation->satisfied(); },
                          [this, operation] { finish(operation); });
  case Operation::Kind::Marker:
    return finish(operation);
  }
}

void OperationGraph::runOn(WorkQueue& queue, const OperationRef& operation) {
  queue.post([this, operation] {
    runWork(*operation);
    finish(operation);
  });
}

void OperationGraph::startKernel(const OperationRef& operation) {
  if (failure_.failed())
    return finish(operation);
  cpu::Launch launch = std::move(operation->launch);
  operation->launch.kernel = launch.kernel;
  operation->launch.grid = launch.grid;
  operation->launch.block = launch.block;
  operation->launch.dynamicSharedBytes = launch.dynamicSharedBytes;
  launch.completion = [this, operation](const cpu::LaunchOutcome& outcome) {
    dispatch_.post([this, operation, outcome] { kernelFinished(operation, outcome); });
  };
  Status queued = gpu_.submit(std::move(launch));
  if (queued.ok())
    return;
  failure_.fail(cudaErrorLaunchFailure, queued.message());
  finish(operation);
}

void OperationGraph::runWork(const Operation& operation) {
  if (!failure_.failed() || operation.runsAfterFailure)
    operation.work();
}

void OperationGraph::kernelFinished(const OperationRef& operation,
                                    const cpu::LaunchOutcome& outcome) {
  if (!outcome.status.ok())
    failure_.fail(failureCode(outcome), outcome.status.message());
  if (sink_)
    sink_(*operation, outcome);
  finish(operation);
}

void OperationGraph::finish(const OperationRef& operation) {
  std::vector<OperationRef> markers{operation}, ready;
  while (!markers.empty()) {
    std::vector<OperationRef> next;
    for (const OperationRef& finished : markers)
      finishOne(*finished, next);
    markers.clear();
    for (OperationRef& follower : next)
      (follower->kind == Operation::Kind::Marker ? markers : ready).push_back(std::move(follower));
  }
  for (const OperationRef& follower : ready)
    start(follower);
}

void OperationGraph::finishOne(Operation& operation, std::vector<OperationRef>& ready) {
  std::lock_guard<std::mutex> lock(mutex_);
  operation.done = true;
  operation.finishedAt = Clock::now();
  for (OperationRef& follower : operation.dependents)
    if (--follower->unfinished == 0)
      ready.push_back(std::move(follower));
  operation.dependents.clear();
  operation.work = {};
  changed_.notify_all();
}

} // namespace gpusched::cudart
