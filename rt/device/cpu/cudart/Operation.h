// Operation.h - one thing a stream does: a kernel, a copy, a callback, a point to wait for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation starts when everything it was submitted after has finished. What may follow it is
// kept as forward edges only, which are dropped when it finishes, so a chain of operations is
// never kept alive by its end.
#pragma once

#include "rt/device/cpu/engine/Gpu.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gpusched::cudart {

using Clock = std::chrono::steady_clock;

/// What is to be done: can be copied and done again, as a graph does.
struct OperationBody {
  enum class Kind : uint8_t {
    Kernel,       // `launch`, on the Gpu
    Copy,         // `work`, on the copy thread
    Fill,         // the same
    Inline,       // `work`, on the host thread that waits for it
    HostFunction, // `work`, on the callback thread
    Decision,     // `work`, on the dispatch thread: submits what is to run next
    ValueWait,    // finishes when `satisfied` says so
    Marker,       // nothing: events, joins
  };

  Kind kind = Kind::Marker;
  cpu::Launch launch;
  std::function<void()> work;
  std::function<bool()> satisfied;
  /// Callbacks of cudaStreamAddCallback run even after the device has failed.
  bool runsAfterFailure = false;
};

/// One execution of a body. The fields belong to OperationGraph, under its lock.
struct Operation : OperationBody {
  uint32_t unfinished = 0; // operations this one still waits for
  bool startable = false;  // Inline: its turn has come
  bool done = false;
  Clock::time_point finishedAt{};
  std::vector<std::shared_ptr<Operation>> dependents;
};

using OperationRef = std::shared_ptr<Operation>;

inline OperationRef makeOperation(Operation::Kind kind, std::function<void()> work = {}) {
  OperationRef operation = std::make_shared<Operation>();
  operation->kind = kind;
  operation->work = std::move(work);
  return operation;
}

inline OperationRef makeOperation(OperationBody body) {
  OperationRef operation = std::make_shared<Operation>();
  static_cast<OperationBody&>(*operation) = std::move(body);
  return operation;
}

} // namespace gpusched::cudart
