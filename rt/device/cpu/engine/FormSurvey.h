// FormSurvey.h - which instruction forms a module uses, and which of them cannot be executed.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A form is an opcode with its modifiers. The answer is the decoder's own: a form is unsupported
// where decoding it gave the micro-op that ends a launch.
#pragma once

#include "rt/device/cpu/ptx/Ir.h"
#include "rt/support/Result.h"

#include <memory>
#include <string>
#include <vector>

namespace gpusched::cpu {

struct FormUse {
  std::string form; // "ld.global.nc.v4.f32"
  bool supported = true;
  uint32_t line = 0; // in the PTX text
  const ptx::Function* function = nullptr;
  const ptx::Instruction* instruction = nullptr;
};

/// Every instruction of the module, in order. The pointers are into `module`.
Result<std::vector<FormUse>> surveyForms(const std::shared_ptr<const ptx::Module>& module);

} // namespace gpusched::cpu
