// KernelPrinter.h - the pieces of a signature, ready to be repeated on one line, and calls.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What outline, persist and virtualise share: all write a signature again behind a body.
#pragma once

#include "passes/Pass.h"

#include <set>
#include <string>
#include <vector>

namespace gpusched::passes {

/// Token copies of one function's signature.
class SignaturePrinter {
public:
  SignaturePrinter(const SourceTokens& tokens, const KernelText& text)
      : tokens_(tokens), text_(text) {}

  /// "template <class T, int N> ", empty for what is no template.
  std::string templateHeader() const;
  /// The same, and parameterList(), for a twin: whoever names it gives all arguments.
  std::string templateHeaderWithoutDefaults() const;
  std::string parameterListWithoutDefaults() const;
  /// "extern "C" __global__ void __launch_bounds__(256)": all in front of the name.
  std::string specifiers() const;
  /// "const float * a, int n", unnamed parameters named; empty for none.
  std::string parameterList() const;
  /// "S<T>::", of a member that is defined outside its class.
  std::string qualifier() const;
  /// The name as it was defined: with the arguments of a specialisation.
  std::string name() const;
  /// "template <> ", or the template header.
  std::string nativeHeader() const;
  /// Specifiers of the twin: that of a specialisation is a function of this file only. It returns
  /// void by that name: an overload may be chosen by its return type, by other rules in nvcc's pass
  /// for the host, and a twin is none.
  std::string twinSpecifiers() const;
  /// What stands between `)` and `{`.
  std::string trailer() const;
  std::string twinTrailer() const;
  /// "a, n", packs expanded; unless they are fresh, a copy of what the body may change.
  std::string arguments(bool areFresh = true) const;
  /// "<T, N>", empty for what is no template.
  std::string templateArguments() const;

private:
  /// [begin, end) with the word void for a return type in it that has another name.
  std::string returningVoid(std::size_t begin, std::size_t end) const;
  std::string templateHeader(const std::map<std::size_t, std::size_t>& leftOut) const;
  std::string parameterList(const std::map<std::size_t, std::size_t>& leftOut) const;

  const SourceTokens& tokens_;
  const KernelText& text_;
};

/// The line ends of [begin, end): what a removed text leaves, so that lines do not move.
std::string newlinesOf(const std::string& source, std::size_t begin, std::size_t end);

/// block.sync()  ->  __syncthreads.ofGroup(), where that is an object (`hasBarrier`);
/// tile.any(x)  ->  gpusched_groups.of(tile).any(x), where lanes may have left;
/// m.h()  ->  m.h__gs(blockIdx, gridDim, __syncthreads), where it waits and threads may have left;
/// f<int>(a)  ->  f.template operator()<int>(a), where f has become an object;
/// m.g(a)  ->  m.g__gs(blockIdx, gridDim, a), where g is a member function;
/// m(a)  ->  m.call__gs(blockIdx, gridDim, a);  C m(a)  ->  C m(blockIdx, gridDim, a);
/// l(a)  ->  l(a, blockIdx, gridDim), where l is a lambda of host code;
/// o(a)  ->  ::gpusched::toldCall(o, blockIdx, gridDim)(a), where o takes them here and not there;
/// ns::f(a)  ->  f(a);  block.group_index()  ->  ::dim3(blockIdx);
/// grid.thread_rank()  ->  ::gpusched::LogicalGrid{blockIdx, gridDim}.thread_rank();
/// init(&bar, n)  ->  init(gpusched_mbarriers.added(&bar), n).
void callObjects(const SourceTokens& tokens, const KernelText& text, bool hasBarrier,
                 EditSet& edits);

/// What a body sees of its surroundings: expressions for the built-ins, and what waits in it.
struct Surroundings {
  std::string blockIndex = "::blockIdx", grid = "::gridDim";
  bool drains = false;            ///< barriers count threads that have left
  bool drainsLanes = false;       ///< warp primitives know which lanes have left
  bool drainsMasks = false;       ///< also those whose mask is not the whole warp
  bool counts = false;            ///< and there are some that are asked questions
  bool named = false;             ///< what waits has its own name here
  std::string mbarrierTable = {}; ///< where notes of mbarriers are wanted
  bool repeats = false;           ///< the body runs for one block after the other
};

/// "blockIndex, grid, ...": what a member function is told, in front of its own arguments.
std::string memberArguments(const VirtualFunction& function, const Surroundings& around);

/// What the function sees that keeps the name, and is called by those who are told nothing.
Surroundings nativeSurroundings(const VirtualFunction& function);

/// One of the parameters that shadow: its type and name, and what stands there in a native kernel.
struct GivenBuiltin {
  std::string type, name, native;
};
std::vector<GivenBuiltin> givenBuiltins(bool hasBarrier, const std::set<std::string>& primitives);

/// "const ::uint3 blockIdx, const ::dim3 gridDim, ...": the parameters that shadow.
std::string builtinParameters(const std::vector<const VirtualFunction*>& objects, bool hasBarrier,
                              const std::set<std::string>& primitives);

/// What stands for a name in a text: the object of a function, or of overloads together.
struct NamedObject {
  std::vector<const VirtualFunction*> overloads;
  const std::string& name() const { return overloads.front()->name; }
  std::string type() const;
  std::string value(const Surroundings& around) const;
};
std::vector<NamedObject> namedObjects(const std::vector<const VirtualFunction*>& functions);

/// "::ns::f__gs_call{blockIndex, grid, ...}": the object that stands for a virtual function.
std::string functionObject(const VirtualFunction& function, const Surroundings& around);

/// "k__gs_body<T, N>(blockIndex, grid, ..., a, n);": a call of the outlined body.
std::string callBody(const PassInput& input, const Surroundings& around);

/// "::gpusched::LanePrimitive__shfl_sync": the type of what replaces a primitive.
std::string primitiveType(const std::string& primitive);

} // namespace gpusched::passes
