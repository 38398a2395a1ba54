// CuptiProbe.cpp - the probe, step by step.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/counters/cupti/CuptiProbe.h"

#include "rt/counters/cupti/CuptiTable.h"
#include "rt/counters/cupti/ProfilerHost.h"

namespace gpusched {
namespace {

/// Names the first field that says no.
std::string unsupportedField(const CUpti_Profiler_DeviceSupported_Params& answer) {
  const std::pair<CUpti_Profiler_Support_Level, const char*> kFields[] = {
      {answer.architecture, "its architecture has no profiling interface of this CUPTI"},
      {answer.sli, "SLI is on"},
      {answer.vGpu, "it is a virtual GPU without profiling"},
      {answer.confidentialCompute, "confidential computing is on"},
      {answer.cmp, "it is a mining processor"},
      {answer.wsl, "WSL"},
  };
  for (const auto& [level, text] : kFields)
    if (level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED)
      return text;
  for (const auto& [level, text] : kFields)
    if (level == CUPTI_PROFILER_CONFIGURATION_DISABLED)
      return std::string(text) + " (disabled by the system)";
  return "CUPTI gives no reason";
}

Status deviceSupported(const Cupti& cupti, int ordinal) {
  GPUSCHED_CUPTI_PARAMETERS(CUpti_Profiler_DeviceSupported_Params, parameters);
  parameters.cuDevice = ordinal;
  parameters.api = CUPTI_PROFILER_RANGE_PROFILING;
  if (Status status = cupti.check(cupti.calls().cuptiProfilerDeviceSupported(&parameters),
                                  "is device " + std::to_string(ordinal) + " supported");
      !status)
    return status;
  if (parameters.isSupported == CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
    return {};
  return Status::error("CUPTI does not profile device " + std::to_string(ordinal) + ": " +
                       unsupportedField(parameters));
}

CUptiResult enableOnce(const Cupti& cupti, void* context) {
  GPUSCHED_CUPTI_PARAMETERS(CUpti_RangeProfiler_Enable_Params, enable);
  enable.ctx = static_cast<CUcontext>(context);
  CUptiResult result = cupti.calls().cuptiRangeProfilerEnable(&enable);
  if (result != CUPTI_SUCCESS)
    return result;
  GPUSCHED_CUPTI_PARAMETERS(CUpti_RangeProfiler_Disable_Params, disable);
  disable.pRangeProfilerObject = enable.pRangeProfilerObject;
  return cupti.calls().cuptiRangeProfilerDisable(&disable);
}

Status tryToEnable(const Cupti& cupti, const CudaDriver& driver, int ordinal,
                   CuptiObstacle& obstacle) {
  Result<void*> context = driver.retainContext(ordinal);
  if (!context)
    return context.status();
  CUptiResult result = enableOnce(cupti, *context);
  driver.releaseContext(ordinal);
  obstacle = Cupti::obstacle(result);
  return cupti.check(result, "enabling the range profiler");
}

} // namespace

Result<std::string> startProfiler(const Cupti& cupti, int ordinal, CuptiObstacle& obstacle) {
  GPUSCHED_CUPTI_PARAMETERS(CUpti_Profiler_Initialize_Params, start);
  CUptiResult result = cupti.calls().cuptiProfilerInitialize(&start);
  obstacle = Cupti::obstacle(result);
  if (Status status = cupti.check(result, "starting the profiler"); !status)
    return status;
  GPUSCHED_CUPTI_PARAMETERS(CUpti_Device_GetChipName_Params, name);
  name.deviceIndex = size_t(ordinal);
  result = cupti.calls().cuptiDeviceGetChipName(&name);
  obstacle = Cupti::obstacle(result);
  if (Status status = cupti.check(result, "the chip's name"); !status)
    return status;
  return std::string(name.pChipName);
}

CuptiProbe probeCupti(const Cupti& cupti, const CudaDriver& driver, int ordinal) {
  CuptiProbe probe;
  Result<std::string> chip = startProfiler(cupti, ordinal, probe.obstacle);
  if (!chip) {
    probe.counters = chip.status();
    return probe;
  }
  probe.chip = *chip;
  if (Result<ProfilerHost> host = ProfilerHost::open(cupti, *chip, ProfilerKind::Range); !host)
    probe.counters = host.status();
  else if (Status status = deviceSupported(cupti, ordinal); !status)
    probe.counters = status;
  if (!probe.counters.ok())
    probe.obstacle = CuptiObstacle::Unsupported;
  else
    probe.counters = tryToEnable(cupti, driver, ordinal, probe.obstacle);
  return probe;
}

} // namespace gpusched
