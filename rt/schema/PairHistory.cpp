// PairHistory.cpp - pair histories to JSON and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Same rules as Profile.cpp: one function for both directions, JSON names equal to C++ names.
#include "rt/schema/PairHistory.h"

#include "rt/schema/Document.h"

namespace gpusched {
namespace {

constexpr DocumentKind kKind = {"pair history", "gpusched-pairs", kPairHistoryVersion,
                                kPairHistoryVersion};

void map(auto& json, Field<PairRecord> auto& pair) {
  json.map("first", pair.first);
  json.map("second", pair.second);
  json.map("ratio", pair.budgeted.ratio);
  json.map("trials", pair.budgeted.trials);
  json.map("nativeRatio", pair.native.ratio);
  json.map("nativeTrials", pair.native.trials);
  json.map("held", pair.held);
}

/// What follows the header.
void mapBody(auto& json, Field<PairHistoryFile> auto& file) {
  json.map("program", file.program);
  json.map("pairs", file.pairs, [](auto& inner, auto& pair) { map(inner, pair); });
}

constexpr auto kBody = [](auto& json, auto& file) { mapBody(json, file); };

} // namespace

std::string toJson(const PairHistoryFile& file) {
  return documentText(kKind, file, kBody);
}

Result<PairHistoryFile> pairHistoryFromJson(const std::string& text) {
  return documentFromText<PairHistoryFile>(kKind, text, kBody);
}

Status writePairHistory(const std::string& path, const PairHistoryFile& file) {
  return writeTextFile(path, toJson(file));
}

Result<PairHistoryFile> readPairHistory(const std::string& path) {
  return readDocument(kKind, path, pairHistoryFromJson);
}

} // namespace gpusched
