// PairHistory.cpp - pair histories to JSON and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Same rules as Profile.cpp: one function for both directions, JSON names equal to C++ names.
#include "rt/schema/PairHistory.h"

#include "rt/schema/JsonReader.h"
#include "rt/schema/JsonWriter.h"
#include "rt/schema/TextFile.h"

namespace gpusched {
namespace {

constexpr const char* kFormat = "gpusched-pairs";

void map(auto& json, Field<PairRecord> auto& pair) {
  json.map("first", pair.first);
  json.map("second", pair.second);
  json.map("ratio", pair.ratio);
  json.map("trials", pair.trials);
}

/// What follows the header.
void mapBody(auto& json, Field<PairHistoryFile> auto& file) {
  json.map("program", file.program);
  json.map("pairs", file.pairs, [](auto& inner, auto& pair) { map(inner, pair); });
}

} // namespace

std::string toJson(const PairHistoryFile& file) {
  JsonWriter json;
  json.map("format", kFormat);
  json.map("version", file.version);
  mapBody(json, file);
  return json.text();
}

Result<PairHistoryFile> pairHistoryFromJson(const std::string& text) {
  Result<nlohmann::json> value = parseJson(text);
  if (!value)
    return value.status();
  Status firstError;
  JsonReader in(*value, "", firstError);
  PairHistoryFile file;
  std::string format;
  in.map("format", format);
  in.map("version", file.version);
  if (format != kFormat || file.version != kPairHistoryVersion)
    return Status::error("expected format \"" + std::string(kFormat) + "\" version " +
                         std::to_string(kPairHistoryVersion) + ", got \"" + format + "\" version " +
                         std::to_string(file.version));
  mapBody(in, file);
  if (!firstError)
    return firstError;
  return file;
}

Status writePairHistory(const std::string& path, const PairHistoryFile& file) {
  return writeTextFile(path, toJson(file));
}

Result<PairHistoryFile> readPairHistory(const std::string& path) {
  Result<std::string> text = readTextFile(path);
  if (!text)
    return text.status();
  Result<PairHistoryFile> file = pairHistoryFromJson(*text);
  if (!file)
    return Status::error("pair history '" + path + "': " + file.message());
  return file;
}

} // namespace gpusched
