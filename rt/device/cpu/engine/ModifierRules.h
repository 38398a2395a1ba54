// ModifierRules.h - which modifiers an instruction may have that nobody asked about.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: a modifier that the decoder does not know must not be passed over, or the instruction
// would quietly do something else. Rule: a group asks for the modifiers it understands; one that
// was not asked for must be listed here as having no meaning for this engine, or the instruction
// is unsupported.
#pragma once

#include <string_view>

namespace gpusched::cpu {

/// REQUIRES: `modifier` was not asked for while decoding an instruction of `opcode`.
bool maybeIgnored(std::string_view opcode, std::string_view modifier);

} // namespace gpusched::cpu
