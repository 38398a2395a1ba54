// Settings.cpp - environment to Settings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does not check that the policy exists: the policy table does, when the runtime makes it.
#include "rt/launch/Settings.h"

#include "rt/profile/ProfileStore.h"
#include "rt/support/Environment.h"
#include "rt/support/Log.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace gpusched {
namespace {

/// What the variable's value stands for; the first where it is none of them. `list`: the values,
/// for people.
template <class Value>
Value readOneOf(const char* variable, const char* list,
                std::initializer_list<std::pair<const char*, Value>> values) {
  const std::string text = environment(variable);
  for (const auto& [name, value] : values)
    if (text == name)
      return value;
  log(LogLevel::Warning, "%s=%s is not %s; using %s", variable, text.c_str(), list,
      values.begin()->first);
  return values.begin()->second;
}

void readMask(Settings& settings) {
  std::string text = environment("GPUSCHED_SMS");
  if (text.empty())
    return;
  std::optional<std::vector<uint32_t>> sms = parseRanges(text, GPUSCHED_MAX_SMS - 1);
  if (!sms) {
    log(LogLevel::Warning, "GPUSCHED_SMS=%s is not a list like 0-3,7; using all SMs", text.c_str());
    return;
  }
  settings.smMask.fill(0);
  for (uint32_t sm : *sms)
    settings.smMask[sm / 32] |= 1u << (sm % 32);
  settings.masked = true;
}

} // namespace

SmMask fullSmMask() {
  SmMask mask;
  mask.fill(~0u);
  return mask;
}

uint32_t countSms(const SmMask& mask, uint32_t sms) {
  uint32_t count = 0;
  for (uint32_t sm = 0; sm < std::min<uint32_t>(sms, GPUSCHED_MAX_SMS); ++sm)
    count += mask[sm / 32] >> (sm % 32) & 1;
  return count;
}

Settings loadSettings() {
  Settings settings;
  settings.policy = environment("GPUSCHED");
  if (settings.policy == "0")
    settings.policy.clear();
  settings.parameters = environment("GPUSCHED_PARAMETERS");
  settings.variant = readOneOf<ForcedVariant>("GPUSCHED_VARIANT", "auto, native or persistent",
                                              {{"auto", ForcedVariant::None},
                                               {"native", ForcedVariant::Native},
                                               {"persistent", ForcedVariant::Persistent}});
  settings.fusing = readOneOf<Fusing>(
      "GPUSCHED_FUSE", "auto, never or always",
      {{"auto", Fusing::Auto}, {"never", Fusing::Never}, {"always", Fusing::Always}});
  settings.nativePairs =
      readOneOf<bool>("GPUSCHED_NATIVE_PAIRS", "auto or never", {{"auto", true}, {"never", false}});
  settings.blocksPerSm = uint32_t(environmentNumber("GPUSCHED_BLOCKS_PER_SM", UINT32_MAX));
  settings.claimBatch = uint32_t(environmentNumber("GPUSCHED_CLAIM_BATCH", UINT32_MAX));
  readMask(settings);
  settings.occupancyGuard = environmentNumber("GPUSCHED_OCCUPANCY_GUARD", 1) != 0;
  settings.spareLaunches = uint32_t(environmentNumber("GPUSCHED_PREEMPT", 64));
  settings.pauseEveryUs = environmentNumber("GPUSCHED_PAUSE_EVERY", 60'000'000);
  settings.tracePath = environment("GPUSCHED_TRACE");
  settings.traceTimed = environmentNumber("GPUSCHED_TRACE_TIMES", 1) != 0;
  settings.profilePath = environment("GPUSCHED_PROFILE");
  settings.pairsPath = environment("GPUSCHED_PAIRS");
  if (settings.pairsPath.empty())
    settings.pairsPath = profileHome() + "/pairs/" + runningProgram() + ".json";
  if (settings.pairsPath == "none")
    settings.pairsPath.clear();
  settings.telemetryEvery = uint32_t(environmentNumber("GPUSCHED_TELEMETRY", UINT32_MAX));
  settings.telemetryTimed = environmentNumber("GPUSCHED_TELEMETRY_TIMES", 1) != 0;
  settings.telemetryPath = environment("GPUSCHED_TELEMETRY_OUTPUT");
  if (settings.telemetryPath.empty())
    settings.telemetryPath = profileHome() + "/measured/" + runningProgram() + "/telemetry.json";
  return settings;
}

} // namespace gpusched
