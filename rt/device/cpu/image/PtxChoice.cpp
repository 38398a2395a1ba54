// PtxChoice - which PTX of a fat binary a device should run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the driver: PTX is forward compatible, so the newest that is not newer than the
// device wins, and at the same number the more specific one. Where the driver would give up
// (everything is newer) a software device can still try, and says so.
#include "rt/device/cpu/image/PtxChoice.h"

#include <tuple>

namespace gpusched::image {

namespace {

/// compute_90a runs on 9.0 only; compute_100f on every 10.x from 10.0 on.
bool suits(const FatBinaryEntry& entry, unsigned computeCapability) {
  if (entry.variant == 'a')
    return entry.sm == computeCapability;
  if (entry.variant == 'f')
    return entry.sm <= computeCapability && entry.sm / 10 == computeCapability / 10;
  return entry.sm <= computeCapability;
}

/// Orders by number, then from plain over family to architecture-specific.
std::tuple<unsigned, int> specificity(const FatBinaryEntry& entry) {
  return {entry.sm, entry.variant == 'a' ? 2 : entry.variant == 'f' ? 1 : 0};
}

} // namespace

std::optional<PtxChoice> choosePtx(const std::vector<FatBinaryEntry>& entries,
                                   unsigned computeCapability) {
  const FatBinaryEntry* best = nullptr;
  const FatBinaryEntry* lowest = nullptr;
  for (const FatBinaryEntry& entry : entries) {
    if (entry.kind != ImageKind::Ptx)
      continue;
    if (!lowest || specificity(entry) < specificity(*lowest))
      lowest = &entry;
    if (suits(entry, computeCapability) && (!best || specificity(*best) < specificity(entry)))
      best = &entry;
  }
  if (!lowest)
    return std::nullopt;
  PtxChoice choice;
  choice.index = std::size_t((best ? best : lowest) - entries.data());
  if (!best)
    choice.remark = "no PTX suits a device of compute capability " +
                    std::to_string(computeCapability / 10) + "." +
                    std::to_string(computeCapability % 10) + "; trying " + describe(*lowest) +
                    ". Compile with -gencode arch=compute_" + std::to_string(computeCapability) +
                    ",code=compute_" + std::to_string(computeCapability) + " to be sure";
  return choice;
}

std::string explainMissingPtx(const std::vector<FatBinaryEntry>& entries) {
  std::string found;
  for (const FatBinaryEntry& entry : entries)
    found += (found.empty() ? "" : ", ") + describe(entry);
  return "the program carries no PTX for this code, only " +
         (found.empty() ? std::string("an empty fat binary") : found) +
         ". The cpu device runs PTX: compile with -arch=compute_90, or add "
         "-gencode arch=compute_90,code=compute_90";
}

} // namespace gpusched::image
