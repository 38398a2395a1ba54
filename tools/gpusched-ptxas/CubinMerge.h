// CubinMerge.h - one cubin of two that ptxas made of parts of one PTX text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tools/gpusched-ptxas/Cubin.h"

#include <string>
#include <vector>

namespace gpusched::ptxas {

/// Can it be merged, as far as it alone can tell?
bool isUnderstood(const Cubin& cubin);

/// What ptxas makes of the whole text, of what it made of some of its entries and of the others;
/// all functions and variables are in both texts, and none of the functions has its address taken
/// (FunctionAddresses.h), which cannot be seen here. An error where anything is not understood.
Result<Cubin> mergeCubins(const Cubin& natives, const Cubin& twins,
                          const std::vector<std::string>& entriesInPtxOrder);

} // namespace gpusched::ptxas
