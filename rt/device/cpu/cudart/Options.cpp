// Options.cpp - what `gpusched run` asked of the cpu device, from the environment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/Options.h"

#include "rt/device/cpu/cudart/CurrentDevice.h"
#include "rt/support/Environment.h"
#include "rt/support/Log.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace gpusched::cudart {

static constexpr uint64_t kMostWorkers = 1024, kMostSeconds = 1000000;
static constexpr std::string_view kOrderPrefix = "order:";

/// "memory,race"
static cpu::CheckModes checksFrom(const std::string& text) {
  cpu::CheckModes checks;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    const std::string name = text.substr(start, end - start);
    start = end + 1;
    if (name == "memory")
      checks.memory = true;
    else if (name == "race")
      checks.race = true;
    else
      log(LogLevel::Warning, "GPUSCHED_CHECK: '%s' is neither memory nor race; ignored",
          name.c_str());
  }
  return checks;
}

/// "COUNT" or "COUNT:DEPTH", each at least 1.
static ConnectionLimits connectionsFrom(const std::string& text) {
  ConnectionLimits limits;
  if (text.empty())
    return limits;
  const size_t colon = text.find(':');
  const std::optional<uint64_t> count = parseNumber(text.substr(0, colon), UINT16_MAX);
  const std::optional<uint64_t> depth =
      colon == std::string::npos ? limits.depth : parseNumber(text.substr(colon + 1), UINT32_MAX);
  if (count.value_or(0) == 0 || depth.value_or(0) == 0) {
    log(LogLevel::Warning,
        "GPUSCHED_CONNECTIONS: '%s' is neither COUNT nor COUNT:DEPTH, each at least 1; ignored",
        text.c_str());
    return limits;
  }
  return {uint32_t(*count), uint32_t(*depth)};
}

Options optionsFromEnvironment() {
  Options options;
  options.gpu = environment("GPUSCHED_GPU");
  const std::string schedule = environment("GPUSCHED_SCHEDULE");
  if (schedule.starts_with(kOrderPrefix))
    options.blockOrder = std::strtoull(schedule.c_str() + kOrderPrefix.size(), nullptr, 10);
  else
    options.seed = environmentNumber("GPUSCHED_SCHEDULE");
  options.ordersFile = environment("GPUSCHED_SCHEDULE_ORDERS");
  options.hangSeconds = unsigned(environmentNumber("GPUSCHED_HANG", kMostSeconds));
  options.workers = unsigned(environmentNumber("GPUSCHED_WORKERS", kMostWorkers));
  options.devices = std::max(1, int(environmentNumber("GPUSCHED_DEVICE_COUNT", kMostDevices)));
  options.connections = connectionsFrom(environment("GPUSCHED_CONNECTIONS"));
  options.memoryFill = uint8_t(environmentNumber("GPUSCHED_FILL", UINT8_MAX));
  options.strict = environmentNumber("GPUSCHED_STRICT", 1) != 0;
  options.countersFile = environment("GPUSCHED_COUNTERS");
  options.checks = checksFrom(environment("GPUSCHED_CHECK"));
  options.checkFile = environment("GPUSCHED_CHECK_REPORT");
  return options;
}

} // namespace gpusched::cudart
