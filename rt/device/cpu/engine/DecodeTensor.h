// DecodeTensor.h - what the decoders of matrix instructions share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/engine/Decoder.h"

#include <vector>

namespace gpusched::cpu {

/// The elements that the instruction names, in order.
std::vector<TensorElement> tensorElements(const Decoder& decoder);

/// wgmma.*
bool decodeGroupMultiply(Decoder& decoder);

} // namespace gpusched::cpu
