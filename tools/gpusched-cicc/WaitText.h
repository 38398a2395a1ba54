// WaitText.h - waits of PTX that know who has left the body.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   bar.sync 0;                               bar.red.or.pred p, 0, true;
//     where barriers are asked questions      call splicedCount, true;
//   bar.red.or.pred p, 0, q;                  call splicedCount, q; setp.ne p, <count>, 0;
//     where lanes leave warps                 call splicedMeetForBarrier in front of either
//   shfl.sync.down.b32 ..., mask;             call splicedMeet, mask; shfl... <who is inside>;
//   mbarrier.init.shared.b64 [a], n;          call splicedMbarrierAdded, a; mbarrier.init...;
//
// Each is a scope of its own with names of ours, on the line of the original.
#pragma once

#include "tools/gpusched-cicc/Telling.h"

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace gpusched::cicc {

/// One that waits, or begins or ends an mbarrier.
struct Wait {
  std::string_view word; ///< "shfl"
  std::string_view rest; ///< ".sync.down.b32 %r2|%p1, %r1, 8, 31, -1"
};

struct Waits;

/// What kind of wait the instruction is, if it is one. `rest` ends with the instruction,
/// `wholeWarps` are registers that are all ones.
Waits waitsOf(const Wait& wait, const std::set<std::string_view>& wholeWarps);

/// Has such an instruction another text there? By its first words alone.
bool isTold(const Wait& wait, const Telling& telling);

/// Does it only note something, so that it may stand behind a branch that lanes take apart?
bool waitsForNobody(const Wait& wait);

/// Its text, with the semicolon; none where nobody can tell it. `shared`: the names of variables in
/// shared memory. REQUIRES: isTold, and no predicate.
std::optional<std::string> tell(const Wait& wait, const Telling& telling,
                                const std::set<std::string>& shared);

/// What a thread waits for that has left the body, until nobody is inside, at a label of its own.
/// REQUIRES: registers gpusched_said, which is 0, gpusched_any and gpusched_some.
std::string drainText(const Telling& telling, const std::string& label);

} // namespace gpusched::cicc
