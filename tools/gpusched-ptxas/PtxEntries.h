// PtxEntries.h - where the kernels of a PTX text are.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not a parser: the text is what nvcc made a moment ago, and only its outline matters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched::ptxas {

/// One kernel or function; offsets into the text.
struct Entry {
  std::string symbol;
  size_t begin = 0;         ///< of its line
  size_t parametersEnd = 0; ///< behind the parenthesis
  size_t bodyBegin = 0;     ///< the brace
  size_t end = 0;           ///< behind the closing brace
};

inline constexpr const char* kBlanks = " \t\r\n";

inline std::string_view trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

/// Behind the name, register or label that begins at `at`, or `at`; a dot ends it.
size_t wordEnd(std::string_view text, size_t at);

/// The name that starts at the next character that is no blank.
std::string wordAt(std::string_view text, size_t at);

/// Without the lines that `areDropped` says so of, each with its end.
std::string withoutLines(std::string_view text,
                         const std::function<bool(std::string_view line)>& areDropped);

/// With its braces.
inline std::string_view bodyOf(std::string_view ptx, const Entry& entry) {
  return ptx.substr(entry.bodyBegin, entry.end - entry.bodyBegin);
}

/// ".weak .func (result) f (parameters);"
inline std::string prototypeOf(const std::string& ptx, const Entry& function) {
  return ptx.substr(function.begin, function.parametersEnd - function.begin) + ";\n";
}

/// Functions of the driver (vprintf, malloc): nobody compiles them with us.
bool isSystemCall(const std::string& symbol);

/// In the order of the text; empty when the text is not understood.
std::vector<Entry> findEntries(const std::string& ptx);

/// The same for the functions that have a body.
std::vector<Entry> findFunctions(const std::string& ptx);

/// `ptx` with these kernels only; functions and variables stay, and all lines keep their numbers.
std::string onlyEntries(const std::string& ptx, const std::vector<Entry>& entries,
                        const std::set<std::string>& symbols);

/// Names of the functions that the body calls; registers, where it calls through them.
std::set<std::string> calleesOf(const std::string& ptx, const Entry& entry);

/// The product of the numbers behind a directive in front of a body, ".maxntid 128, 2"; 1 without
/// it.
uint32_t productBehind(const std::string& directives, std::string_view name);

} // namespace gpusched::ptxas
