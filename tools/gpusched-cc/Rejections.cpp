// Rejections.cpp - one rejection per error line, with the lines that follow it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs only after a failed compile, so regular expressions are fast enough; lines that are long,
// as shown texts are, are not matched against them.
#include "tools/gpusched-cc/Rejections.h"

#include <regex>
#include <sstream>

namespace gpusched::cc {
namespace {

constexpr std::size_t kLongestLine = 2000;

uint32_t number(const std::string& digits) {
  return static_cast<uint32_t>(std::stoul(digits));
}

/// An error with a place, or one of ptxas. False: the line is none.
bool readError(const std::string& line, passes::Rejection& rejection) {
  static const std::regex front(R"((.+)\((\d{1,9})\): (?:catastrophic )?error(?: #[\w-]+)?: (.*))");
  static const std::regex host(R"((.+?):(\d{1,9}):(?:\d+:)? (?:fatal )?error: (.*))");
  static const std::regex assembler(R"((?:ptxas )?error\s*: (.*))");
  std::smatch match;
  if (line.size() > kLongestLine)
    return false;
  if (std::regex_match(line, match, front) || std::regex_match(line, match, host)) {
    rejection.places = {{match[1], number(match[2]), 0}};
    rejection.message = match[3];
    return true;
  }
  if (!std::regex_match(line, match, assembler))
    return false;
  rejection.message = match[1];
  return true;
}

/// "at line 9 of b.cuh", "at line 9": where what is instantiated was asked for.
void readContext(const std::string& line, passes::Rejection& rejection) {
  static const std::regex context(R"re(.*\bat line (\d{1,9})(?: of "?([^"]+)"?)?\s*)re");
  std::smatch match;
  if (line.size() > kLongestLine || rejection.places.empty() ||
      !std::regex_match(line, match, context))
    return;
  const std::string file = match[2].matched ? match[2].str() : rejection.places.front().file;
  rejection.places.push_back({file, number(match[1]), 0});
}

} // namespace

std::vector<passes::Rejection> rejectionsIn(const std::string& errors) {
  std::vector<passes::Rejection> rejections;
  std::istringstream lines(errors);
  bool open = false;
  for (std::string line; std::getline(lines, line);) {
    passes::Rejection rejection;
    if (readError(line, rejection)) {
      rejections.push_back(rejection);
      open = true;
    } else if (line.empty()) {
      open = false;
    } else if (open) {
      readContext(line, rejections.back());
    }
    if (open)
      rejections.back().shown += line + "\n";
  }
  return rejections;
}

std::vector<std::string> unsplicedTwinsIn(const std::string& errors) {
  constexpr std::string_view kError = "gpusched-cicc: error: twin '";
  std::vector<std::string> symbols;
  for (size_t at = errors.find(kError); at != std::string::npos; at = errors.find(kError, at)) {
    at += kError.size();
    symbols.push_back(errors.substr(at, errors.find('\'', at) - at));
  }
  return symbols;
}

} // namespace gpusched::cc
