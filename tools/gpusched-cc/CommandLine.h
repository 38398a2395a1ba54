// CommandLine.h - nvcc's command line as an ordered list with a typed view.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list keeps every argument as it was written, so a command made from it differs from the
// user's only where a step of ours changes it. The view answers questions ("which -I?") and also
// sees what nvcc reads by itself: NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS and options files. Those
// are marked as not ours to pass on, because nvcc would read them twice.
#pragma once

#include "tools/gpusched-cc/NvccOptions.h"

#include <string>
#include <vector>

namespace gpusched::cc {

struct Argument {
  enum class Origin { Command, OptionsFile, Environment };
  OptionId id = OptionId::Unknown;
  OptionForm form = OptionForm::Flag;
  std::string value;               ///< of an option; the path of an input; empty for flags
  std::vector<std::string> tokens; ///< as written: one, or two when the value is separate
  Origin origin = Origin::Command;
};

class CommandLine {
public:
  /// Reads options files and the two environment variables. Never fails: what cannot be read is
  /// left for nvcc to complain about.
  static CommandLine parse(const std::vector<std::string>& arguments);

  const std::vector<Argument>& arguments() const { return arguments_; }
  bool has(OptionId id) const;
  bool hasAny(std::initializer_list<OptionId> ids) const;
  /// The last value given for `id`, as nvcc takes it; empty when there is none.
  std::string last(OptionId id) const;
  /// All values of a list option, comma lists divided.
  std::vector<std::string> values(OptionId id) const;
  std::vector<std::string> inputs() const;

  /// True when an argument of this kind has that origin.
  bool comesFrom(Argument::Origin origin, OptionId id) const;
  /// Puts the contents of options files in their place, for commands that leave some out.
  void inlineOptionsFiles();

private:
  void add(const std::vector<std::string>& words, Argument::Origin origin, int depth);

  std::vector<Argument> arguments_;
};

/// Divides the text of an options file or variable as nvcc does: blanks separate, quotes group,
/// a backslash takes the next character as it is.
std::vector<std::string> splitWords(const std::string& text);

/// Divides at commas that are not inside quotes and not escaped.
std::vector<std::string> splitCommas(const std::string& text);

} // namespace gpusched::cc
