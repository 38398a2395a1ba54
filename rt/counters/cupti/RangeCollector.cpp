// RangeCollector.cpp - exact counters of every kernel, in one pass.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Automatic ranges, one for each kernel, of a set that takes one pass: whatever the replay mode is
// called, nothing is saved, restored or run twice. CUPTI waits for each kernel before the next, so
// kernels are alone on the device; a program whose kernels wait for each other stands still, and
// `gpusched profile --timeout` ends it.
//
// A session holds kRanges kernels. Before the launch that would not fit, the session is stopped,
// decoded and started again. Which range is which kernel is known by order: beforeLaunch noted it.
#include "rt/counters/cupti/Collector.h"

#include "rt/counters/MetricTable.h"
#include "rt/counters/cupti/ProfilerHost.h"

#include <cmath>
#include <optional>
#include <utility>

namespace gpusched {
namespace {

constexpr size_t kRanges = 256;

class RangeCollector : public Collector {
public:
  RangeCollector(const Cupti& cupti, std::string chip, std::vector<std::string> counters)
      : cupti_(cupti), chip_(std::move(chip)), counters_(std::move(counters)) {}

  Status start(CUcontext context) override {
    if (Status status = readAvailability(context); !status)
      return status;
    Result<ProfilerHost> host =
        ProfilerHost::open(cupti_, chip_, ProfilerKind::Range, availability_);
    if (!host)
      return host.status();
    host_.emplace(std::move(*host));
    if (Status status = configure(); !status)
      return status;
    GPUSCHED_CUPTI_PARAMETERS(CUpti_RangeProfiler_Enable_Params, enable);
    enable.ctx = context;
    if (Status status =
            cupti_.check(calls().cuptiRangeProfilerEnable(&enable), "enabling the range profiler");
        !status)
      return status;
    profiler_ = enable.pRangeProfilerObject;
    return openSession();
  }

  Status beforeLaunch(const LaunchShape& shape) override {
    if (!profiler_)
      return {};
    if (pending_.size() == kRanges) {
      if (Status status = closeSession(); !status)
        return status;
      if (Status status = openSession(); !status)
        return status;
    }
    pending_.push_back(shape);
    return {};
  }

  Status finish(MeasurementFile& file, uint32_t blocksPerSm) override {
    Status status;
    if (profiler_) {
      status = closeSession();
      GPUSCHED_CUPTI_PARAMETERS(CUpti_RangeProfiler_Disable_Params, disable);
      disable.pRangeProfilerObject = profiler_;
      (void)calls().cuptiRangeProfilerDisable(&disable);
      profiler_ = nullptr;
    }
    file.dropped += dropped_;
    file.kernels = sums_.finish(blocksPerSm);
    return status;
  }

private:
  const CuptiTable& calls() const { return cupti_.calls(); }

  Status readAvailability(CUcontext context) {
    GPUSCHED_CUPTI_PARAMETERS(CUpti_Profiler_GetCounterAvailability_Params, get);
    get.ctx = context;
    for (int round = 0; round < 2; ++round) { // the size, then the image
      if (Status status = cupti_.check(calls().cuptiProfilerGetCounterAvailability(&get),
                                       "asking which counters are free");
          !status)
        return status;
      availability_.resize(get.counterAvailabilityImageSize);
      get.pCounterAvailabilityImage = availability_.data();
    }
    return {};
  }

  /// The plan was made offline; on the device a counter may be taken.
  Status configure() {
    Result<std::vector<uint8_t>> image = host_->configure(counters_);
    if (!image)
      return image.status();
    Result<size_t> passes = host_->passes(*image);
    if (!passes)
      return passes.status();
    if (*passes != 1)
      return Status::error("these counters take " + std::to_string(*passes) +
                           " passes on this device, 1 was planned; profile again when no other "
                           "profiler runs");
    image_ = std::move(*image);
    return {};
  }

  Status makeCounterData() {
    std::vector<const char*> names = pointers(counters_);
    GPUSCHED_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = kRanges;
    size.maxNumRangeTreeNodes = kRanges;
    if (Status status = cupti_.check(calls().cuptiRangeProfilerGetCounterDataSize(&size),
                                     "sizing the counter data");
        !status)
      return status;
    counterData_.assign(size.counterDataSize, 0);
    GPUSCHED_CUPTI_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, start);
    start.pRangeProfilerObject = profiler_;
    start.counterDataSize = counterData_.size();
    start.pCounterData = counterData_.data();
    return cupti_.check(calls().cuptiRangeProfilerCounterDataImageInitialize(&start),
                        "preparing the counter data");
  }

  Status openSession() {
    if (Status status = makeCounterData(); !status)
      return status;
    GPUSCHED_CUPTI_PARAMETERS(CUpti_RangeProfiler_SetConfig_Params, set);
    set.pRangeProfilerObject = profiler_;
    set.configSize = image_.size();
    set.pConfig = image_.data();
    set.counterDataImageSize = counterData_.size();
    set.pCounterDataImage = counterData_.data();
    set.range = CUPTI_AutoRange;
    set.maxRangesPerPass = kRanges;
    set.numNestingLevels = set.minNestingLevel = set.targetNestingLevel = 1;
    if (Status status = cupti_.check(setConfig(set), "configuring the counters"); !status)
      return status;
    GPUSCHED_CUPTI_PARAMETERS(CUpti_RangeProfiler_Start_Params, start);
    start.pRangeProfilerObject = profiler_;
    return cupti_.check(calls().cuptiRangeProfilerStart(&start), "starting the counters");
  }

  /// With one pass every replay mode means the same, none; not every CUPTI takes every one with
  /// automatic ranges.
  CUptiResult setConfig(CUpti_RangeProfiler_SetConfig_Params& set) {
    CUptiResult result = CUPTI_ERROR_UNKNOWN;
    for (CUpti_ProfilerReplayMode mode :
         {CUPTI_UserReplay, CUPTI_ApplicationReplay, CUPTI_KernelReplay}) {
      set.replayMode = mode;
      result = calls().cuptiRangeProfilerSetConfig(&set);
      if (result != CUPTI_ERROR_INVALID_PARAMETER && result != CUPTI_ERROR_NOT_SUPPORTED &&
          result != CUPTI_ERROR_INVALID_OPERATION)
        break;
    }
    return result;
  }

  Status closeSession() {
    GPUSCHED_CUPTI_PARAMETERS(CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = profiler_;
    if (Status status =
            cupti_.check(calls().cuptiRangeProfilerStop(&stop), "stopping the counters");
        !status)
      return status;
    GPUSCHED_CUPTI_PARAMETERS(CUpti_RangeProfiler_DecodeData_Params, decode);
    decode.pRangeProfilerObject = profiler_;
    if (Status status =
            cupti_.check(calls().cuptiRangeProfilerDecodeData(&decode), "decoding the counters");
        !status)
      return status;
    dropped_ += decode.numOfRangeDropped;
    return readRanges();
  }

  Status readRanges() {
    GPUSCHED_CUPTI_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = counterData_.data();
    info.counterDataImageSize = counterData_.size();
    if (Status status = cupti_.check(calls().cuptiRangeProfilerGetCounterDataInfo(&info),
                                     "counting the ranges");
        !status)
      return status;
    std::vector<LaunchShape> launches = std::exchange(pending_, {});
    // Fewer ranges than launches: which ones are missing is not known, so none can be named.
    if (info.numTotalRanges != launches.size())
      return Status::error(std::to_string(launches.size()) + " kernels were launched but " +
                           std::to_string(info.numTotalRanges) +
                           " ranges counted; graphs and launches from the device are not counted");
    for (size_t i = 0; i < launches.size(); ++i) {
      Result<std::vector<double>> values = host_->evaluate(counterData_, i, counters_);
      if (!values)
        return values.status();
      add(launches[i], *values);
    }
    return {};
  }

  void add(const LaunchShape& shape, const std::vector<double>& values) {
    double timeUs = -1;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i]))
        continue;
      std::string name = nameOfCounter(counters_[i]);
      sums_.value(shape, name.empty() ? counters_[i] : name, values[i]);
      if (name == "time_ns")
        timeUs = values[i] / 1000;
    }
    sums_.launch(shape, timeUs);
  }

  Cupti cupti_;
  std::string chip_;
  std::vector<std::string> counters_;
  std::vector<uint8_t> availability_, image_, counterData_; // must outlive the session
  std::optional<ProfilerHost> host_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  std::vector<LaunchShape> pending_; // launches of this session, in order
  KernelSums sums_;
  uint64_t dropped_ = 0;
};

} // namespace

std::unique_ptr<Collector> makeRangeCollector(const Cupti& cupti, std::string chip,
                                              std::vector<std::string> counters) {
  return std::make_unique<RangeCollector>(cupti, std::move(chip), std::move(counters));
}

} // namespace gpusched
