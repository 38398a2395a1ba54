// FakeCupti.cpp - a libcupti.so.13 that plays one chip, FAKE_CHIP (default GH100).
//
// fakeContext, fakeLaunch and fakeContextEnd are the program's side: they call back as CUPTI would.
// Kernel k runs from 10 to 20 us, 20 to 30 us, ..., and longer with a budget below 4; in
// FAKE_STREAMS each begins 2 us behind the one before and lasts twice as long, unless launches wait
// for each other. A sample is 1 us; range r has values 10 (r + 1) + i.
//
// Where NVIDIA's library corrupts the heap this one aborts: metrics looked up after the destructors
// of what it made at the first host object; a name of PC sampling freed twice or before the end.
#include "test/gpu/fakes/Script.h"

#include <cuda.h>

#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include <cstring>
#include <string>
#include <vector>

static const char* chip() {
  const char* given = std::getenv("FAKE_CHIP");
  return given ? given : "GH100";
}

static CUpti_CallbackFunc callback;
static CUpti_BuffersCallbackRequestFunc giveBuffer;
static CUpti_BuffersCallbackCompleteFunc takeBuffer;
static std::vector<CUpti_ActivityKernel10> kernels;
static size_t nextRecord, ranges, samplesLeft = 40, firstSample;

static const char kPcName[] = "_Z5scalePf";
static char* pcName;

static int number(const char* variable, int otherwise) {
  const char* given = std::getenv(variable);
  return given ? std::atoi(given) : otherwise;
}

static bool metricsGone;
struct Metrics {
  ~Metrics() { metricsGone = true; }
};
static void lookUpMetrics() {
  if (metricsGone)
    std::abort();
}

extern "C" {
void fakeContext() {
  CUpti_ResourceData data = {};
  data.context = reinterpret_cast<CUcontext>(0x10);
  callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &data);
}
void fakeContextEnd() {
  CUpti_ResourceData data = {};
  data.context = reinterpret_cast<CUcontext>(0x10);
  callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, &data);
}
void fakeLaunch(const char* symbol, unsigned grid, unsigned block, unsigned shared) {
  struct {
    void* function;
    unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
  } parameters = {nullptr, grid, 1, 1, block, 1, 1, shared};
  CUpti_CallbackData data = {};
  data.callbackSite = CUPTI_API_ENTER;
  data.context = reinterpret_cast<CUcontext>(0x10);
  data.symbolName = symbol;
  data.functionParams = &parameters;
  if (std::getenv("FAKE_LAUNCH_CALLBACKS"))
    callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &data);
  CUpti_ActivityKernel10 kernel = {};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = symbol;
  kernel.gridX = int(grid);
  kernel.blockX = int(block);
  kernel.gridY = kernel.gridZ = kernel.blockY = kernel.blockZ = 1;
  kernel.dynamicSharedMemory = int(shared);
  kernel.registersPerThread = uint16_t(number("FAKE_REGISTERS", 0));
  kernel.staticSharedMemory = number("FAKE_STATIC_SHARED", 0);
  const bool beside = std::getenv("FAKE_STREAMS") && !std::getenv("CUDA_LAUNCH_BLOCKING");
  kernel.start = kernels.empty() ? 10000
                 : beside        ? kernels.back().start + 2000
                                 : kernels.back().end;
  const int budget = number("GPUSCHED_BLOCKS_PER_SM", 4); // no faster beyond four blocks
  kernel.end = kernel.start + uint64_t(10000 * (budget < 4 ? 4 / budget : 1) * (beside ? 2 : 1));
  kernels.push_back(kernel);
  ++ranges;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc function, void*) {
  callback = function;
  *handle = nullptr;
  return CUptiResult(scripted("cuptiSubscribe"));
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc give,
                                           CUpti_BuffersCallbackCompleteFunc take) {
  giveBuffer = give;
  takeBuffer = take;
  return CUptiResult(scripted("cuptiActivityRegisterCallbacks"));
}
CUptiResult cuptiActivityFlushAll(uint32_t) {
  uint8_t* buffer = nullptr;
  size_t bytes = 0, records = 0;
  giveBuffer(&buffer, &bytes, &records);
  std::memcpy(buffer, kernels.data(), kernels.size() * sizeof kernels[0]);
  takeBuffer(nullptr, 0, buffer, bytes, kernels.size() * sizeof kernels[0]);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t, CUpti_Activity** record) {
  if (nextRecord == kernels.size())
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(buffer + sizeof kernels[0] * nextRecord++);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  *dropped = size_t(number("FAKE_DROPPED", 0));
  return CUPTI_SUCCESS;
}
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params*) {
  lookUpMetrics();
  return CUptiResult(scripted("cuptiProfilerHostConfigAddMetrics"));
}
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
  p->numOfPasses = size_t(number("FAKE_PASSES", 1));
  return CUptiResult(scripted("cuptiProfilerHostGetNumOfPasses"));
}
CUptiResult
cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
  lookUpMetrics();
  for (size_t i = 0; i < p->numMetrics; ++i)
    p->pMetricValues[i] = 10.0 * double(p->rangeIndex + firstSample + 1) + double(i);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* p) {
  fakeLaunch(nullptr, 1, 1, 0); // as if CUPTI had work of its own on the device
  kernels.pop_back();
  const bool refused = int(p->replayMode) == number("FAKE_NO_REPLAY", 0);
  return refused ? CUPTI_ERROR_INVALID_PARAMETER
                 : CUptiResult(scripted("cuptiRangeProfilerSetConfig"));
}
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
  ranges = 0;
  return CUptiResult(scripted("cuptiRangeProfilerStart"));
}
CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* p) {
  p->numTotalRanges = ranges - size_t(number("FAKE_LOST_RANGES", 0));
  return CUptiResult(scripted("cuptiRangeProfilerGetCounterDataInfo"));
}
CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params* p) {
  p->pPmSamplingObject = reinterpret_cast<CUpti_PmSampling_Object*>(0x40);
  return CUptiResult(scripted("cuptiPmSamplingEnable"));
}
CUptiResult cuptiPmSamplingGetCounterDataSize(CUpti_PmSampling_GetCounterDataSize_Params* p) {
  lookUpMetrics();
  p->counterDataSize = 64;
  return CUptiResult(scripted("cuptiPmSamplingGetCounterDataSize"));
}
CUptiResult cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params* p) {
  p->decodeStopReason = samplesLeft > 16 ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL
                                         : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
  p->overflow = uint8_t(number("FAKE_OVERFLOW", 0));
  return CUptiResult(scripted("cuptiPmSamplingDecodeData"));
}
CUptiResult cuptiPmSamplingGetCounterDataInfo(CUpti_PmSampling_GetCounterDataInfo_Params* p) {
  firstSample = 40 - samplesLeft;
  p->numCompletedSamples = samplesLeft > 16 ? 16 : samplesLeft;
  samplesLeft -= p->numCompletedSamples;
  return CUPTI_SUCCESS;
}
CUptiResult
cuptiPmSamplingCounterDataGetSampleInfo(CUpti_PmSampling_CounterData_GetSampleInfo_Params* p) {
  p->startTimestamp = 1000 * (firstSample + p->sampleIndex);
  p->endTimestamp = p->startTimestamp + 1000;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams* p) {
  *p->numStallReasons = 2;
  return CUptiResult(scripted("cuptiPCSamplingGetNumStallReasons"));
}
CUptiResult cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams* p) {
  for (unsigned i = 0; i < 2; ++i) {
    p->stallReasonIndex[i] = 7 + i;
    std::strcpy(p->stallReasons[i], i ? "smsp__pcsamp_warps_issue_stalled_selected"
                                      : "smsp__pcsamp_warps_issue_stalled_long_scoreboard");
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams* p) {
  p->pPCSamplingConfigurationInfo[1].attributeStatus = CUptiResult(number("FAKE_PERIOD", 0));
  return CUptiResult(scripted("cuptiPCSamplingSetConfigurationAttribute"));
}
/// Two rounds of two program counters each, all of the same function and sharing its name.
CUptiResult cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams* p) {
  static size_t left = 2;
  pcName = pcName ? pcName : strdup(kPcName);
  auto& data = *static_cast<CUpti_PCSamplingData*>(p->pcSamplingData);
  data.remainingNumPcs = --left;
  data.totalNumPcs = 2;
  data.pPcData[0].functionName = data.pPcData[1].functionName = pcName;
  data.pPcData[0].stallReasonCount = 2;
  data.pPcData[0].stallReason[0] = {7, left ? 30u : 0u};
  data.pPcData[0].stallReason[1] = {8, 5};
  return CUptiResult(scripted("cuptiPCSamplingGetData"));
}
CUptiResult cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams*) {
  if (pcName && std::strcmp(pcName, kPcName) != 0)
    std::abort();
  return CUptiResult(scripted("cuptiPCSamplingDisable"));
}

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
  static const Metrics kMetrics; // as the library that the real one loads here
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
