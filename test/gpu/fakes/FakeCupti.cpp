// FakeCupti.cpp - a libcupti.so.13 that plays one chip, FAKE_CHIP (default GH100).
#include "test/gpu/fakes/Script.h"

#include <cuda.h>

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

static const char* chip() {
  const char* given = std::getenv("FAKE_CHIP");
  return given ? given : "GH100";
}

extern "C" {
CUptiResult cuptiGetVersion(uint32_t* version) {
  *version = CUPTI_API_VERSION;
  return CUptiResult(scripted("cuptiGetVersion"));
}
CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
          : result == CUPTI_ERROR_HARDWARE_BUSY         ? "CUPTI_ERROR_HARDWARE_BUSY"
                                                        : "CUPTI_ERROR";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params* p) {
  static const char* const kChips[] = {"GA100", "GH100"};
  p->numChips = 2;
  p->ppChipNames = kChips;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* p) {
  p->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(0x20);
  return CUptiResult(scripted("cuptiProfilerHostInitialize"));
}
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* p) {
  p->pChipName = chip();
  return CUptiResult(scripted("cuptiDeviceGetChipName"));
}
CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* p) {
  const bool virtualised = std::getenv("FAKE_VGPU") != nullptr;
  p->isSupported = virtualised ? CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED
                               : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  p->vGpu = p->isSupported;
  return CUptiResult(scripted("cuptiProfilerDeviceSupported"));
}
CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* p) {
  if (!p->ctx)
    std::abort(); // as the real one, which crashes
  p->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(0x30);
  return CUptiResult(scripted("cuptiRangeProfilerEnable"));
}
}
