// Waits.h - which waits a kernel's PTX has: the truth about what its twin has to be told.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of an operator, a lambda, a library the source often says no more than that something there may
// wait. A body without primitives needs no words for lanes that have left (4352 bytes of shared
// memory, and registers), one without barriers none for threads; and without shared memory, too, no
// barrier behind it (Drain::Apart).
#pragma once

#include "tools/gpusched-cicc/Telling.h"
#include "tools/gpusched-ptxas/PtxEntries.h"

#include <map>
#include <string>
#include <string_view>

namespace gpusched::cicc {

/// All that a text and its callees hold, or may hold.
struct Waits {
  bool barriers = false;   ///< of the block
  bool questions = false;  ///< barriers that are asked something
  bool primitives = false; ///< of warps
  bool masked = false;     ///< with masks other than the whole warp
  bool shared = false;     ///< memory of the block; whatever reaches it says so, cvta too

  void add(const Waits& other);
  /// The least drain with which each of them knows that threads have left; but Apart.
  Drain drain() const;
  /// Can no warp tell where another one of its block is?
  bool leaveWarpsApart() const { return !barriers && !shared; }
};

class WaitCensus {
public:
  /// `functions`: those with a body, by their symbols. Keeps references to both.
  WaitCensus(const std::string& ptx, const std::map<std::string, ptxas::Entry>& functions)
      : ptx_(ptx), functions_(functions) {}

  /// With whatever the kernel calls; all of them where it calls through pointers or functions of
  /// other files.
  Waits of(const ptxas::Entry& kernel);

private:
  const Waits& inTextOf(const ptxas::Entry& function);

  const std::string& ptx_;
  const std::map<std::string, ptxas::Entry>& functions_;
  std::map<std::string, Waits> known_; ///< by symbol, without callees
};

} // namespace gpusched::cicc
