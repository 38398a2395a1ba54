// OwnOptions.cpp - reads the --gpusched-... options and prints their help.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table (OwnOptions.def) drives reading, the environment and the help, so they cannot differ.
#include "tools/gpusched-cc/OwnOptions.h"

#include "rt/support/Environment.h"

#include <cstdio>
#include <string_view>

namespace gpusched::cc {
namespace {

constexpr std::string_view kPrefix = "--gpusched-";

void readVariable(bool& field, const char* variable) {
  if (*variable)
    field = environmentFlag(variable);
}

void readVariable(std::string& field, const char* variable) {
  if (*variable)
    field = environment(variable);
}

Status assign(bool& field, std::string_view name, const std::string* value) {
  if (value)
    return Status::error(std::string(name) + " takes no value");
  field = true;
  return {};
}

Status assign(std::string& field, std::string_view name, const std::string* value) {
  if (!value || value->empty())
    return Status::error(std::string(name) + " needs a value: " + std::string(name) + "=...");
  field = *value;
  return {};
}

/// Sets the field that `argument` names.
Status take(OwnOptions& options, const std::string& argument) {
  size_t equals = argument.find('=');
  std::string name = argument.substr(0, equals);
  std::string text = equals == std::string::npos ? "" : argument.substr(equals + 1);
  const std::string* value = equals == std::string::npos ? nullptr : &text;
#define GPUSCHED_OPTION(field, kind, optionName, variable, valueName, help)                        \
  if (name == optionName)                                                                          \
    return assign(options.field, optionName, value);
#include "tools/gpusched-cc/OwnOptions.def"
  return Status::error("unknown option '" + name + "'; --gpusched-help lists them");
}

} // namespace

Result<OwnOptions> takeOwnOptions(std::vector<std::string>& arguments) {
  OwnOptions options;
#define GPUSCHED_OPTION(field, kind, name, variable, value, help)                                  \
  readVariable(options.field, variable);
#include "tools/gpusched-cc/OwnOptions.def"
  std::vector<std::string> rest;
  for (std::string& argument : arguments) {
    if (argument.compare(0, kPrefix.size(), kPrefix) != 0) {
      rest.push_back(std::move(argument));
      continue;
    }
    if (Status status = take(options, argument); !status.ok())
      return status;
  }
  arguments = std::move(rest);
  return options;
}

std::string ownHelp() {
  std::string text = "gpusched-cc takes every option of nvcc, and these:\n\n";
  auto add = [&text](std::string name, std::string_view variable, std::string_view value,
                     std::string_view help) {
    if (!value.empty())
      name.append("=").append(value);
    char line[256];
    std::snprintf(line, sizeof line, "  %-24s %.*s\n", name.c_str(), int(help.size()), help.data());
    text += line;
    if (!variable.empty())
      text.append(27, ' ').append("[$").append(variable).append("]\n");
  };
#define GPUSCHED_OPTION(field, kind, name, variable, value, help) add(name, variable, value, help);
#include "tools/gpusched-cc/OwnOptions.def"
  text += "\nAn option wins over its variable. nvcc's own help: gpusched-cc --help\n";
  return text;
}

} // namespace gpusched::cc
