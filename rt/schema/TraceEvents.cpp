// TraceEvents.cpp - launches to events, streams to named threads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/schema/TraceEvents.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace gpusched {
namespace {

using Json = nlohmann::ordered_json;

Json eventOf(const TraceLaunch& launch, size_t thread) {
  return {{"name", launch.kernel},
          {"ph", "X"},
          {"pid", launch.device},
          {"tid", thread},
          {"ts", launch.startedUs},
          {"dur", launch.completedUs - launch.startedUs},
          {"args",
           {{"sequence", launch.sequence},
            {"variant", launch.variant},
            {"blocksPerSm", launch.blocksPerSm},
            {"workers", launch.workers},
            {"set", launch.set},
            {"after", launch.after},
            {"reason", launch.reason}}}};
}

Json nameOf(const char* what, uint32_t device, size_t thread, const std::string& name) {
  return {
      {"name", what}, {"ph", "M"}, {"pid", device}, {"tid", thread}, {"args", {{"name", name}}}};
}

} // namespace

std::string traceEvents(const TraceFile& trace) {
  std::map<std::pair<uint32_t, uint64_t>, size_t> threads; // numbered from 1
  std::set<uint32_t> devices;
  Json events = Json::array();
  for (const TraceLaunch& launch : trace.launches) {
    if (!hasTimes(launch))
      continue;
    if (devices.insert(launch.device).second)
      events.push_back(
          nameOf("process_name", launch.device, 0, "GPU " + std::to_string(launch.device)));
    const auto [thread, isNew] =
        threads.try_emplace({launch.device, launch.stream}, threads.size() + 1);
    if (isNew)
      events.push_back(nameOf("thread_name", launch.device, thread->second,
                              launch.stream ? "stream " + std::to_string(launch.stream)
                                            : std::string("default stream")));
    events.push_back(eventOf(launch, thread->second));
  }
  if (events.empty())
    return "";
  const Json file = {{"traceEvents", std::move(events)},
                     {"otherData", {{"program", trace.program}, {"policy", trace.policy}}}};
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace gpusched
