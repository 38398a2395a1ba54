// Connections.cpp - the queues by which streams reach a GPU.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/Connections.h"

namespace gpusched::cudart {

Connections::Connections(OperationGraph& graph, const ConnectionLimits& limits)
    : graph_(graph), depth_(limits.depth), queues_(limits.count) {}

OperationRef Connections::oldestOfFull(uint64_t stream) {
  if (queues_.empty())
    return nullptr;
  std::deque<OperationRef>& queue = queues_[stream % queues_.size()];
  // They leave in the order in which they came.
  while (!queue.empty() && graph_.done(queue.front()))
    queue.pop_front();
  return queue.size() < depth_ ? nullptr : queue.front();
}

void Connections::enter(uint64_t stream, const OperationRef& operation,
                        std::vector<OperationRef> after) {
  if (queues_.empty())
    return graph_.submit(operation, after);
  std::deque<OperationRef>& queue = queues_[stream % queues_.size()];
  if (!queue.empty())
    after.push_back(queue.back());
  const OperationRef turn = makeOperation(Operation::Kind::Marker);
  queue.push_back(operation->kind == Operation::Kind::ValueWait ? operation : turn);
  graph_.submit(turn, after);
  graph_.submit(operation, {turn});
}

} // namespace gpusched::cudart
