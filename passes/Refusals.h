// Refusals.h - the reasons for keeping a kernel native, by code.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codes are stable: tests, documents and users' filters name them. The table is Refusals.def.
#pragma once

#include "passes/Transform.h"

#include <string>
#include <vector>

namespace gpusched::passes {

enum class RefusalCode {
#define GPUSCHED_REFUSAL(code, name, title, explanation) name,
#include "passes/Refusals.def"
#undef GPUSCHED_REFUSAL
};

struct RefusalDescription {
  const char* code;        ///< "GS012"
  const char* name;        ///< "BarrierAfterEarlyReturnInCallee", anchor in docs/passes/refusals.md
  const char* title;       ///< what a remark says
  const char* explanation; ///< one sentence: why this cannot be converted
};
const std::vector<RefusalDescription>& refusalDescriptions();

std::string codeOf(RefusalCode code); ///< "GS012"

/// A refusal of the table with what was found and where.
Refusal refuse(RefusalCode code, std::string detail, SourcePlace where);

} // namespace gpusched::passes
