// Fault.h - why a launch failed, as far as CUDA's error codes tell failures apart.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A header of its own because the instruction handlers, which are compiled once per instruction
// set, need it too. The message of the failure says the rest.
#pragma once

#include <cstdint>

namespace gpusched::cpu {

enum class Fault : uint8_t {
  None,
  IllegalAddress,    // not mapped, or outside the block's shared memory
  MisalignedAddress, // not a multiple of the access's size
  Other,             // a trap, a failed assert(), an unsupported instruction, a deadlock
};

} // namespace gpusched::cpu
