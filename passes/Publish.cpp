// Publish - add a device variable per kernel of a module that names its twin.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module (-ptx, -cubin, -fatbin) has no host code, so no registrar: whoever loads it finds a
// kernel by its symbol, and now its twin by a variable that is named after that symbol.
//
//   extern "C" __global__ void k(float* a) { BODY } extern "C" __global__ void k__gs(...) { ... }
//   extern "C" __device__ ::gpusched::ModuleTwin<13> gpusched_twin_of_k =
//       {{GPUSCHED_ABI_VERSION, 17u | GPUSCHED_FORM_FLAGS, 1u, 3u}, "k__gs" "\0" "k" "\0" "a.cu"};
//
// It stands behind the twin, under the same preprocessor conditions; those of instantiations stand
// at the end of the file, as their registrars do, which are what instantiates the twins. Sound
// because: nothing reads it but the runtime, and a wrong one costs the twin, no more. Refuses in
// silence: relocatable code, where two files may hold one instantiation and device code has no weak
// variables; kernels found by patterns only, whose symbol nobody can ask for. A symbol that nvcc
// spells in another way (static kernels) is not found.
#include "passes/LaunchFlags.h"
#include "passes/Pass.h"
#include "passes/edit/StringLiteral.h"

#include "rt/include/gpusched/LaunchAbi.h"

namespace gpusched::passes {
namespace {

std::string variable(const PassInput& input, const KernelInstance& instance) {
  const std::string* const texts[] = {&instance.mangledTwin, &instance.name, &input.file.name};
  std::size_t bytes = 0;
  std::string literal;
  for (const std::string* text : texts) {
    bytes += text->size() + 1;
    literal += (literal.empty() ? "" : " \"\\0\" ") + quoted(*text);
  }
  return "extern \"C\" __device__ ::gpusched::ModuleTwin<" + std::to_string(bytes) +
         "> " GPUSCHED_MODULE_TWIN_PREFIX + instance.mangled + " = {{GPUSCHED_ABI_VERSION, " +
         std::to_string(launchFlags(input.kernel, instance)) + "u | GPUSCHED_FORM_FLAGS, " +
         std::to_string(instance.parameters) + "u, " +
         std::to_string(input.kernel.record.where.line) + "u}, " + literal + "};";
}

} // namespace

EditSet publish(const PassInput& input) {
  EditSet edits;
  if (!input.isModule)
    return edits;
  for (const KernelInstance& instance : input.kernel.instances) {
    if (instance.foundBySymbol())
      continue;
    if (input.kernel.text.isTemplate)
      edits.addToEndOfUnit("\n" + variable(input, instance));
    else
      edits.insert(input.kernel.text.bodyEnd, " " + variable(input, instance));
  }
  return edits;
}

} // namespace gpusched::passes
