// Trace.cpp - traces to JSON and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Same rules as Profile.cpp: one function for both directions, fields in the order of Trace.h,
// JSON names equal to C++ names.
#include "rt/schema/Trace.h"

#include "rt/schema/Document.h"

namespace gpusched {
namespace {

constexpr DocumentKind kKind = {"trace", "gpusched-trace", kTraceVersion, kTraceVersion};

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
  json.map("claimBatch", launch.claimBatch);
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

constexpr auto kBody = [](auto& json, auto& file) { mapBody(json, file); };

} // namespace

std::string toJson(const TraceFile& file) {
  return documentText(kKind, file, kBody);
}

Result<TraceFile> traceFromJson(const std::string& text) {
  return documentFromText<TraceFile>(kKind, text, kBody);
}

Status writeTrace(const std::string& path, const TraceFile& file) {
  return writeTextFile(path, toJson(file));
}

Result<TraceFile> readTrace(const std::string& path) {
  return readDocument(kKind, path, traceFromJson);
}

} // namespace gpusched
