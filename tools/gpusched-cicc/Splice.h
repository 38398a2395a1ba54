// Splice.h - gives twins the PTX of their kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/support/Result.h"

#include <string>

namespace gpusched::cicc {

/// Is there a twin without a body in the text?
bool hasShells(const std::string& ptx);

/// `ptx` with the kernel's body in each twin that has none. An error names a twin that cannot have
/// it, and why.
Result<std::string> spliceBodies(const std::string& ptx);

} // namespace gpusched::cicc
