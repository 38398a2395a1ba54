// IsaSelect.cpp - picks the instruction-set table for this processor.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPUSCHED_ISA=baseline in the environment asks for the lesser one, for tests and for
// comparing speeds; one that the processor lacks is never chosen.
#include "rt/device/cpu/engine/Isa.h"

#include <cstdlib>
#include <string_view>

namespace gpusched::cpu {

namespace baseline {
extern const Isa kTable;
}
namespace v3 {
extern const Isa kTable;
}

namespace {

const Isa& choose() {
  const char* asked = std::getenv("GPUSCHED_ISA");
  const std::string_view wanted = asked ? asked : "";
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v3") && wanted != "baseline")
    return v3::kTable;
  return baseline::kTable;
}

} // namespace

const Isa& hostIsa() {
  static const Isa& chosen = choose();
  return chosen;
}

} // namespace gpusched::cpu
