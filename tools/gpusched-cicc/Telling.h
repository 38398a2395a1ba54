// Telling.h - what a twin's body is told, and the functions that tell it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions are in device/SplicedLoop.cuh. Their symbols are Itanium's for them, so the two
// files change together; the tests of test/execute/spliced-*.cu fail where they do not.
#pragma once

#include <string>
#include <string_view>
#include <tuple>

namespace gpusched::cicc {

/// Which waits of a body know that threads have left it: the numbers behind gpusched_body.
enum class Drain { Nothing, Barriers, Lanes, AnyLanes };

struct Telling {
  Drain drain = Drain::Nothing;
  bool counts = false;      ///< barriers are asked questions: number of a Drain plus 3
  std::string added, ended; ///< functions for addresses of mbarriers; "" = nobody keeps them

  bool tellsLanes() const { return drain >= Drain::Lanes; }
  const char* meeting() const {
    return drain == Drain::AnyLanes ? "_ZN8gpusched11splicedMeetILb1EEEjj"
                                    : "_ZN8gpusched11splicedMeetILb0EEEjj";
  }
  bool operator<(const Telling& other) const {
    return std::tie(drain, counts, added) < std::tie(other.drain, other.counts, other.added);
  }
};

inline constexpr const char* kMeetForBarrier = "_ZN8gpusched21splicedMeetForBarrierEv";
inline constexpr const char* kCount = "_ZN8gpusched12splicedCountEj";
/// In front of template arguments, which say where the notes are.
inline constexpr std::string_view kAdded = "_ZN8gpusched20splicedMbarrierAddedI";
inline constexpr std::string_view kEnded = "_ZN8gpusched20splicedMbarrierEndedI";

/// What the text of a loop says about the body that goes into it: the number at `digit`, and the
/// functions that it names.
Telling tellingOf(std::string_view loop, size_t digit);

/// Of copies of functions for such bodies: "__gs", "__gsd", "__gslcb16".
std::string suffixOf(const Telling& telling);

} // namespace gpusched::cicc
