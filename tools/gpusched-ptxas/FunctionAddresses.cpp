// FunctionAddresses.cpp - looks at each place that names a function.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two passes over the words of the text, linear but for a set of names. Comments and strings are
// not skipped: a name in one is taken for an address, or a call, where none is, and that only costs
// the merge or nothing.
#include "tools/gpusched-ptxas/FunctionAddresses.h"

#include "tools/gpusched-ptxas/PtxEntries.h"

#include <cctype>
#include <set>
#include <string>

namespace gpusched::ptxas {
namespace {

constexpr std::string_view kFunction = ".func";
/// Of the functions declared or defined; with an empty one where a declaration is not understood.
std::set<std::string_view> functionNames(std::string_view ptx) {
  std::set<std::string_view> names;
  for (size_t at = ptx.find(kFunction); at != std::string_view::npos;
       at = ptx.find(kFunction, at + kFunction.size())) {
    // .func (.param .b32 result) name (parameters)
    size_t name = ptx.find_first_not_of(kBlanks, at + kFunction.size());
    if (name != std::string_view::npos && ptx[name] == '(') {
      name = ptx.find(')', name);
      name = name == std::string_view::npos ? name : ptx.find_first_not_of(kBlanks, name + 1);
    }
    names.insert(name == std::string_view::npos ? std::string_view()
                                                : ptx.substr(name, wordEnd(ptx, name) - name));
  }
  return names;
}

/// What is in front of `at` in its statement.
std::string_view statementBefore(std::string_view ptx, size_t at) {
  const size_t end = at == 0 ? std::string_view::npos : ptx.find_last_of(";{}", at - 1);
  const size_t begin = end == std::string_view::npos ? 0 : end + 1;
  return ptx.substr(begin, at - begin);
}

/// Is the place behind `statement` where a call or a declaration has the function's name? That is
/// behind nothing, or behind results in parentheses.
bool namesFunctionNext(std::string_view statement) {
  const size_t call = statement.rfind("call"), declaration = statement.rfind(kFunction);
  if (call == std::string_view::npos && declaration == std::string_view::npos)
    return false;
  const bool isCall = call != std::string_view::npos &&
                      (declaration == std::string_view::npos || declaration < call);
  size_t at = isCall ? call : declaration;
  if (isCall && at > 0 && !std::isspace(static_cast<unsigned char>(statement[at - 1])))
    return false;
  at = statement.find_first_of(kBlanks, at);
  at = at == std::string_view::npos ? at : statement.find_first_not_of(kBlanks, at);
  if (at == std::string_view::npos)
    return true;
  if (statement[at] != '(')
    return false;
  at = statement.find(')', at);
  return at != std::string_view::npos &&
         statement.find_first_not_of(" \t\r\n,", at + 1) == std::string_view::npos;
}

} // namespace

bool callsByNameOnly(std::string_view ptx) {
  for (const std::string_view indirect : {".callprototype", ".calltargets", ".alias"})
    if (ptx.find(indirect) != std::string_view::npos)
      return false;
  const std::set<std::string_view> names = functionNames(ptx);
  if (names.count(""))
    return false;
  if (names.empty())
    return true;
  for (size_t at = 0; at < ptx.size();) {
    const size_t end = wordEnd(ptx, at);
    if (end > at && names.count(ptx.substr(at, end - at)) &&
        !namesFunctionNext(statementBefore(ptx, at)))
      return false;
    at = end > at ? end : at + 1;
  }
  return true;
}

} // namespace gpusched::ptxas
