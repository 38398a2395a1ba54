// SourcePlace.cpp - looks a micro-op up in its module's PTX.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A twin k__gs(gpusched_params, ...) is named k(...): the suffix and the first parameter go.
#include "rt/device/cpu/engine/SourcePlace.h"

#include "rt/device/cpu/engine/Program.h"
#include "rt/support/KernelName.h"

namespace gpusched::cpu {
namespace {

void remove(std::string& text, const std::string& part) {
  if (const size_t found = text.find(part); found != std::string::npos)
    text.erase(found, part.size());
}

} // namespace

std::string nativeKernelName(const std::string& symbol) {
  std::string name = demangled(symbol);
  if (name.find("__gs") == std::string::npos)
    return name;
  remove(name, "__gs");
  remove(name, "gpusched_params, ");
  remove(name, "gpusched_params");
  // A template's demangled name starts with its result, which only one form may have.
  return name;
}

std::string SourcePlace::at() const {
  if (!line)
    return opcode;
  return file + ":" + std::to_string(line);
}

std::string SourcePlace::describe() const {
  std::string result = "kernel '" + kernel + "'";
  if (!function.empty())
    result += ", in '" + function + "'";
  if (line)
    result += ", " + at();
  return result + ", PTX line " + std::to_string(ptxLine) + " `" + text + "`";
}

SourcePlace sourcePlace(const Kernel& kernel, const MicroOp* op) {
  SourcePlace place;
  place.kernel = nativeKernelName(kernel.facts.name);
  const LoadedModule& module = *kernel.function->module;
  const DecodedFunction* const function = module.functionAt(op);
  if (!function)
    return place;
  if (function != kernel.function)
    place.function = demangled(function->source->name);
  const ptx::Instruction& instruction = function->source->body[op->instruction];
  place.ptxLine = instruction.line;
  place.text = instruction.text;
  place.opcode = instruction.opcode;
  for (const std::string& modifier : instruction.modifiers)
    place.opcode += "." + modifier;
  place.line = instruction.sourceLine;
  if (const auto file = module.source->files.find(instruction.sourceFile);
      file != module.source->files.end())
    place.file = file->second;
  else
    place.line = 0;
  return place;
}

} // namespace gpusched::cpu
