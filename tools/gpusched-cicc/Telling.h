// Telling.h - what a twin's body is told.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <tuple>

namespace gpusched::cicc {

/// Which waits of a body know that threads have left it. Apart: none, and its warps share nothing.
enum class Drain { Apart, Nothing, Barriers, Lanes, AnyLanes };

/// The number of each behind gpusched_body, and in the symbol of a loop.
inline char digitOf(Drain drain) {
  return static_cast<char>('0' + static_cast<int>(drain));
}

/// In the symbol of a loop, in front of its digit, which gpusched_body repeats.
inline constexpr std::string_view kDrain = "NS_5DrainE";

struct Telling {
  Drain drain = Drain::Nothing;
  bool counts = false; ///< barriers are asked questions: number of a Drain plus 3
  /// Where mbarriers are noted: the end of the symbols of functions for that; "" = nowhere.
  std::string notes;
  /// Where the words about lanes are, as symbols have it; "" = nowhere.
  std::string lanes;

  bool tellsLanes() const { return drain >= Drain::Lanes; }
  bool operator<(const Telling& other) const {
    return std::tie(drain, counts, notes, lanes) <
           std::tie(other.drain, other.counts, other.notes, other.lanes);
  }
};

/// What the text of a loop says about the body that goes into it: the number at `digit`, and the
/// functions that it names. Where warps are apart, that it drains nothing.
Telling tellingOf(std::string_view loop, size_t digit);

/// Of copies of functions for such bodies: "__gs", "__gsd", "__gslcb16", "__gsm16".
std::string suffixOf(const Telling& telling);

} // namespace gpusched::cicc
