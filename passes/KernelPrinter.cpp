// KernelPrinter.cpp - token copies of the signature.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens, not text: comments vanish, so nothing on the line can be commented out by accident.
#include "passes/KernelPrinter.h"

namespace gpusched::passes {
namespace {

template <class Parameter> std::vector<NamedPlace> madeUpNames(const std::vector<Parameter>& all) {
  std::vector<NamedPlace> names;
  for (const Parameter& parameter : all)
    if (parameter.unnamed)
      names.push_back({parameter.nameOffset, parameter.name});
  return names;
}

template <class Parameter> std::string listNames(const std::vector<Parameter>& all) {
  std::string list;
  for (const Parameter& parameter : all)
    list += (list.empty() ? "" : ", ") + parameter.name + (parameter.pack ? "..." : "");
  return list;
}

std::string barrier(const std::string& drains) {
  return "::gpusched::BodyBarrier{" + drains + "}";
}

} // namespace

std::string SignaturePrinter::templateHeader() const {
  if (!text_.isTemplate)
    return "";
  return flatten(tokens_, text_.templateBegin, text_.signatureBegin,
                 madeUpNames(text_.templateParameters)) +
         " ";
}

std::string SignaturePrinter::specifiers() const {
  return flatten(tokens_, text_.signatureBegin, text_.nameBegin);
}

std::string SignaturePrinter::parameterList() const {
  if (text_.parameters.empty())
    return "";
  return flatten(tokens_, text_.leftParenthesis + 1, text_.rightParenthesis,
                 madeUpNames(text_.parameters));
}

std::string SignaturePrinter::trailer() const {
  return flatten(tokens_, text_.rightParenthesis + 1, text_.bodyBegin);
}

std::string SignaturePrinter::arguments() const {
  return listNames(text_.parameters);
}

std::string SignaturePrinter::templateArguments() const {
  return text_.isTemplate ? "<" + listNames(text_.templateParameters) + ">" : "";
}

void callObjects(const KernelText& text, EditSet& edits) {
  for (const std::size_t offset : text.explicitCalls)
    edits.insert(offset, ".template operator()");
}

std::string functionObject(const VirtualFunction& function, const std::string& blockIndex,
                           const std::string& grid, const std::string& drains) {
  std::string object = function.scope + function.typeName() + "{" + blockIndex + ", " + grid;
  if (function.hasBarrier)
    object += ", " + barrier(drains);
  for (const VirtualFunction* callee : function.callees)
    object += ", " + functionObject(*callee, blockIndex, grid, drains);
  return object + "}";
}

std::string callBody(const PassInput& input, const std::string& blockIndex, const std::string& grid,
                     const std::string& drains) {
  const KernelInfo& kernel = input.kernel;
  const SignaturePrinter print(input.file.tokens, kernel.text);
  std::string call = kernel.bodyName() + print.templateArguments() + "(" + blockIndex + ", " + grid;
  if (kernel.record.facts.drainBarrier)
    call += ", " + barrier(drains);
  for (const VirtualFunction* callee : kernel.callees)
    call += ", " + functionObject(*callee, blockIndex, grid, drains);
  const std::string arguments = print.arguments();
  return call + (arguments.empty() ? "" : ", ") + arguments + ");";
}

} // namespace gpusched::passes
