// KernelPrinter.h - the pieces of a signature, ready to be repeated on one line, and calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What outline, persist and virtualise share: all write a signature again behind a body.
#pragma once

#include "passes/Pass.h"

#include <string>

namespace gpusched::passes {

/// Token copies of one function's signature.
class SignaturePrinter {
public:
  SignaturePrinter(const SourceTokens& tokens, const KernelText& text)
      : tokens_(tokens), text_(text) {}

  /// "template <class T, int N> ", empty for what is no template.
  std::string templateHeader() const;
  /// "extern "C" __global__ void __launch_bounds__(256)": all in front of the name.
  std::string specifiers() const;
  /// "const float * a, int n", unnamed parameters named; empty for none.
  std::string parameterList() const;
  /// What stands between `)` and `{`.
  std::string trailer() const;
  /// "a, n", packs expanded.
  std::string arguments() const;
  /// "<T, N>", empty for what is no template.
  std::string templateArguments() const;

private:
  const SourceTokens& tokens_;
  const KernelText& text_;
};

/// f<int>(a)  ->  f.template operator()<int>(a), where f has become an object.
void callObjects(const KernelText& text, EditSet& edits);

/// "::ns::f__gs_call{blockIndex, grid, ...}": the object that stands for a virtual function.
std::string functionObject(const VirtualFunction& function, const std::string& blockIndex,
                           const std::string& grid, const std::string& drains);

/// "k__gs_body<T, N>(blockIndex, grid, ..., a, n);": a call of the outlined body.
std::string callBody(const PassInput& input, const std::string& blockIndex, const std::string& grid,
                     const std::string& drains);

} // namespace gpusched::passes
