// ModuleTwin.cuh - the type of the variables by which a module's twins are found.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../LaunchAbi.h"

#include <stddef.h>

namespace gpusched {

/// See gpusched_module_twin; `texts` are the three behind it.
template <size_t bytes> struct ModuleTwin {
  gpusched_module_twin words;
  char texts[bytes];
};

} // namespace gpusched
