// Diagnostics.cpp - maps nvcc's messages back to the user's file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain text replacement: paths of a private folder are unique enough that nothing else can be
// hit. "./h.h" arises from -iquote and is left: it names the same file.
#include "tools/gpusched-cc/Diagnostics.h"

#include "tools/gpusched-cc/PtxasReport.h"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace gpusched::cc {
namespace {

/// Name parts that only generated code has.
constexpr const char* kMarks[] = {"__gs", "gpusched::", "gpusched_"};

void replaceAll(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

bool contains(std::string_view line, std::string_view part) {
  return line.find(part) != line.npos;
}

/// nvcc's front ends number their warnings, the host compiler names the option; so does the
/// optimiser, but it has one only. nvcc's own come before anything is compiled.
bool isOfFrontEnd(std::string_view line) {
  if (line.starts_with("ptxas") || line.starts_with("nvlink"))
    return false;
  if (!contains(line, "warning:") && !contains(line, "warning :"))
    return true;
  return line.starts_with("nvcc") || (contains(line, " [-W") && !contains(line, "[-Wpass-failed"));
}

} // namespace

std::string userDiagnostics(const std::string& text, const DiagnosticNames& names) {
  std::string mapped =
      names.userWantsReport ? withoutFunctions(text, names.isTwin) : withoutPtxasReport(text);
  for (const std::pair<std::string, std::string>& path : names.paths)
    replaceAll(mapped, path.first, path.second);
  return mapped;
}

bool showsOurs(const std::string& text, const DiagnosticNames& names) {
  return text.find(names.injectedFolder) != std::string::npos ||
         std::any_of(std::begin(kMarks), std::end(kMarks),
                     [&](const char* mark) { return text.find(mark) != std::string::npos; });
}

bool isOfFrontEnds(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!isOfFrontEnd(line))
      return false;
  return true;
}

} // namespace gpusched::cc
