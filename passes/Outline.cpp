// Outline - move a kernel's body into a device function with parameters named like the built-ins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before:  __global__ void __launch_bounds__(256) k(const float* a, int n) { BODY }
// After:   static __device__ __forceinline__ void k__gs_body(const ::uint3 blockIdx,
//              const ::dim3 gridDim, const float* a, int n) { BODY }
//          __global__ void __launch_bounds__(256) k(const float* a, int n) {
//              k__gs_body(::blockIdx, ::gridDim, a, n); }
//
// Sound because: the parameters shadow the built-ins by the rules of the language, also inside
// macros, templates and lambdas, so BODY means the same with the hardware's values passed in; it
// is not edited, `return` leaves the function as it left the kernel, and the call is inlined.
// Where threads may leave before a __syncthreads() of others, a third parameter shadows that
// function as well, and warp primitives likewise; for the kernel itself they are what they were.
// Lines do not move: the kernel is repeated behind BODY's closing brace, removed line ends stay.
// A definition that only nvcc's host pass sees is never executed and stays as it is, and so does a
// kernel whose twin gets its PTX (persist).
// Refuses: nothing here; analysis/ does.
#include "passes/KernelPrinter.h"
#include "passes/Pass.h"

namespace gpusched::passes {
namespace {

/// const __grid_constant__ T p  ->  const T &p: keeps the parameter in its address space.
void passGridConstantsByReference(const KernelText& text, EditSet& edits) {
  for (const KernelParameter& parameter : text.parameters)
    if (parameter.gridConstant) {
      edits.insert(parameter.nameOffset, "&");
      edits.replace(parameter.gridConstantBegin, parameter.gridConstant, "");
    }
}

/// T p  ->  T &p, the kernel's own or a copy that callBody makes. T... p  ->  T &... p.
void passClassesByReference(const KernelText& text, const SourceTokens& tokens, EditSet& edits) {
  for (const KernelParameter& parameter : text.parameters)
    if (parameter.byReference) {
      const std::size_t name = tokens.at(parameter.nameOffset);
      const bool isPack = parameter.pack && tokens.text(name - 1) == "...";
      edits.insert(isPack ? tokens.all()[name - 1].offset : parameter.nameOffset, "&");
    }
}

} // namespace

EditSet outline(const PassInput& input) {
  const KernelInfo& kernel = input.kernel;
  const KernelText& text = kernel.text;
  EditSet edits;
  if (!kernel.onDevice || kernel.spliced)
    return edits;
  const std::size_t begin = text.isTemplate ? text.signatureBegin : text.templateBegin;
  if (text.isTemplate && !text.entersScope.empty())
    edits.insert(text.templateBegin, text.entersScope);
  edits.replace(begin, text.nameEnd - begin,
                (text.isTemplate ? "" : text.entersScope) + "static __device__ __forceinline__ " +
                    (text.hasTrailingReturn ? "auto " : "void ") +
                    newlinesOf(input.file.text, begin, text.nameEnd) + kernel.bodyName());
  const std::string builtins =
      builtinParameters(kernel.callees, kernel.record.facts.drainBarrier, text.primitives);
  const std::size_t first = text.leftParenthesis + 1;
  if (text.parameters.empty())
    edits.replace(first, text.rightParenthesis - first,
                  builtins + newlinesOf(input.file.text, first, text.rightParenthesis));
  else
    edits.insert(first, builtins + ", ");
  passGridConstantsByReference(text, edits);
  passClassesByReference(text, input.file.tokens, edits);
  callObjects(input.file.tokens, text, kernel.record.facts.drainBarrier, edits);
  const SignaturePrinter print(input.file.tokens, text);
  edits.insert(text.bodyEnd, " " + print.nativeHeader() + print.specifiers() + " " + print.name() +
                                 "(" + print.parameterList() + ") " + print.trailer() + "{ " +
                                 callBody(input, {}) + " }" + text.leavesScope);
  return edits;
}

} // namespace gpusched::passes
