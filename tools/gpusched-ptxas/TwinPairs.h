// TwinPairs.h - which kernel a twin of a PTX text belongs to.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tools/gpusched-ptxas/PtxEntries.h"

#include <map>
#include <string>
#include <vector>

namespace gpusched::ptxas {

/// Symbols of native kernels by those of their twins, as far as both are in the text.
std::map<std::string, std::string> nativesOfTwins(const std::string& ptx,
                                                  const std::vector<Entry>& entries);

} // namespace gpusched::ptxas
