// ApiGraphConditional.h - makes a conditional node, for cudaGraphAddNode.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/cudart/TaskGraph.h"

#include <cuda_runtime_api.h>

namespace gpusched::cudart {

/// The handle must be one of `graph`'s. Gives out the bodies, which are empty.
cudaError_t addConditional(TaskGraph& graph, std::vector<TaskNode*> after,
                           cudaConditionalNodeParams& parameters, TaskNode*& node);

} // namespace gpusched::cudart
