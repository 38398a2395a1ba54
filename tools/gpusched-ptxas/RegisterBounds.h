// RegisterBounds.h - which persistent twins are to get along with fewer registers, and how many.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptxas spends registers where it thinks they are free: with a loop around a kernel it takes four
// to twelve more, and most of them it does not need. The hardware gives registers out in steps of
// eight a thread, so a twin that is held to its native kernel's step loses no resident block. Pure
// functions over PTX text and ptxas's report.
#pragma once

#include "tools/gpusched-cc/PtxasReport.h"
#include "tools/gpusched-ptxas/PtxEntries.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpusched::ptxas {

/// What a twin is held to.
struct Pair {
  std::string native;         ///< symbol of its kernel
  uint32_t mostRegisters = 0; ///< that its launch bounds leave a thread anyway
};

/// What ptxas makes of a function that several kernels call: code for each, which keeps to that
/// kernel's limit, or code for all, which the linker refuses where it needs more than a caller may
/// have.
enum class Linkage { Whole, Relocatable };

/// Twins that may be given a limit, by symbol. Without those that have a limit of their own, or set
/// one as they run; and in relocatable code those that call functions, which may be the native
/// kernel's too.
using Pairs = std::map<std::string, Pair>;
Pairs boundablePairs(const std::string& ptx, const std::vector<Entry>& entries, Linkage linkage);

/// A twin's symbol and the most registers that a thread of it may have.
using Bounds = std::map<std::string, uint32_t>;

/// The native kernels' steps, among many twins one more where as many warps are resident with it,
/// and for large kernels all such; but for those that may take all that they can get. `report` has
/// the native kernels.
Bounds boundsFor(const Pairs& pairs, const std::vector<cc::PtxasFunction>& report);

/// Whether to compile all before the natives' registers are known: a twin that is large takes its
/// kernel's step of itself more often than not, and its kernel would be compiled twice.
bool areFewAndLarge(const Pairs& pairs, const std::string& ptx);

/// Whether `report`, of a run without limits, has no twin above its own.
bool areKept(const Bounds& bounds, const std::vector<cc::PtxasFunction>& report);

/// `bounds` with one register less for the twins in `some`.
Bounds lowered(Bounds bounds, const Bounds& some);
/// `bounds`, for the twins in `some` those of `others`.
Bounds withSome(Bounds bounds, const Bounds& some, const Bounds& others);

/// The bounds above the least one of twins that have a few words more in memory than their kernels;
/// `report` is of a run with `bounds`, `natives` has the kernels.
Bounds spillingTwins(const Bounds& bounds, const Pairs& pairs,
                     const std::vector<cc::PtxasFunction>& natives,
                     const std::vector<cc::PtxasFunction>& report);

/// Does ptxas take so long that few kernels are not worth another run?
bool isLong(const std::string& ptx);

/// `ptx` with .maxnreg at these kernels, on lines that are there.
std::string withBounds(const std::string& ptx, const std::vector<Entry>& entries,
                       const Bounds& bounds);

/// `bounds` with none below what ptxas asks for, where it ended because an instruction needs more
/// than a limit; unchanged where it ended for another reason.
Bounds raisedBounds(const Bounds& bounds, const std::string& errors);

/// `bounds` after a run with them. One stays when it costs little, else it goes up by what went to
/// the stack, or away when that is all they can get.
Bounds reviewedBounds(const Bounds& bounds, const Pairs& pairs,
                      const std::vector<cc::PtxasFunction>& report);

/// Whether all is to be compiled again for the sake of those that `next` gives more than `bounds`:
/// not for small ones among many, unless one has more on its stack than half of its registers hold.
/// `report` is of the run with `bounds`.
bool isWorthARun(const Bounds& bounds, const Bounds& next, const Pairs& pairs,
                 const std::vector<cc::PtxasFunction>& report, const std::string& ptx,
                 const std::vector<Entry>& entries);

} // namespace gpusched::ptxas
