// FunctionAddresses.h - whether a PTX text takes the address of a function.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace gpusched::ptxas {

/// Does the text only ever call its functions by name? ptxas reaches those whose address is taken
/// through tables that the whole text shares, and that are not there for one entry alone: merged
/// cubins would have other code than the whole text's, and nothing in them tells. What is neither
/// surely a call nor a declaration counts as an address.
bool callsByNameOnly(std::string_view ptx);

} // namespace gpusched::ptxas
