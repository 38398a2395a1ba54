// FormSurvey.cpp - decodes a module and looks at what became of each instruction.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/FormSurvey.h"

#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/Loader.h"

#include <set>

namespace gpusched::cpu {
namespace {

constexpr uint64_t kMemoryBytes = uint64_t(1) << 32; // for the module's variables

std::string formOf(const ptx::Instruction& instruction) {
  std::string form = instruction.opcode;
  for (const std::string& modifier : instruction.modifiers)
    form += "." + modifier;
  return form;
}

void survey(const DecodedFunction& function, std::vector<FormUse>& uses) {
  std::set<uint32_t> unsupported;
  for (uint32_t i = 0; i < function.opCount; ++i) {
    const MicroOp& op = function.module->code[function.firstOp + i];
    if (op.run == handlers::unsupported)
      unsupported.insert(op.instruction);
  }
  const std::vector<ptx::Instruction>& body = function.source->body;
  for (uint32_t i = 0; i < body.size(); ++i)
    uses.push_back(
        {formOf(body[i]), !unsupported.contains(i), body[i].line, function.source, &body[i]});
}

} // namespace

Result<std::vector<FormUse>> surveyForms(const std::shared_ptr<const ptx::Module>& module) {
  DeviceMemory memory(kMemoryBytes);
  const Result<std::shared_ptr<LoadedModule>> loaded =
      loadModule(memory, module, {}, DeviceDescription{}, {});
  if (!loaded)
    return Status::error(loaded.message());
  std::vector<FormUse> uses;
  for (const DecodedFunction& function : (*loaded)->functions)
    if (!function.source->isExtern)
      survey(function, uses);
  return uses;
}

} // namespace gpusched::cpu
