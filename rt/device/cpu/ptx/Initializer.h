// Initializer.h - the initial value of a module variable.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/ptx/Ir.h"
#include "rt/device/cpu/ptx/TokenStream.h"

#include <vector>

namespace gpusched::ptx {

/// Parses what follows '=' into `variable.init` and `variable.relocations`. `dimensions` are
/// the declared ones; a first dimension of 0 (written `[]`) is taken from the initialiser and
/// sets `variable.bytes`. `vector` is the number of values in one element (.v2, .v4).
void parseInitializer(TokenStream& tokens, Variable& variable,
                      const std::vector<uint64_t>& dimensions, unsigned vector);

} // namespace gpusched::ptx
