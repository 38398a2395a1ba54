// ExecutedForms.h - tells coverage.test which PTX forms a test program executes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/ptx/Ir.h"

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

namespace gpusched::cpu::test {

/// Appends the forms of `module` to the file that GPUSCHED_TEST_FORMS names, if it does.
inline void recordForms(const ptx::Module& module) {
  static std::set<std::string> known;
  const char* const path = std::getenv("GPUSCHED_TEST_FORMS");
  std::FILE* const file = path ? std::fopen(path, "a") : nullptr;
  if (!file)
    return;
  for (const ptx::Function& function : module.functions)
    for (const ptx::Instruction& instruction : function.body) {
      std::string form = instruction.opcode;
      for (const std::string& modifier : instruction.modifiers)
        form += "." + modifier;
      if (known.insert(form).second)
        std::fprintf(file, "%s\n", form.c_str());
    }
  std::fclose(file);
}

} // namespace gpusched::cpu::test
