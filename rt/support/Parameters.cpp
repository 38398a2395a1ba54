// Parameters.cpp - parameters by their names.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/support/Parameters.h"

#include <algorithm>
#include <cstdlib>

namespace gpusched {
namespace {

std::string parameterNames(const std::vector<PolicyParameter>& parameters) {
  std::string names;
  for (const PolicyParameter& parameter : parameters)
    names += (names.empty() ? "" : ", ") + std::string(parameter.name);
  return names.empty() ? "it has none" : names;
}

Status setParameter(std::vector<PolicyParameter>& parameters, const std::string& assignment) {
  size_t equals = assignment.find('=');
  std::string name = assignment.substr(0, equals);
  for (PolicyParameter& parameter : parameters) {
    if (name != parameter.name)
      continue;
    const char* text = equals == std::string::npos ? "" : assignment.c_str() + equals + 1;
    char* end = nullptr;
    double value = std::strtod(text, &end);
    if (end == text || *end)
      return Status::error("'" + assignment + "': expected " + name + "=<number, " +
                           parameter.unit + ">");
    parameter.value = value;
    return {};
  }
  return Status::error("no parameter '" + name +
                       "'; the policy's parameters: " + parameterNames(parameters));
}

} // namespace

const std::vector<PolicyParameter>& Configurable::parameters() const {
  static const std::vector<PolicyParameter> kNone;
  std::vector<PolicyParameter>* own = const_cast<Configurable*>(this)->mutableParameters();
  return own ? *own : kNone;
}

Status Configurable::configure(const std::string& text) {
  std::vector<PolicyParameter> none;
  std::vector<PolicyParameter>* own = mutableParameters();
  for (size_t start = 0; start < text.size();) {
    size_t comma = std::min(text.find(',', start), text.size());
    Status set = setParameter(own ? *own : none, text.substr(start, comma - start));
    if (!set)
      return set;
    start = comma + 1;
  }
  return {};
}

} // namespace gpusched
