// PmCollector.cpp - counters sampled over time, laid over the kernels that ran.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hardware samples the whole device at a fixed interval into a buffer; a thread of ours decodes
// it while the program runs. Kernel records (same clock) say afterwards which kernel a sample
// belongs to: a sample whose middle lies in exactly one kernel's life falls into the bin of that
// kernel's progress; one that lies in several, or in none, is left out. The first sample is wrong
// by design and dropped. Every process on the device is in the samples.
//
// Threads: start and finish are the program's; everything between is the decoding thread's.
#include "rt/counters/cupti/Collector.h"

#include "rt/counters/cupti/ProfilerHost.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>

namespace gpusched {
namespace {

constexpr size_t kHardwareBufferBytes = size_t(128) << 20;
constexpr uint32_t kSamplesAtOnce = 2048;
constexpr auto kDecodeEvery = std::chrono::milliseconds(10);
constexpr size_t kMaxSamples = 2'000'000;

struct Sample {
  uint64_t middleNs = 0;
  std::vector<double> values;
};

/// Turing and GA100 count the interval in cycles of the system clock, not in time.
bool countsCycles(const std::string& chip) {
  return chip.rfind("TU", 0) == 0 || chip == "GA100";
}

class PmCollector : public Collector {
public:
  PmCollector(const Cupti& cupti, std::string chip, const MeasureRequest& request)
      : cupti_(cupti), chip_(std::move(chip)), counters_(request.counters),
        intervalNs_(request.intervalNs) {}
  ~PmCollector() override { stopThread(); }

  Status start(CUcontext) override {
    if (Status status = startKernelRecords(cupti_); !status)
      return status;
    if (Status status = configure(); !status)
      return status;
    if (Status status = enable(); !status)
      return status;
    if (Status status = freshCounterData(); !status)
      return status;
    GPUSCHED_CUPTI_PARAMETERS(CUpti_PmSampling_Start_Params, begin);
    begin.pPmSamplingObject = sampler_;
    if (Status status = cupti_.check(calls().cuptiPmSamplingStart(&begin), "starting to sample");
        !status)
      return status;
    thread_ = std::thread([this] { decodeUntilStopped(); });
    return {};
  }

  Status finish(MeasurementFile& file, uint32_t blocksPerSm) override {
    if (sampler_) {
      GPUSCHED_CUPTI_PARAMETERS(CUpti_PmSampling_Stop_Params, stop);
      stop.pPmSamplingObject = sampler_;
      (void)calls().cuptiPmSamplingStop(&stop);
      stopThread();
      GPUSCHED_CUPTI_PARAMETERS(CUpti_PmSampling_Disable_Params, disable);
      disable.pPmSamplingObject = sampler_;
      (void)calls().cuptiPmSamplingDisable(&disable);
      sampler_ = nullptr;
    }
    std::vector<KernelSpan> spans = takeKernelRecords(cupti_, file.dropped);
    file.dropped += dropped_;
    file.kernels = layOver(spans).finish(blocksPerSm);
    if (overflowed_)
      return Status::error("the sample buffer overflowed; use a longer --interval");
    return problem_;
  }

private:
  const CuptiTable& calls() const { return cupti_.calls(); }

  Status configure() {
    GPUSCHED_CUPTI_PARAMETERS(CUpti_PmSampling_GetCounterAvailability_Params, get);
    for (int round = 0; round < 2; ++round) {
      if (Status status = cupti_.check(calls().cuptiPmSamplingGetCounterAvailability(&get),
                                       "asking which counters are free");
          !status)
        return status;
      availability_.resize(get.counterAvailabilityImageSize);
      get.pCounterAvailabilityImage = availability_.data();
    }
    Result<ProfilerHost> host =
        ProfilerHost::open(cupti_, chip_, ProfilerKind::PmSampling, availability_);
    if (!host)
      return host.status();
    host_.emplace(std::move(*host));
    Result<std::vector<uint8_t>> image = host_->configure(counters_);
    Result<size_t> passes = image ? host_->passes(*image) : image.status();
    if (!passes)
      return passes.status();
    if (*passes != 1)
      return Status::error("these counters cannot be sampled together on this device (" +
                           std::to_string(*passes) + " passes)");
    image_ = std::move(*image);
    return {};
  }

  Status enable() {
    GPUSCHED_CUPTI_PARAMETERS(CUpti_PmSampling_Enable_Params, on);
    if (Status status = cupti_.check(calls().cuptiPmSamplingEnable(&on), "enabling PM sampling");
        !status)
      return status;
    sampler_ = on.pPmSamplingObject;
    GPUSCHED_CUPTI_PARAMETERS(CUpti_PmSampling_SetConfig_Params, set);
    set.pPmSamplingObject = sampler_;
    set.configSize = image_.size();
    set.pConfig = image_.data(); // CUPTI keeps the pointer
    set.hardwareBufferSize = kHardwareBufferBytes;
    // About 1.5 GHz: the exact rate does not matter, samples carry their times.
    set.samplingInterval = countsCycles(chip_) ? intervalNs_ * 3 / 2 : intervalNs_;
    set.triggerMode = countsCycles(chip_) ? CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL
                                          : CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
    set.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
    return cupti_.check(calls().cuptiPmSamplingSetConfig(&set), "configuring PM sampling");
  }

  Status freshCounterData() {
    std::vector<const char*> names = pointers(counters_);
    GPUSCHED_CUPTI_PARAMETERS(CUpti_PmSampling_GetCounterDataSize_Params, size);
    size.pPmSamplingObject = sampler_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxSamples = kSamplesAtOnce;
    if (Status status = cupti_.check(calls().cuptiPmSamplingGetCounterDataSize(&size),
                                     "sizing the sample data");
        !status)
      return status;
    counterData_.assign(size.counterDataSize, 0);
    GPUSCHED_CUPTI_PARAMETERS(CUpti_PmSampling_CounterDataImage_Initialize_Params, init);
    init.pPmSamplingObject = sampler_;
    init.counterDataSize = counterData_.size();
    init.pCounterData = counterData_.data();
    return cupti_.check(calls().cuptiPmSamplingCounterDataImageInitialize(&init),
                        "preparing the sample data");
  }

  void decodeUntilStopped() {
    while (!stopping_.load()) {
      std::this_thread::sleep_for(kDecodeEvery);
      decodeAll();
    }
    decodeAll(); // what came in between the last look and the stop
  }

  void decodeAll() {
    for (bool more = true; more && problem_.ok();) {
      GPUSCHED_CUPTI_PARAMETERS(CUpti_PmSampling_DecodeData_Params, decode);
      decode.pPmSamplingObject = sampler_;
      decode.pCounterDataImage = counterData_.data();
      decode.counterDataImageSize = counterData_.size();
      problem_ = cupti_.check(calls().cuptiPmSamplingDecodeData(&decode), "decoding samples");
      if (!problem_.ok())
        return;
      overflowed_ = overflowed_ || decode.overflow;
      more = decode.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
      readSamples();
      if (problem_.ok())
        problem_ = freshCounterData();
    }
  }

  void readSamples() {
    GPUSCHED_CUPTI_PARAMETERS(CUpti_PmSampling_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = counterData_.data();
    info.counterDataImageSize = counterData_.size();
    problem_ = cupti_.check(calls().cuptiPmSamplingGetCounterDataInfo(&info), "counting samples");
    for (size_t i = 0; problem_.ok() && i < info.numCompletedSamples; ++i)
      readSample(i);
  }

  void readSample(size_t index) {
    GPUSCHED_CUPTI_PARAMETERS(CUpti_PmSampling_CounterData_GetSampleInfo_Params, info);
    info.pPmSamplingObject = sampler_;
    info.pCounterDataImage = counterData_.data();
    info.counterDataImageSize = counterData_.size();
    info.sampleIndex = index;
    problem_ =
        cupti_.check(calls().cuptiPmSamplingCounterDataGetSampleInfo(&info), "reading a sample");
    if (!problem_.ok())
      return;
    Result<std::vector<double>> values = host_->evaluate(counterData_, index, counters_);
    if (!values)
      problem_ = values.status();
    else if (!std::exchange(sawFirst_, true))
      return;
    else if (samples_.size() == kMaxSamples)
      ++dropped_;
    else
      samples_.push_back({info.startTimestamp + (info.endTimestamp - info.startTimestamp) / 2,
                          std::move(*values)});
  }

  KernelSums layOver(std::vector<KernelSpan>& spans) const {
    std::sort(spans.begin(), spans.end(), [](const KernelSpan& left, const KernelSpan& right) {
      return left.startNs < right.startNs;
    });
    KernelSums sums = sumTimes(spans);
    size_t first = 0; // spans before it have ended; samples come in order of time
    for (const Sample& sample : samples_) {
      while (first < spans.size() && spans[first].endNs <= sample.middleNs)
        ++first;
      if (const KernelSpan* alone = onlyKernelAt(spans, first, sample.middleNs))
        addSample(sums, *alone, sample);
    }
    return sums;
  }

  static const KernelSpan* onlyKernelAt(const std::vector<KernelSpan>& spans, size_t first,
                                        uint64_t timeNs) {
    const KernelSpan* found = nullptr;
    for (size_t i = first; i < spans.size() && spans[i].startNs <= timeNs; ++i) {
      if (spans[i].endNs <= timeNs)
        continue;
      if (found)
        return nullptr;
      found = &spans[i];
    }
    return found;
  }

  void addSample(KernelSums& sums, const KernelSpan& span, const Sample& sample) const {
    size_t bin = size_t(double(sample.middleNs - span.startNs) / double(span.endNs - span.startNs) *
                        KernelSums::kBins);
    for (size_t i = 0; i < counters_.size(); ++i)
      if (std::isfinite(sample.values[i]))
        sums.sample(span.shape, counters_[i], std::min(bin, KernelSums::kBins - 1),
                    sample.values[i]);
  }

  void stopThread() {
    stopping_.store(true);
    if (thread_.joinable())
      thread_.join();
  }

  Cupti cupti_;
  std::string chip_;
  std::vector<std::string> counters_;
  uint64_t intervalNs_;
  std::vector<uint8_t> availability_, image_, counterData_; // must outlive the session
  std::optional<ProfilerHost> host_;
  CUpti_PmSampling_Object* sampler_ = nullptr;
  std::thread thread_;
  std::atomic<bool> stopping_{false};
  // The decoding thread's until it has been joined:
  std::vector<Sample> samples_;
  Status problem_;
  bool overflowed_ = false, sawFirst_ = false;
  uint64_t dropped_ = 0;
};

} // namespace

std::unique_ptr<Collector> makePmCollector(const Cupti& cupti, std::string chip,
                                           const MeasureRequest& request) {
  return std::make_unique<PmCollector>(cupti, std::move(chip), request);
}

} // namespace gpusched
