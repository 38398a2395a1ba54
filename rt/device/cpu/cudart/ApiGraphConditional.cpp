// ApiGraphConditional.cpp - conditions, and graph nodes that they steer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/ApiGraphConditional.h"

#include "rt/device/cpu/cudart/ApiCall.h"
#include "rt/device/cpu/cudart/GraphHandles.h"

#include <algorithm>

using namespace gpusched::cudart;

GPUSCHED_API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle,
                                                          cudaGraph_t graph, unsigned initial,
                                                          unsigned flags) {
  return apiQuery("cudaGraphConditionalHandleCreate", [&] {
    if (!handle || !graph || (flags & ~unsigned(cudaGraphCondAssignDefault)))
      return cudaErrorInvalidValue;
    std::shared_ptr<Condition> condition = std::make_shared<Condition>();
    condition->initial = initial;
    condition->resets = flags & cudaGraphCondAssignDefault;
    *handle = reinterpret_cast<cudaGraphConditionalHandle>(condition.get());
    graphOf(graph)->conditions.push_back(std::move(condition));
    return cudaSuccess;
  });
}

namespace gpusched::cudart {

static bool validSize(const cudaConditionalNodeParams& parameters) {
  switch (parameters.type) {
  case cudaGraphCondTypeIf:
    return parameters.size == 1 || parameters.size == 2;
  case cudaGraphCondTypeWhile:
    return parameters.size == 1;
  case cudaGraphCondTypeSwitch:
    return parameters.size > 0;
  }
  return false;
}

cudaError_t addConditional(TaskGraph& graph, std::vector<TaskNode*> after,
                           cudaConditionalNodeParams& parameters, TaskNode*& node) {
  const auto known = std::find_if(graph.conditions.begin(), graph.conditions.end(),
                                  [&](const std::shared_ptr<Condition>& condition) {
                                    return reinterpret_cast<cudaGraphConditionalHandle>(
                                               condition.get()) == parameters.handle;
                                  });
  if (known == graph.conditions.end() || !validSize(parameters))
    return cudaErrorInvalidValue;
  std::shared_ptr<Conditional> conditional = std::make_shared<Conditional>(*known, parameters.type);
  for (unsigned i = 0; i < parameters.size; ++i)
    conditional->add(std::make_unique<TaskGraph>());
  parameters.phGraph_out = conditional->handles.data();
  node = graph.add({}, std::move(after));
  node->type = cudaGraphNodeTypeConditional;
  node->conditional = std::move(conditional);
  return cudaSuccess;
}

} // namespace gpusched::cudart
