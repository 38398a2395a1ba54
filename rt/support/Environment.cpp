// Environment.cpp - reads GPUSCHED_* variables by the table.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Empty means unset, so `GPUSCHED_SMS= ./a` switches a variable off. A value that cannot be
// used is reported once per read and replaced by the default: the program still runs.
#include "rt/support/Environment.h"

#include "rt/support/Log.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace gpusched {
namespace {

const EnvironmentVariable* findVariable(const char* name) {
  for (const EnvironmentVariable& variable : environmentTable())
    if (std::strcmp(variable.name, name) == 0)
      return &variable;
  return nullptr;
}

/// "7" or "0-3"; appends to `out`.
bool parseRange(std::string_view text, uint32_t limit, std::vector<uint32_t>& out) {
  const size_t dash = text.find('-');
  const std::optional<uint64_t> first = parseNumber(text.substr(0, dash), limit);
  const std::optional<uint64_t> last =
      dash == std::string_view::npos ? first : parseNumber(text.substr(dash + 1), limit);
  if (!first || !last || *first > *last)
    return false;
  for (uint64_t i = *first; i <= *last; ++i)
    out.push_back(uint32_t(i));
  return true;
}

} // namespace

const std::vector<EnvironmentVariable>& environmentTable() {
  static const std::vector<EnvironmentVariable> kTable = {
#define GPUSCHED_ENVIRONMENT(name, reader, values, defaultValue, meaning)                          \
  {name, reader, values, defaultValue, meaning},
#include "rt/support/EnvironmentList.def"
  };
  return kTable;
}

bool environmentIsSet(const char* name) {
  const char* value = std::getenv(name);
  return value && *value;
}

std::string environment(const char* name) {
  const EnvironmentVariable* variable = findVariable(name);
  assert(variable && "add the variable to EnvironmentList.def");
  if (environmentIsSet(name))
    return std::getenv(name);
  return variable ? variable->defaultValue : "";
}

uint64_t environmentNumber(const char* name, uint64_t limit) {
  const std::string text = environment(name);
  if (text.empty())
    return 0;
  if (const std::optional<uint64_t> value = parseNumber(text, limit))
    return *value;
  const EnvironmentVariable* variable = findVariable(name);
  log(LogLevel::Warning, "%s=%s is not a number from 0 to %llu; using %s", name, text.c_str(),
      static_cast<unsigned long long>(limit), variable ? variable->defaultValue : "0");
  return variable ? parseNumber(variable->defaultValue).value_or(0) : 0;
}

bool environmentFlag(const char* name) {
  std::string text = environment(name);
  return text == "1" || text == "true" || text == "on" || text == "yes";
}

std::optional<uint64_t> parseNumber(std::string_view text, uint64_t limit) {
  uint64_t value = 0;
  const char *begin = text.data(), *end = begin + text.size();
  const std::from_chars_result result = std::from_chars(begin, end, value);
  const bool isNumber = result.ec == std::errc() && result.ptr == end && value <= limit;
  return isNumber ? std::optional(value) : std::nullopt;
}

std::optional<std::vector<uint32_t>> parseRanges(const std::string& text, uint32_t limit) {
  std::vector<uint32_t> out;
  std::string_view rest = text;
  while (true) {
    size_t comma = rest.find(',');
    if (!parseRange(rest.substr(0, comma), limit, out))
      return std::nullopt;
    if (comma == std::string_view::npos)
      break;
    rest.remove_prefix(comma + 1);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::string profileHome() {
  const char* home = std::getenv("GPUSCHED_HOME");
  if (home && *home)
    return home;
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data && *data)
    return std::string(data) + "/gpusched";
  const char* user = std::getenv("HOME");
  return std::string(user && *user ? user : "/tmp") + "/.local/share/gpusched";
}

} // namespace gpusched
