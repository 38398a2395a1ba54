// NvccOptions.cpp - the table of nvcc's options and the look-up in it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linear search over about 140 rows: a command line has a few dozen arguments, so this is
// microseconds against nvcc's second.
#include "tools/gpusched-cc/NvccOptions.h"

namespace gpusched::cc {
namespace {

struct Row {
  OptionId id;
  std::string_view longName, shortName;
  OptionForm form;
  OptionUse use;
  std::string_view note;
};

constexpr Row kRows[] = {
#define NVCC_OPTION(id, longName, shortName, form, use, note)                                      \
  {OptionId::id, longName, shortName, OptionForm::form, OptionUse::use, note},
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

std::string_view wordFor(OptionUse use) {
  return use == OptionUse::Read ? "read" : use == OptionUse::Passed ? "passed on" : "nvcc alone";
}

} // namespace

std::string_view reasonToLeave(OptionId id) {
  for (const Row& row : kRows)
    if (row.id == id && row.use == OptionUse::Alone)
      return row.note;
  return "";
}

std::string optionTable() {
  std::string text = "| option | short | value | use | note |\n|---|---|---|---|---|\n";
  for (const Row& row : kRows) {
    const char* value = row.form == OptionForm::Flag ? "" : isList(row.form) ? "list" : "one";
    text.append("| `").append(row.longName).append("` | `").append(row.shortName).append("` | ");
    text.append(value).append(" | ").append(wordFor(row.use)).append(" | ").append(row.note);
    text.append(" |\n");
  }
  return text;
}

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
