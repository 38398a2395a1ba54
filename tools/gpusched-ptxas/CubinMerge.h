// CubinMerge.h - one cubin of two that ptxas made of parts of one PTX text.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tools/gpusched-ptxas/CubinParts.h"

#include <optional>
#include <string>
#include <vector>

namespace gpusched::ptxas {

/// A cubin, and the second one within it, from sm_100 on (CubinMercury.h).
struct AllParts {
  CubinParts first;
  std::optional<CubinParts> mercury;
};

/// What a cubin that ptxas wrote consists of; an error where anything of it is not understood.
Result<AllParts> partsOf(const std::string& bytes);

/// The cubin that ptxas makes of the whole text, of what it made of some of its entries and of the
/// others; all functions and variables are in both texts, and none of the functions has its address
/// taken (FunctionAddresses.h), which cannot be seen here. An error where the two do not fit.
/// REQUIRES: both are partsOf a cubin.
Result<std::string> mergedCubin(AllParts natives, AllParts twins,
                                const std::vector<std::string>& entriesInPtxOrder);

} // namespace gpusched::ptxas
