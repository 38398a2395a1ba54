// PtxasReport.cpp - reads `ptxas -v`.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   ptxas info    : Compiling entry function '_Z2k3Pf' for 'sm_90'
//   ptxas info    : Function properties for _Z2k3Pf
//       64 bytes stack frame, 64 bytes spill stores, 64 bytes spill loads
//   ptxas info    : Used 32 registers, used 1 barriers, 1024 bytes smem, 360 bytes cmem[0]
//   ptxas info    : Compile time = 1.315 ms
#include "tools/gpusched-cc/PtxasReport.h"

#include <cstdlib>
#include <sstream>

namespace gpusched::cc {
namespace {

constexpr const char* kInfo = "ptxas info";
constexpr const char* kEntry = "Compiling entry function '";

bool contains(const std::string& line, const char* what) {
  return line.find(what) != std::string::npos;
}

bool isReportLine(const std::string& line) {
  return line.compare(0, 10, kInfo) == 0 ||
         (line.compare(0, 4, "    ") == 0 && contains(line, "bytes stack frame"));
}

/// The number in front of `keyword`: "64 bytes spill stores"; 0 when it is not there.
uint64_t numberBefore(const std::string& line, const char* keyword) {
  size_t at = line.find(keyword);
  if (at == std::string::npos || at == 0)
    return 0;
  size_t end = line.find_last_of("0123456789", at - 1);
  if (end == std::string::npos)
    return 0;
  size_t start = line.find_last_not_of("0123456789", end);
  start = start == std::string::npos ? 0 : start + 1;
  return std::strtoull(line.substr(start, end - start + 1).c_str(), nullptr, 10);
}

/// The text between the n-th pair of quotes.
std::string quotedText(const std::string& line, int n) {
  size_t open = line.find('\'');
  for (; n > 0 && open != std::string::npos; --n)
    open = line.find('\'', line.find('\'', open + 1) + 1);
  if (open == std::string::npos)
    return "";
  return line.substr(open + 1, line.find('\'', open + 1) - open - 1);
}

void addTo(PtxasFunction& function, const std::string& line) {
  if (contains(line, "bytes stack frame")) {
    function.stackBytes = numberBefore(line, " bytes stack frame");
    function.spillStoreBytes = numberBefore(line, " bytes spill stores");
    function.spillLoadBytes = numberBefore(line, " bytes spill loads");
  } else if (contains(line, ": Used ")) {
    function.registers = static_cast<uint32_t>(numberBefore(line, " registers"));
    function.barriers = static_cast<uint32_t>(numberBefore(line, " barriers"));
    function.sharedBytes = numberBefore(line, " bytes smem");
  }
}

} // namespace

std::vector<PtxasFunction> readPtxasReport(const std::string& text) {
  std::vector<PtxasFunction> functions;
  std::istringstream lines(text);
  bool own = false; // the properties that follow are of the entry function, not of a callee
  for (std::string line; std::getline(lines, line);) {
    if (!isReportLine(line))
      continue;
    if (contains(line, kEntry)) {
      functions.push_back({quotedText(line, 0), quotedText(line, 1)});
      own = true;
    } else if (contains(line, "Function properties for ")) {
      own = !functions.empty() && contains(line, functions.back().symbol.c_str());
    } else if (!functions.empty() && (own || contains(line, ": Used "))) {
      addTo(functions.back(), line);
    }
  }
  return functions;
}

std::string joinedReports(const std::string& first, const std::string& second) {
  std::string joined = first;
  std::istringstream lines(second);
  bool ofFunction = false;
  for (std::string line; std::getline(lines, line);) {
    ofFunction = ofFunction || contains(line, kEntry);
    if (ofFunction || first.find(line + "\n") == std::string::npos)
      joined += line + "\n";
  }
  return joined;
}

std::string withoutPtxasReport(const std::string& text) {
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!isReportLine(line))
      kept += line + "\n";
  return kept;
}

std::string withoutFunctions(const std::string& text,
                             const std::function<bool(const std::string&)>& drops) {
  std::string kept;
  std::istringstream lines(text);
  bool skipping = false;
  for (std::string line; std::getline(lines, line);) {
    if (contains(line, kEntry))
      skipping = drops(quotedText(line, 0));
    if (!skipping || !isReportLine(line))
      kept += line + "\n";
    if (contains(line, "Compile time ="))
      skipping = false;
  }
  return kept;
}

} // namespace gpusched::cc
