// PairHistory.cpp - pair histories to JSON and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Same rules as Profile.cpp: one function per direction, JSON names equal to C++ names.
#include "rt/schema/PairHistory.h"

#include "rt/schema/JsonReader.h"
#include "rt/schema/TextFile.h"

namespace gpusched {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "gpusched-pairs";

void read(JsonReader& in, PairRecord& pair) {
  in.read("first", pair.first);
  in.read("second", pair.second);
  in.read("ratio", pair.ratio);
  in.read("trials", pair.trials);
}

} // namespace

std::string toJson(const PairHistoryFile& file) {
  Json object;
  object["format"] = kFormat;
  object["version"] = file.version;
  object["program"] = file.program;
  object["pairs"] = Json::array();
  for (const PairRecord& pair : file.pairs)
    object["pairs"].push_back({{"first", pair.first},
                               {"second", pair.second},
                               {"ratio", pair.ratio},
                               {"trials", pair.trials}});
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<PairHistoryFile> pairHistoryFromJson(const std::string& text) {
  Result<nlohmann::json> value = parseJson(text);
  if (!value)
    return value.status();
  Status firstError;
  JsonReader in(*value, "", firstError);
  PairHistoryFile file;
  std::string format;
  in.read("format", format);
  in.read("version", file.version);
  if (format != kFormat || file.version != kPairHistoryVersion)
    return Status::error("expected format \"" + std::string(kFormat) + "\" version " +
                         std::to_string(kPairHistoryVersion) + ", got \"" + format + "\" version " +
                         std::to_string(file.version));
  in.read("program", file.program);
  in.forEach("pairs", [&](JsonReader& element) { read(element, file.pairs.emplace_back()); });
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
