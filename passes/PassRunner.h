// PassRunner.h - selects passes and collects their edits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "passes/Pass.h"
#include "passes/Transform.h"

#include <vector>

namespace gpusched::passes {

/// Edits of the passes that `request` names and those they need, in the table's order, by number of
/// the file they are of. Kernels with a refusal are left alone.
std::vector<EditSet> runPasses(const TransformRequest& request, const FileInfo& unit);

} // namespace gpusched::passes
