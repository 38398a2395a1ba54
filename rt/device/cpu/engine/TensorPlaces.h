// TensorPlaces.h - which elements of a matrix a lane's registers hold.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table for each kind of matrix in a module, made when an instruction first needs it; the
// rules are in TensorOp.h.
#pragma once

#include "rt/device/cpu/engine/Program.h"

namespace gpusched::cpu {

/// TensorFragment::places of `fragment`; lives as long as the module.
const uint16_t* tensorPlaces(LoadedModule& module, const TensorFragment& fragment,
                             TensorPlacement placement);

} // namespace gpusched::cpu
