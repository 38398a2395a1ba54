// Conditional.cpp - a graph node that runs one of its graphs, or one again and again.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/Conditional.h"

#include "rt/device/cpu/cudart/TaskGraph.h"

namespace gpusched::cudart {

Conditional::Conditional(std::shared_ptr<Condition> given, cudaGraphConditionalNodeType kind)
    : condition(std::move(given)), type(kind) {}

Conditional::~Conditional() = default;

void Conditional::add(std::unique_ptr<TaskGraph> body) {
  handles.push_back(reinterpret_cast<cudaGraph_t>(body.get()));
  bodies.push_back(std::move(body));
}

std::shared_ptr<Conditional> Conditional::copy() const {
  std::shared_ptr<Conditional> result = std::make_shared<Conditional>(condition, type);
  for (const std::unique_ptr<TaskGraph>& body : bodies)
    result->add(body->copy());
  return result;
}

const TaskGraph* Conditional::chosen() const {
  const uint32_t value = condition->value;
  size_t index = value;
  if (type != cudaGraphCondTypeSwitch) {
    const bool otherwise = type == cudaGraphCondTypeIf && value == 0;
    if (value == 0 && !otherwise)
      return nullptr;
    index = otherwise;
  }
  return index < bodies.size() ? bodies[index].get() : nullptr;
}

/// The operation that looks at the condition. After a failure kernels set it no more, so it is not
/// looked at either.
static OperationRef decision(OperationGraph& graph,
                             const std::shared_ptr<const Conditional>& conditional,
                             const OperationRef& over) {
  OperationRef result = makeOperation(Operation::Kind::Decision, [&graph, conditional, over] {
    runConditional(graph, conditional, over);
  });
  result->runsAfterFailure = true;
  return result;
}

void runConditional(OperationGraph& graph, const std::shared_ptr<const Conditional>& conditional,
                    const OperationRef& over) {
  const TaskGraph* const body = graph.failed() ? nullptr : conditional->chosen();
  if (!body)
    return graph.submit(over, {});
  const bool again = conditional->type == cudaGraphCondTypeWhile;
  const OperationRef first = makeOperation(Operation::Kind::Marker);
  const OperationRef last = again ? decision(graph, conditional, over) : over;
  // `first` starts last: what follows it may be over before submit() is.
  body->submit(graph, first, last);
  graph.submit(first, {});
}

} // namespace gpusched::cudart
