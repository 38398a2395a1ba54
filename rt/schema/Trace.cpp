// Trace.cpp - traces to JSON and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Same rules as Profile.cpp: one function for both directions, fields in the order of Trace.h,
// JSON names equal to C++ names.
#include "rt/schema/Trace.h"

#include "rt/schema/JsonReader.h"
#include "rt/schema/JsonWriter.h"
#include "rt/schema/TextFile.h"

namespace gpusched {
namespace {

constexpr const char* kFormat = "gpusched-trace";

void map(auto& json, Field<TraceLaunch> auto& launch) {
  json.map("sequence", launch.sequence);
  json.map("kernel", launch.kernel);
  json.map("device", launch.device);
  json.map("stream", launch.stream);
  json.map("gridX", launch.gridX);
  json.map("gridY", launch.gridY);
  json.map("gridZ", launch.gridZ);
  json.map("blockX", launch.blockX);
  json.map("blockY", launch.blockY);
  json.map("blockZ", launch.blockZ);
  json.map("dynamicSharedBytes", launch.dynamicSharedBytes);
  json.map("variant", launch.variant);
  json.map("blocksPerSm", launch.blocksPerSm);
  json.map("occupancyBlocksPerSm", launch.occupancyBlocksPerSm);
  json.map("workers", launch.workers);
  json.map("set", launch.set);
  json.map("after", launch.after);
  json.map("reason", launch.reason);
  json.map("pauses", launch.pauses);
  json.map("submittedUs", launch.submittedUs);
  json.map("startedUs", launch.startedUs);
  json.map("completedUs", launch.completedUs);
}

/// What follows the header.
void mapBody(auto& json, Field<TraceFile> auto& trace) {
  json.map("program", trace.program);
  json.map("policy", trace.policy);
  json.map("dropped", trace.dropped);
  json.map("launches", trace.launches, [](auto& inner, auto& launch) { map(inner, launch); });
}

} // namespace

std::string toJson(const TraceFile& trace) {
  JsonWriter json;
  json.map("format", kFormat);
  json.map("version", trace.version);
  mapBody(json, trace);
  return json.text();
}

Result<TraceFile> traceFromJson(const std::string& text) {
  Result<nlohmann::json> value = parseJson(text);
  if (!value)
    return value.status();
  Status firstError;
  JsonReader in(*value, "", firstError);
  if (!firstError)
    return firstError;
  TraceFile trace;
  std::string format;
  in.map("format", format);
  in.map("version", trace.version);
  if (format != kFormat)
    return Status::error("format: expected \"" + std::string(kFormat) + "\", got \"" + format +
                         "\"; is this a trace?");
  if (trace.version != kTraceVersion)
    return Status::error("version: this program reads version " + std::to_string(kTraceVersion) +
                         ", the file has " + std::to_string(trace.version));
  mapBody(in, trace);
  if (!firstError)
    return firstError;
  return trace;
}

Status writeTrace(const std::string& path, const TraceFile& trace) {
  return writeTextFile(path, toJson(trace));
}

Result<TraceFile> readTrace(const std::string& path) {
  Result<std::string> text = readTextFile(path);
  if (!text)
    return text.status();
  Result<TraceFile> trace = traceFromJson(*text);
  if (!trace)
    return Status::error("trace '" + path + "': " + trace.message());
  return trace;
}

} // namespace gpusched
