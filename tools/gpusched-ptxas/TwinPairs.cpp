// TwinPairs.cpp - names without what persist adds to them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names are compared demangled: the twin's additional parameter shifts the substitutions of the
// mangled form. By LLVM's demangler: libstdc++'s gives up on long ones. Names that are the same
// then, as of local classes of one name in one function, are no pairs.
#include "tools/gpusched-ptxas/TwinPairs.h"

#include "rt/include/gpusched/LaunchAbi.h"

#include "llvm/Demangle/Demangle.h"

#include <cstdlib>
#include <memory>
#include <set>
#include <string_view>

namespace gpusched::ptxas {
namespace {

/// "_Z1kv" for "__nv_static_9__0ab_a_cu__Z1kv": what -rdc makes of internal names, where 9 is the
/// length of the text between.
const char* withoutModule(const std::string& symbol) {
  constexpr std::string_view kInternal = "__nv_static_";
  if (!symbol.starts_with(kInternal))
    return symbol.c_str();
  char* end = nullptr;
  const size_t length = std::strtoul(symbol.c_str() + kInternal.size(), &end, 10);
  const size_t begin = end - symbol.c_str() + 1 + length + 1;
  return begin < symbol.size() ? symbol.c_str() + begin : symbol.c_str();
}

std::string taken(char* allocated) {
  const std::unique_ptr<char, decltype(&std::free)> text(allocated, &std::free);
  return text ? text.get() : "";
}

/// "ns::k<int>(int*)", the symbol itself for a name of C. Without what it returns: that is void, a
/// kernel's perhaps by another name.
std::string demangled(const std::string& symbol) {
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(withoutModule(symbol)) || !demangler.isFunction())
    return symbol;
  return taken(demangler.getFunctionName(nullptr, nullptr)) +
         taken(demangler.getFunctionParameters(nullptr, nullptr));
}

/// "ns::k__gs2" -> "ns::k"; "" without such an end.
std::string withoutSuffix(const std::string& name) {
  constexpr std::string_view kSuffix = "__gs";
  const size_t end = name.find_last_not_of("0123456789") + 1;
  if (end <= kSuffix.size() || name.compare(end - kSuffix.size(), kSuffix.size(), kSuffix) != 0)
    return "";
  return name.substr(0, end - kSuffix.size());
}

/// Where the template arguments begin that `head` ends with; its size when there are none.
size_t templateArguments(const std::string& head) {
  int depth = 0;
  for (size_t i = head.size(); i-- > 0;) {
    depth += (head[i] == '>') - (head[i] == '<');
    if (depth == 0)
      return head[i] == '<' ? i : head.size();
  }
  return head.size();
}

/// "k<int>(int*)" for the twin "k__gs<int>(gpusched_params, int*)"; "" for what is none.
std::string nativeName(const std::string& twin) {
  constexpr std::string_view kParameter = "(gpusched_params";
  const size_t at = twin.find(kParameter);
  if (at == std::string::npos)
    return twin.find('(') == std::string::npos ? withoutSuffix(twin) : ""; // C linkage
  const std::string head = twin.substr(0, at);
  const size_t arguments = templateArguments(head);
  const std::string name = withoutSuffix(head.substr(0, arguments));
  std::string parameters = twin.substr(at + kParameter.size());
  if (parameters.compare(0, 2, ", ") == 0)
    parameters.erase(0, 2);
  return name.empty() ? "" : name + head.substr(arguments) + "(" + parameters;
}

/// The kernel's first parameter is ours, by its size: in C linkage the name proves nothing.
bool takesOurParameters(const std::string& ptx, const Entry& entry) {
  const std::string parameter =
      ".b8 " + entry.symbol + "_param_0[" + std::to_string(sizeof(gpusched_params)) + "]";
  return ptx.substr(entry.begin, entry.parametersEnd - entry.begin).find(parameter) !=
         std::string::npos;
}

} // namespace

std::map<std::string, std::string> nativesOfTwins(const std::string& ptx,
                                                  const std::vector<Entry>& entries) {
  std::multimap<std::string, std::string> symbols;
  std::map<std::string, std::string> natives;
  for (const Entry& entry : entries)
    symbols.emplace(demangled(entry.symbol), entry.symbol);
  std::set<std::string> present;
  for (const Entry& entry : entries)
    present.insert(entry.symbol);
  for (const Entry& entry : entries) {
    if (!takesOurParameters(ptx, entry))
      continue;
    // gpusched-ptx adds to the symbol, whatever it means.
    const std::string symbol = withoutSuffix(entry.symbol);
    if (present.count(symbol))
      natives[entry.symbol] = symbol;
    else if (const std::string name = nativeName(demangled(entry.symbol)); symbols.count(name) == 1)
      natives[entry.symbol] = symbols.find(name)->second;
  }
  return natives;
}

} // namespace gpusched::ptxas
