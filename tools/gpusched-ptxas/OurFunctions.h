// OurFunctions.h - symbols of the functions that gpusched-cicc calls from twins' bodies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions are in device/SplicedLoop.cuh, BlockDrain.cuh and CountingDrain.cuh. Their symbols
// are Itanium's for them, so the two files change together; the tests of test/execute/spliced-*.cu
// fail where they do not.
#pragma once

#include <string_view>

namespace gpusched::ptxas {

/// In front of template arguments: are masks told that are not the whole warp, and where the words
/// about lanes are; or that alone.
inline constexpr std::string_view kMeet = "_ZN8gpusched11splicedMeetI";
inline constexpr std::string_view kMeetForBarrier = "_ZN8gpusched21splicedMeetForBarrierI";
inline constexpr std::string_view kLeave = "_ZN8gpusched12splicedLeaveI";
inline constexpr std::string_view kBarrier = "_ZN8gpusched10BlockDrain4meetEj";
inline constexpr std::string_view kAsk = "_ZN8gpusched13CountingDrain10countApartEj";
inline constexpr std::string_view kCount = "_ZN8gpusched12splicedCountEj";
/// In front of template arguments, which say where the notes are.
inline constexpr std::string_view kAdded = "_ZN8gpusched20splicedMbarrierAddedI";
inline constexpr std::string_view kEnded = "_ZN8gpusched20splicedMbarrierEndedI";

/// Is it one of these? They are small, and called by twins alone.
inline bool isOurs(std::string_view symbol) {
  for (const std::string_view name :
       {kMeet, kMeetForBarrier, kLeave, kBarrier, kAsk, kCount, kAdded, kEnded})
    if (symbol.starts_with(name))
      return true;
  return false;
}

} // namespace gpusched::ptxas
