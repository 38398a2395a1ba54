// NvccOptions.h - looks an argument up in the table of nvcc's options.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc's grammar: long names take two dashes, short names one; a value follows as the next
// argument or after '='; a few short names also take it glued on. An exact name wins over a glued
// one, so -lineinfo is not `-l ineinfo`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpusched::cc {

enum class OptionId {
  Unknown, ///< starts with a dash and is not in the table
  Input,   ///< no option: an input file, or "-"
#define NVCC_OPTION(id, longName, shortName, form, use, note) id,
#include "tools/gpusched-cc/NvccOptions.def"
};

enum class OptionForm { Flag, Value, List, Glued, GluedValue };

/// What gpusched-cc does about an option: see NvccOptions.def.
enum class OptionUse { Read, Passed, Alone };

/// What one argument says by itself.
struct OptionMatch {
  OptionId id = OptionId::Unknown;
  OptionForm form = OptionForm::Flag;
  std::optional<std::string> value; ///< absent: a flag, or the value is the next argument
  bool wantsNext() const { return form != OptionForm::Flag && !value; }
};

OptionMatch matchOption(std::string_view argument);

/// Why a command with this option is left to nvcc; "" for options that do not ask for that.
std::string_view reasonToLeave(OptionId id);

/// The whole table as Markdown rows, for --gpusched-options and docs/nvcc-options.md.
std::string optionTable();

/// True for options whose value is a comma list.
bool isList(OptionForm form);

} // namespace gpusched::cc
