// PcCollector.cpp - stall reasons from sampled program counters.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Continuous mode: kernels run side by side as they would without it, a few percent slower. One
// sample in 2^kPeriod cycles and scheduler. The result is the share of each stall reason among a
// function's samples; no time, no launches and no block shape: `gpusched profile` takes those from
// the activity run. "<reason>_not_issued" are the samples in which the scheduler issued nothing.
#include "rt/counters/cupti/Collector.h"

#include <cstdlib>
#include <map>
#include <set>

namespace gpusched {
namespace {

constexpr uint32_t kPeriod = 12; // 2^12 cycles
constexpr size_t kPcsAtOnce = 4096;
constexpr char kPrefix[] = "smsp__pcsamp_warps_issue_stalled_";

/// "smsp__pcsamp_warps_issue_stalled_barrier" -> "stall_barrier".
std::string shortReason(const std::string& name) {
  return name.rfind(kPrefix, 0) == 0 ? "stall_" + name.substr(sizeof kPrefix - 1) : name;
}

class PcCollector : public Collector {
public:
  explicit PcCollector(const Cupti& cupti) : cupti_(cupti) {}

  Status start(CUcontext context) override {
    context_ = context;
    CUpti_PCSamplingEnableParams enable = {};
    enable.size = CUpti_PCSamplingEnableParamsSize;
    enable.ctx = context;
    if (Status status =
            cupti_.check(calls().cuptiPCSamplingEnable(&enable), "enabling PC sampling");
        !status)
      return status;
    enabled_ = true;
    if (Status status = readReasons(); !status)
      return status;
    if (Status status = configure(); !status)
      return status;
    CUpti_PCSamplingStartParams begin = {};
    begin.size = CUpti_PCSamplingStartParamsSize;
    begin.ctx = context;
    return cupti_.check(calls().cuptiPCSamplingStart(&begin), "starting PC sampling");
  }

  Status finish(MeasurementFile& file, uint32_t blocksPerSm) override {
    if (!enabled_)
      return {};
    CUpti_PCSamplingStopParams stop = {};
    stop.size = CUpti_PCSamplingStopParamsSize;
    stop.ctx = context_;
    (void)calls().cuptiPCSamplingStop(&stop);
    Status status = drain(file);
    CUpti_PCSamplingDisableParams disable = {};
    disable.size = CUpti_PCSamplingDisableParamsSize;
    disable.ctx = context_;
    (void)calls().cuptiPCSamplingDisable(&disable);
    enabled_ = false;
    for (char* name : names_)
      std::free(name);
    names_.clear();
    addShares(file, blocksPerSm);
    return status;
  }

private:
  const CuptiTable& calls() const { return cupti_.calls(); }

  Status readReasons() {
    size_t count = 0;
    CUpti_PCSamplingGetNumStallReasonsParams number = {};
    number.size = CUpti_PCSamplingGetNumStallReasonsParamsSize;
    number.ctx = context_;
    number.numStallReasons = &count;
    if (Status status = cupti_.check(calls().cuptiPCSamplingGetNumStallReasons(&number),
                                     "counting stall reasons");
        !status)
      return status;
    indices_.assign(count, 0);
    std::vector<std::vector<char>> names(count, std::vector<char>(CUPTI_STALL_REASON_STRING_SIZE));
    std::vector<char*> targets;
    for (std::vector<char>& name : names)
      targets.push_back(name.data());
    CUpti_PCSamplingGetStallReasonsParams get = {};
    get.size = CUpti_PCSamplingGetStallReasonsParamsSize;
    get.ctx = context_;
    get.numStallReasons = count;
    get.stallReasonIndex = indices_.data();
    get.stallReasons = targets.data();
    Status status =
        cupti_.check(calls().cuptiPCSamplingGetStallReasons(&get), "naming stall reasons");
    for (size_t i = 0; status.ok() && i < count; ++i)
      reasons_[indices_[i]] = shortReason(names[i].data());
    return status;
  }

  Status configure() {
    makeBuffer(own_);
    CUpti_PCSamplingConfigurationInfo attributes[6] = {};
    attributes[0].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON;
    attributes[0].attributeData.stallReasonData.stallReasonCount = indices_.size();
    attributes[0].attributeData.stallReasonData.pStallReasonIndex = indices_.data();
    attributes[1].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
    attributes[1].attributeData.samplingPeriodData.samplingPeriod = kPeriod;
    attributes[2].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE;
    attributes[2].attributeData.collectionModeData.collectionMode =
        CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
    attributes[3].attributeType =
        CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL;
    attributes[3].attributeData.enableStartStopControlData.enableStartStopControl = 1;
    attributes[4].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT;
    attributes[4].attributeData.outputDataFormatData.outputDataFormat =
        CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED;
    attributes[5].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER;
    attributes[5].attributeData.samplingDataBufferData.samplingDataBuffer = &own_.data;
    CUpti_PCSamplingConfigurationInfoParams set = {};
    set.size = CUpti_PCSamplingConfigurationInfoParamsSize;
    set.ctx = context_;
    set.numAttributes = std::size(attributes);
    set.pPCSamplingConfigurationInfo = attributes;
    if (Status status = cupti_.check(calls().cuptiPCSamplingSetConfigurationAttribute(&set),
                                     "configuring PC sampling");
        !status)
      return status;
    for (const CUpti_PCSamplingConfigurationInfo& attribute : attributes)
      if (Status status =
              cupti_.check(attribute.attributeStatus,
                           "PC sampling attribute " + std::to_string(int(attribute.attributeType)));
          !status)
        return status;
    return {};
  }

  /// Room for kPcsAtOnce program counters with all their reasons.
  struct Buffer {
    CUpti_PCSamplingData data = {};
    std::vector<CUpti_PCSamplingPCData> pcs;
    std::vector<CUpti_PCSamplingStallReason> reasons;
  };

  void makeBuffer(Buffer& buffer) const {
    buffer.pcs.assign(kPcsAtOnce, {});
    buffer.reasons.assign(kPcsAtOnce * indices_.size(), {});
    for (size_t i = 0; i < kPcsAtOnce; ++i) {
      buffer.pcs[i].size = sizeof(CUpti_PCSamplingPCData);
      buffer.pcs[i].stallReason = buffer.reasons.data() + i * indices_.size();
    }
    buffer.data = {};
    buffer.data.size = sizeof(CUpti_PCSamplingData);
    buffer.data.collectNumPcs = kPcsAtOnce;
    buffer.data.pPcData = buffer.pcs.data();
  }

  Status drain(MeasurementFile& file) {
    take(own_, file);
    Buffer buffer;
    for (;;) {
      makeBuffer(buffer);
      CUpti_PCSamplingGetDataParams get = {};
      get.size = CUpti_PCSamplingGetDataParamsSize;
      get.ctx = context_;
      get.pcSamplingData = &buffer.data;
      Status status =
          cupti_.check(calls().cuptiPCSamplingGetData(&get), "reading sampled program counters");
      if (!status)
        return status;
      take(buffer, file);
      if (buffer.data.hardwareBufferFull)
        return Status::error("the sampling buffer was full; the shares are of its beginning");
      if (buffer.data.remainingNumPcs == 0)
        return {};
    }
  }

  void take(Buffer& buffer, MeasurementFile& file) {
    file.dropped += buffer.data.droppedSamples;
    for (size_t i = 0; i < buffer.data.totalNumPcs && i < buffer.pcs.size(); ++i) {
      CUpti_PCSamplingPCData& pc = buffer.pcs[i];
      std::map<std::string, uint64_t>& counts = samples_[pc.functionName ? pc.functionName : ""];
      for (size_t j = 0; j < pc.stallReasonCount; ++j)
        counts[reasons_[pc.stallReason[j].pcSamplingStallReasonIndex]] += pc.stallReason[j].samples;
      if (pc.functionName)
        names_.insert(pc.functionName);
    }
    buffer.data.totalNumPcs = 0;
  }

  void addShares(MeasurementFile& file, uint32_t blocksPerSm) const {
    for (const auto& [function, counts] : samples_) {
      uint64_t all = 0;
      for (const auto& [reason, count] : counts)
        all += count;
      if (function.empty() || all == 0)
        continue;
      KernelMeasurement& kernel = file.kernels.emplace_back();
      kernel.kernel = function;
      kernel.blocksPerSm = blocksPerSm;
      kernel.values["samples"] = double(all);
      for (const auto& [reason, count] : counts)
        kernel.values[reason] = 100.0 * double(count) / double(all);
    }
  }

  Cupti cupti_;
  CUcontext context_ = nullptr;
  bool enabled_ = false;
  std::vector<uint32_t> indices_;
  std::map<uint32_t, std::string> reasons_;
  Buffer own_; // CUPTI writes into it while sampling
  // Ours to free, says CUPTI, once all records are read: records of a function share its name.
  std::set<char*> names_;
  std::map<std::string, std::map<std::string, uint64_t>> samples_;
};

} // namespace

std::unique_ptr<Collector> makePcCollector(const Cupti& cupti) {
  return std::make_unique<PcCollector>(cupti);
}

} // namespace gpusched
