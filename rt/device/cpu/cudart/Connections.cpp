// Connections.cpp - the queues by which streams reach a GPU.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/Connections.h"

#include "rt/support/Environment.h"
#include "rt/support/Log.h"

#include <optional>

namespace gpusched::cudart {

ConnectionLimits connectionLimits(const std::string& text) {
  ConnectionLimits limits;
  if (text.empty())
    return limits;
  const size_t colon = text.find(':');
  const std::optional<uint64_t> count = parseNumber(text.substr(0, colon), UINT16_MAX);
  const std::optional<uint64_t> depth =
      colon == std::string::npos ? limits.depth : parseNumber(text.substr(colon + 1), UINT32_MAX);
  if (count.value_or(0) == 0 || depth.value_or(0) == 0) {
    log(LogLevel::Warning,
        "GPUSCHED_CONNECTIONS: '%s' is neither COUNT nor COUNT:DEPTH, each at least 1; ignored",
        text.c_str());
    return limits;
  }
  return {uint32_t(*count), uint32_t(*depth)};
}

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
