// CubinMercury.h - the second cubin within a cubin, from sm_100 on.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Behind its sections such a cubin has a form of the code that can be finished for another GPU of
// the family: each section that tells of code or symbols once more, and a table of symbols, with
// the same names for strings. Seen with the names and types of the first ones, and beside those
// sections that it has in common with them, it is a cubin like that:
//
//   .text.F  .nv.info.F  .rela.text.F  .nv.constant3 ...      .symtab
//   .nv.capmerc.text.F  .nv.merc.nv.info.F  .nv.merc.rela.text.F  .nv.merc.nv.constant.user ...
//   .nv.merc.symtab
//
// Its order is the first ones' but that code is in front. The first word of a function's code is
// the index of the section .text.F.
#pragma once

#include "tools/gpusched-ptxas/Cubin.h"

#include <optional>

namespace gpusched::ptxas {

struct SplitCubin {
  Cubin first;
  std::optional<Cubin> mercury; ///< under the first one's names; without the bytes that they share
};

/// An error where joinMercury would not put them together as they are.
Result<SplitCubin> splitMercury(Cubin cubin);

/// The way back. An error where what both have differs.
Result<Cubin> joinMercury(Cubin first, const Cubin& mercury);

} // namespace gpusched::ptxas
