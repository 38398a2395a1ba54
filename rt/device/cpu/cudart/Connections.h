// Connections.h - the queues by which streams reach a GPU.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU has few of them (CUDA_DEVICE_MAX_CONNECTIONS, eight by default), and streams share them:
// what is at the head of one and has to wait holds back what stands behind it, of whatever stream.
// Each has room for so many operations; who appends one more is held until the first has left.
//
//   turn of X      a marker after everything that X waits for, and after the turn in front
//   X              after its turn: X has left the queue when it begins, not when it ends
//   a value's wait leaves when the value is there
//
// Which stream has which queue is no promise of CUDA's; here they take turns. Copies have the queue
// of their stream, which holds back more than a GPU with copy engines does. Off unless it is asked
// for (GPUSCHED_CONNECTIONS): whether streams wait for each other is not a question of results,
// unless a kernel or the host waits for what stands behind.
//
// Not thread-safe: under Streams' lock.
#pragma once

#include "rt/device/cpu/cudart/OperationGraph.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace gpusched::cudart {

struct ConnectionLimits {
  uint32_t count = 0; ///< 0: no stream holds back another, and nothing is ever full
  uint32_t depth = 1024;
};

class Connections {
public:
  Connections(OperationGraph& graph, const ConnectionLimits& limits);

  /// What has to leave before another operation of the stream with that number fits in; null:
  /// nothing.
  OperationRef oldestOfFull(uint64_t stream);
  /// Submits `operation`, of that stream, behind its turn, which comes after `after`.
  void enter(uint64_t stream, const OperationRef& operation, std::vector<OperationRef> after);

private:
  OperationGraph& graph_;
  const uint32_t depth_;
  std::vector<std::deque<OperationRef>> queues_; ///< what has not left, as far as is known
};

} // namespace gpusched::cudart
