// Readers.h - the functions of a PTX text that mean something else in a twin, and their copies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   .func f(...) { ... mov.u32 %r1, %ctaid.x; ... }
//
//   .shared .align 8 .b32 gpusched_logical[6];
//   .func f__gs(...) { .reg .b32 gpusched_ctaid_x, ...;
//                      ld.shared.b32 gpusched_ctaid_x, [gpusched_logical]; ...
//                      ... mov.u32 %r1, gpusched_ctaid_x; ... }
//
// A twin whose body calls such a function calls the copy. Each of its threads has written the six
// words before the body runs; all write the same, and none writes those of the next block before
// all are behind the worker's barrier. So the words need no barrier of their own. For twins that
// are told more there are other copies, f__gsd and so on, also of functions with such waits.
#pragma once

#include "tools/gpusched-cicc/Telling.h"
#include "tools/gpusched-ptxas/PtxEntries.h"

#include "rt/support/Result.h"

#include <map>
#include <set>
#include <string>

namespace gpusched::cicc {

using Functions = std::map<std::string, ptxas::Entry>;

class Readers {
public:
  /// `functions`: those of the text that have a body, by their names. `shared`: its variables in
  /// shared memory.
  Readers(const std::string& ptx, const Functions& functions, const std::set<std::string>& shared,
          Telling telling);

  const Telling& telling() const { return telling_; }

  /// Names of the copies by those of the functions; empty where no function reads the index.
  const std::map<std::string, std::string>& copies() const { return copies_; }

  /// Does the body call, or take the address of, a function that has a copy?
  bool areUsedBy(const ptxas::Entry& kernel) const;

  /// Do copies read the six words?
  bool readIndex() const { return readIndex_; }

  /// A callee of the body, or of what it calls, of which nobody can say whether it reads the index;
  /// "" for none.
  std::string unknownCallee(const ptxas::Entry& kernel) const;

  /// Prototypes: in front of all functions and kernels, behind logicalWords().
  std::string declarations() const;
  /// The copies: at the end of the text.
  Result<std::string> definitions() const;

private:
  bool isUnknown(const std::string& symbol) const;
  std::string headOfCopy(const std::string& symbol) const;
  std::string copyName(const std::string& symbol) const;
  void closeOverCallers();

  const std::string& ptx_;
  const Telling telling_;
  const std::set<std::string>& shared_;
  const Functions& functions_;
  std::map<std::string, std::string> copies_;
  bool readIndex_ = false;
};

/// The declaration of the words.
std::string logicalWords();

/// "st.shared.b32 [gpusched_logical], gpusched_ctaid_x; ...": in front of a body that uses them.
std::string storeLogical();

} // namespace gpusched::cicc
