// NvccOptions.cpp - the table of nvcc's options and the look-up in it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear search over about 100 rows: a command line has a few dozen arguments, so this is
// microseconds against nvcc's second.
#include "tools/gpusched-cc/NvccOptions.h"

namespace gpusched::cc {
namespace {

struct Row {
  OptionId id;
  std::string_view longName, shortName;
  OptionForm form;
};

constexpr Row kRows[] = {
#define NVCC_OPTION(id, longName, shortName, form)                                                 \
  {OptionId::id, longName, shortName, OptionForm::form},
#include "tools/gpusched-cc/NvccOptions.def"
};

bool isGlued(OptionForm form) {
  return form == OptionForm::Glued || form == OptionForm::GluedValue;
}

const Row* findExact(std::string_view name) {
  for (const Row& row : kRows)
    if (name == row.longName || name == row.shortName)
      return &row;
  return nullptr;
}

const Row* findGlued(std::string_view argument) {
  for (const Row& row : kRows)
    if (isGlued(row.form) && argument.size() > row.shortName.size() &&
        argument.substr(0, row.shortName.size()) == row.shortName)
      return &row;
  return nullptr;
}

} // namespace

bool isList(OptionForm form) {
  return form == OptionForm::List || form == OptionForm::Glued;
}

OptionMatch matchOption(std::string_view argument) {
  if (argument.size() < 2 || argument[0] != '-')
    return {OptionId::Input, OptionForm::Flag, std::nullopt};
  size_t equals = argument.find('=');
  if (const Row* row = findExact(argument.substr(0, equals))) {
    OptionMatch match{row->id, row->form, std::nullopt};
    if (equals != std::string_view::npos)
      match.value = std::string(argument.substr(equals + 1));
    return match;
  }
  if (const Row* row = findGlued(argument))
    return {row->id, row->form, std::string(argument.substr(row->shortName.size()))};
  return {};
}

} // namespace gpusched::cc
