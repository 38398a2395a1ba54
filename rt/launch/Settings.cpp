// Settings.cpp - environment to Settings.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does not check that the policy exists: the policy table does, when the runtime makes it.
#include "rt/launch/Settings.h"

#include "rt/policy/Priorities.h"
#include "rt/sharing/Board.h"
#include "rt/sharing/Mps.h"
#include "rt/support/Environment.h"
#include "rt/support/Log.h"
#include "rt/support/ProgramName.h"

#include <algorithm>
#include <cstdlib>
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

std::optional<uint32_t> readBlocks(const std::string& text) {
  return parseNumber(text, UINT32_MAX);
}

std::optional<std::optional<SmMask>> readMask(const std::string& text) {
  const std::optional<std::vector<uint32_t>> sms = parseRanges(text, GPUSCHED_MAX_SMS - 1);
  if (!sms)
    return std::nullopt;
  SmMask mask = {};
  for (const uint32_t sm : *sms)
    mask[sm / 32] |= 1u << (sm % 32);
  return mask;
}

/// `like`: what it should look like. Nothing for anybody where it does not.
template <class Read>
auto readForKernels(const char* variable, const char* like, const Read& read) {
  const std::string text = environment(variable);
  auto values = readByKernel(text, read);
  if (!values && !text.empty())
    log(LogLevel::Warning, "%s=%s is not %s; ignored", variable, text.c_str(), like);
  return values.value_or(typename decltype(values)::value_type());
}

/// A folder that the user names is used as it is: where the device is shared otherwise, or a test.
std::string readShareFolder() {
  if (environment("GPUSCHED_SHARE") != "1")
    return Board::namedFolder();
  if (!mpsFolder().empty())
    return Board::defaultFolder();
  log(LogLevel::Warning,
      "no MPS daemon runs, so the GPU runs one process at a time: nothing is shared. Start it with "
      "`nvidia-cuda-mps-control -d`, or set CUDA_MPS_PIPE_DIRECTORY");
  return "";
}

/// The queues from the host to the GPU that this process has; more streams than that share them.
uint32_t connections() {
  constexpr uint32_t kCudasDefault = 8;
  const char* const given = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  return given && *given ? uint32_t(std::strtoul(given, nullptr, 10)) : kCudasDefault;
}

/// A stream of ours that waits for the end of a kernel holds back what the program gives to another
/// stream of that connection meanwhile.
bool mayRaiseOnDevice(const std::string& policy) {
  constexpr uint32_t kPlenty = 16;
  const uint32_t has = connections();
  if (has < kPlenty && !policy.empty() && policy != "1")
    log(LogLevel::Info,
        "%u connections to the GPU (CUDA_DEVICE_MAX_CONNECTIONS, which `gpusched run` sets to 32 "
        "where it is not set): a thread raises budgets, not the device itself",
        has);
  return has >= kPlenty;
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
  settings.attends = true;
  settings.policy = environment("GPUSCHED");
  if (settings.policy == "0")
    settings.policy.clear();
  settings.deviceRaises = mayRaiseOnDevice(settings.policy);
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
  settings.blocksPerSm =
      readForKernels("GPUSCHED_BLOCKS_PER_SM", "a number, or a list like 4;stencil=8", readBlocks);
  settings.sms =
      readForKernels("GPUSCHED_SMS", "a list like 0-3,7, or 0-3,7;stencil=8-15", readMask);
  settings.claimBatch = uint32_t(environmentNumber("GPUSCHED_CLAIM_BATCH", UINT32_MAX));
  settings.occupancyGuard = environmentNumber("GPUSCHED_OCCUPANCY_GUARD", 1) != 0;
  settings.deepQueue = uint32_t(environmentNumber("GPUSCHED_DEEP_QUEUE", UINT32_MAX));
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
  settings.priority = readOneOf<int32_t>(
      "GPUSCHED_PRIORITY", "normal, low or high",
      {{"normal", kNormalPriority}, {"low", kLowPriority}, {"high", kHighPriority}});
  settings.shareFolder = readShareFolder();
  settings.telemetryEvery = uint32_t(environmentNumber("GPUSCHED_TELEMETRY", UINT32_MAX));
  settings.telemetryTimed = environmentNumber("GPUSCHED_TELEMETRY_TIMES", 1) != 0;
  settings.telemetryPath = environment("GPUSCHED_TELEMETRY_OUTPUT");
  if (settings.telemetryPath.empty())
    settings.telemetryPath = profileHome() + "/measured/" + runningProgram() + "/telemetry.json";
  return settings;
}

} // namespace gpusched
