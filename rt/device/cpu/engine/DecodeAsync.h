// DecodeAsync.h - what the decoders of asynchronous copies share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/engine/Decoder.h"

namespace gpusched::cpu {

/// The whole address in one 64-bit slot; false if it cannot be.
bool wholeAddress(Decoder& decoder, const ptx::Operand& operand, ptx::Space space, uint32_t& slot);

/// cp.reduce's operation: how it changes an element, in `fields`; false if there is no such.
bool bulkReduction(Decoder& decoder, ptx::Type type, MicroOp& fields);

/// cp{.reduce}.async.bulk.tensor
bool decodeTensorCopy(Decoder& decoder);

/// tensormap.replace, tensormap.cp_fenceproxy
bool decodeTensorMap(Decoder& decoder);

} // namespace gpusched::cpu
