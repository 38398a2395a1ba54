// Touch.h - one lane's access to memory, as handlers describe it to the checkers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/cpu/engine/Access.h"

namespace gpusched::cpu {

struct Touch {
  const MicroOp* op = nullptr; // in either copy of the code
  unsigned lane = 0;
  uint64_t address = 0; // a host address, or an offset if `shared`
  uint64_t bytes = 0;
  bool shared = false;
  uint32_t alignment = 1; // the access is misaligned unless its address is a multiple
  const Access* how = nullptr;
};

/// What an instruction does to an mbarrier: mbarrier.init, mbarrier.inval, all others.
enum class MbarrierStep { Begins, Ends, Uses };

/// A load or a store without further properties, for handlers that have no Access.
const Access& plainAccess(bool writes);

} // namespace gpusched::cpu
