// Splice.h - gives twins and pairs the PTX of their kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/support/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpusched::cicc {

/// Is there a loop without a body in the text?
bool hasShells(std::string_view ptx);

struct SplicedText {
  std::string ptx;
  std::vector<std::string>
      notes; ///< kernels for pairs of launches that stay without bodies, and why
};

/// `ptx` with the loop and the kernel's body in each twin that calls such a loop. The lines of an
/// error name twins that cannot have it, and why. With the bodies of two kernels in each kernel for
/// a pair of launches, see Pairs.h.
Result<SplicedText> spliceBodies(const std::string& ptx);

} // namespace gpusched::cicc
