// Trace.cpp - traces to JSON and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Same rules as Profile.cpp: one function per direction, fields in the order of Trace.h, JSON
// names equal to C++ names.
#include "rt/schema/Trace.h"

#include "rt/schema/JsonReader.h"
#include "rt/schema/TextFile.h"

namespace gpusched {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "gpusched-trace";

Json write(const TraceLaunch& launch) {
  Json object;
  object["sequence"] = launch.sequence;
  object["kernel"] = launch.kernel;
  object["device"] = launch.device;
  object["stream"] = launch.stream;
  object["gridX"] = launch.gridX;
  object["gridY"] = launch.gridY;
  object["gridZ"] = launch.gridZ;
  object["blockX"] = launch.blockX;
  object["blockY"] = launch.blockY;
  object["blockZ"] = launch.blockZ;
  object["dynamicSharedBytes"] = launch.dynamicSharedBytes;
  object["variant"] = launch.variant;
  object["blocksPerSm"] = launch.blocksPerSm;
  object["occupancyBlocksPerSm"] = launch.occupancyBlocksPerSm;
  object["workers"] = launch.workers;
  object["set"] = launch.set;
  object["after"] = launch.after;
  object["reason"] = launch.reason;
  object["pauses"] = launch.pauses;
  object["submittedUs"] = launch.submittedUs;
  object["startedUs"] = launch.startedUs;
  object["completedUs"] = launch.completedUs;
  return object;
}

void read(JsonReader& in, TraceLaunch& launch) {
  std::vector<double> after;
  in.read("sequence", launch.sequence);
  in.read("kernel", launch.kernel);
  in.read("device", launch.device);
  in.read("stream", launch.stream);
  in.read("gridX", launch.gridX);
  in.read("gridY", launch.gridY);
  in.read("gridZ", launch.gridZ);
  in.read("blockX", launch.blockX);
  in.read("blockY", launch.blockY);
  in.read("blockZ", launch.blockZ);
  in.read("dynamicSharedBytes", launch.dynamicSharedBytes);
  in.read("variant", launch.variant);
  in.read("blocksPerSm", launch.blocksPerSm);
  in.read("occupancyBlocksPerSm", launch.occupancyBlocksPerSm);
  in.read("workers", launch.workers);
  in.read("set", launch.set);
  in.read("after", after);
  in.read("reason", launch.reason);
  in.read("pauses", launch.pauses);
  in.read("submittedUs", launch.submittedUs);
  in.read("startedUs", launch.startedUs);
  in.read("completedUs", launch.completedUs);
  launch.after.assign(after.begin(), after.end());
}

} // namespace

std::string toJson(const TraceFile& trace) {
  Json object;
  object["format"] = kFormat;
  object["version"] = trace.version;
  object["program"] = trace.program;
  object["policy"] = trace.policy;
  object["dropped"] = trace.dropped;
  object["launches"] = Json::array();
  for (const TraceLaunch& launch : trace.launches)
    object["launches"].push_back(write(launch));
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
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
  in.read("format", format);
  in.read("version", trace.version);
  if (format != kFormat)
    return Status::error("format: expected \"" + std::string(kFormat) + "\", got \"" + format +
                         "\"; is this a trace?");
  if (trace.version != kTraceVersion)
    return Status::error("version: this program reads version " + std::to_string(kTraceVersion) +
                         ", the file has " + std::to_string(trace.version));
  in.read("program", trace.program);
  in.read("policy", trace.policy);
  in.read("dropped", trace.dropped);
  in.forEach("launches",
             [&](JsonReader& element) { read(element, trace.launches.emplace_back()); });
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
