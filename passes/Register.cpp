// Register - add the static objects through which the runtime finds a kernel's twin.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's registrar stands right behind its twin, in the same scope and under the same
// preprocessor conditions. Instantiations of a template are registered at the end of the file,
// where every type they name is complete; naming the twin's address there also instantiates it.
//
//   static const ::gpusched::Registrar k__gs_registrar(&k, &k__gs, "k", "a.cu", 3, 2, 1);
//
// An instantiation over a lambda cannot be written down. Its twin is instantiated by the body, and
// both stubs are found by their symbols when nvcc's own code registers them (NamedRegistrar.h):
//
//   template <class F> __global__ void k__gs(...);  ... k__gs_body(...) { (void)&k__gs<F>; BODY }
//   static const ::gpusched::NamedRegistrar k__gs_registrar1("_Z1kIZ4mainEUliE_Ev*", ...);
//
// Sound because: host code only, but for an address that is not used; the address of a kernel is
// its host stub, which is what a launch hands to the runtime.
#include "passes/KernelPrinter.h"
#include "passes/LaunchFlags.h"
#include "passes/Pass.h"
#include "passes/edit/StringLiteral.h"

#include <algorithm>

namespace gpusched::passes {
namespace {

std::string registrar(const PassInput& input, const KernelInstance& instance,
                      const std::string& object, const std::string& scope) {
  const KernelRecord& record = input.kernel.record;
  const std::string native = "&" + scope + record.name + instance.arguments;
  return "static const ::gpusched::Registrar " + object + "(" +
         (instance.type.empty() ? native : "static_cast<" + instance.type + ">(" + native + ")") +
         ", &" + scope + input.kernel.twinName() +
         (input.kernel.text.isTemplate ? instance.arguments : "") + ", " + quoted(instance.name) +
         ", " + quoted(input.file.name) + ", " + std::to_string(record.where.line) + ", " +
         std::to_string(instance.parameters) + ", " +
         std::to_string(launchFlags(input.kernel, instance)) + ");";
}

std::string namedRegistrar(const PassInput& input, const KernelInstance& instance,
                           const std::string& object) {
  const KernelRecord& record = input.kernel.record;
  return "static const ::gpusched::NamedRegistrar " + object + "(" + quoted(instance.symbol) +
         ", " + quoted(instance.twinSymbol) + ", " + quoted(instance.name) + ", " +
         quoted(input.file.name) + ", " + std::to_string(record.where.line) + ", " +
         std::to_string(instance.parameters) + ", " +
         std::to_string(launchFlags(input.kernel, instance)) + ");";
}

/// The body mentions the twin, so that whoever instantiates the kernel instantiates the twin.
void instantiateWithKernel(const PassInput& input, EditSet& edits) {
  const KernelText& text = input.kernel.text;
  const SignaturePrinter print(input.file.tokens, text);
  const std::string parameters = print.parameterListWithoutDefaults();
  for (const KernelTemplateParameter& parameter : text.templateParameters)
    if (parameter.unnamed)
      edits.insert(parameter.nameOffset, " " + parameter.name + " ");
  edits.insert(text.templateBegin, text.entersScope + print.templateHeaderWithoutDefaults() +
                                       print.specifiers() + " " + input.kernel.twinName() +
                                       "(const ::gpusched_params" +
                                       (parameters.empty() ? "" : ", ") + parameters + ") " +
                                       print.trailer() + "; " + text.leavesScope + " ");
  edits.insert(text.bodyBegin + 1,
               " (void)&" + input.kernel.twinName() + print.templateArguments() + ";");
}

} // namespace

EditSet registerTwin(const PassInput& input) {
  const KernelInfo& kernel = input.kernel;
  EditSet edits;
  unsigned number = 0;
  if (std::any_of(kernel.instances.begin(), kernel.instances.end(),
                  [](const KernelInstance& instance) { return instance.foundBySymbol(); }))
    instantiateWithKernel(input, edits);
  for (const KernelInstance& instance : kernel.instances) {
    const std::string object = kernel.twinName() + "_registrar";
    const std::string numbered = object + std::to_string(++number);
    if (instance.foundBySymbol())
      edits.addToEndOfUnit("\n" + namedRegistrar(input, instance, numbered));
    else if (kernel.text.isTemplate)
      edits.addToEndOfUnit("\n" + registrar(input, instance, numbered, kernel.scope));
    else
      edits.insert(kernel.text.bodyEnd, " " + kernel.text.entersScope +
                                            registrar(input, instance, object, "") +
                                            kernel.text.leavesScope);
  }
  return edits;
}

} // namespace gpusched::passes
