// Access.h - what an instruction does to memory, as the checkers need to know it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decoder notes one for every micro-op of ld, st, atom and red; their lanes' addresses are in
// slot 7. Handlers that compute addresses in another way (matrices, copies, mbarriers) call the
// checker themselves. Nothing reads the notes unless a check is on.
#pragma once

#include "rt/device/cpu/engine/Isa.h"

namespace gpusched::cpu {

struct Access {
  uint32_t op = 0; // index into LoadedModule::code
  AddressKind address = AddressKind::Host;
  uint8_t bytes = 0; // of one lane
  bool reads = false, writes = false;
  bool atomic = false;     // atom, red
  bool strong = false;     // volatile, relaxed, acquire, release, atomic
  bool acquire = false;    // ld.acquire, atom.acq_rel
  bool release = false;    // st.release, atom.acq_rel
  bool blockScope = false; // .cta: strong among the threads of a block only
  bool local = false;      // names local memory
};

} // namespace gpusched::cpu
