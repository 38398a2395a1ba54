// InstructionText.h - an instruction as one line of text, for messages.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace gpusched::ptx {

/// `source` without comments, runs of white space folded to one blank, none at the ends.
std::string instructionText(std::string_view source);

} // namespace gpusched::ptx
