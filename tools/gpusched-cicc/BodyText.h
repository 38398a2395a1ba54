// BodyText.h - a body of PTX, word by word, in another function.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where threads may leave before barriers of others, each place from which the body is left gets
// what those do who are out (device/BlockDrain.cuh), then a branch to the end:
//
//   @%p1 bra $L__BB0_5;     @%p1 bra $gpusched_leave_0;
//   $L__BB0_5: ret;         $L__BB0_5: bra $gpusched_leave_1;
//                           $gpusched_leave_0: { drain }
//                           $gpusched_leave_1: { drain }
//
// One place for all would be where every way out of the body leads. There ptxas lets the lanes of a
// warp wait for one another (BSYNC), those who are out for those who wait at a barrier for them.
#pragma once

#include "tools/gpusched-cicc/Telling.h"

#include "rt/support/Result.h"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace gpusched::cicc {

/// What words of a body become.
struct Translation {
  std::string parameters;                   ///< "k_param_"
  std::string newParameters;                ///< "k__gs_param_"; "" = they stay
  std::map<std::string, std::string> names; ///< of functions
  std::string returnsTo;                    ///< a label; "" = returns stay
  Telling telling;
  const std::set<std::string>& shared; ///< the text's variables in shared memory
  size_t firstParameter = 1;           ///< what becomes of number 0
};

/// %ctaid.x is gpusched_ctaid_x in the result, and so on. An error is the word that cannot be.
Result<std::string> translate(std::string_view body, const Translation& translation);

/// Does a copy of the text for such bodies differ from it, but for the index of the block?
bool isTold(std::string_view text, const Telling& telling);

/// Does the text read the index of the block, or the size of the grid?
bool readsBlockIndex(std::string_view text);

/// "gpusched_ctaid_x, gpusched_ctaid_y, ...": the registers for that, all of 32 bits.
extern const char* const kLogicalRegisters[6];

/// Names of the variables that a text declares in shared memory.
std::set<std::string> sharedVariables(std::string_view ptx);

} // namespace gpusched::cicc
