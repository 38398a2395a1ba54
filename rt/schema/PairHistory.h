// PairHistory.h - measured throughput of kernels that ran at the same time, and its JSON.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written by the runtime when a program ends, read when it starts again. Format version 1. A pair
// is measured in two forms: as the policy started it, and with both kernels in their native form.
#pragma once

#include "rt/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpusched {

inline constexpr int kPairHistoryVersion = 1;

/// What running beside each other was worth.
struct PairOutcome {
  double ratio = 0; // work per time together / work per time one after the other, mean
  uint32_t trials = 0;
};

struct PairRecord {
  std::string first, second; // kernel names, in alphabetical order
  PairOutcome budgeted;      // one of them, or both, with a budget
  PairOutcome native;        // both without
  bool held = false;         // the policy lets one wait for the other, whatever their forms
  uint32_t apart = 0;        // launches kept apart for it since the last trial; not in the file
};

struct PairHistoryFile {
  int version = kPairHistoryVersion;
  std::string program;
  std::vector<PairRecord> pairs;
};

std::string toJson(const PairHistoryFile& file);
Result<PairHistoryFile> pairHistoryFromJson(const std::string& text);
/// Writes to a temporary file in the same folder, then renames.
Status writePairHistory(const std::string& path, const PairHistoryFile& file);
Result<PairHistoryFile> readPairHistory(const std::string& path);

} // namespace gpusched
