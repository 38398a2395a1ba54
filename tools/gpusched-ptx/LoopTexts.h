// LoopTexts.h - the PTX of single loops of Loops.cu.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tools/gpusched-cicc/Telling.h"

#include <set>
#include <string>

namespace gpusched::twins {

/// All that was compiled of Loops.cu.
const std::string& compiledLoops();

/// The function that holds the loop for such a body; "" for none. `name`: "gpusched_loop_w_0_n_p";
/// the names of those whose barriers are asked questions say themselves what they drain.
std::string symbolOfLoop(const std::string& name, cicc::Drain drain);

/// The declaration of a twin's first parameter, by that name.
std::string launchParameter(const std::string& name);

/// Prototypes and definitions of these functions, with all functions and shared variables that they
/// name, and of loops also those that drain less. In front of what uses them.
std::string textOf(const std::set<std::string>& loops);

} // namespace gpusched::twins
