// Environment.h - the one place where the process environment is read.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every variable is a line of EnvironmentList.def: asking for one that is not there is a bug of
// ours and asserts. Values are returned as text; the numeric forms log one warning and give
// the default when the text is not a number. Reading is thread-safe as long as nobody calls
// setenv; the runtime reads everything once, when it is loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched {

struct EnvironmentVariable {
  const char* name;
  const char* reader;       // which part reads it
  const char* values;       // what may be written there
  const char* defaultValue; // "" = unset
  const char* meaning;
};

/// All variables, in alphabetical order.
const std::vector<EnvironmentVariable>& environmentTable();

/// Has the user given it a value?
bool environmentIsSet(const char* name);
/// Value of `name`, or its default when unset or empty.
std::string environment(const char* name);
/// As a number; the default, with a warning, when it is not one in [0, limit].
uint64_t environmentNumber(const char* name, uint64_t limit = UINT64_MAX);
/// True for 1, true, on, yes.
bool environmentFlag(const char* name);

/// Decimal digits and nothing else; nullopt when malformed or above `limit`.
std::optional<uint64_t> parseNumber(std::string_view text, uint64_t limit = UINT64_MAX);
/// "0-3,7" as a sorted list without repeats; nullopt when malformed or above `limit`.
std::optional<std::vector<uint32_t>> parseRanges(const std::string& text, uint32_t limit);

/// $GPUSCHED_HOME, else $XDG_DATA_HOME/gpusched, else ~/.local/share/gpusched.
std::string profileHome();

} // namespace gpusched
