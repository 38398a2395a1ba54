// ProfilerHost.cpp - host objects and configuration images.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metrics cannot be taken out of a host object again, so each configuration is made in a fresh
// one; the object of open() only answers that the chip is usable and evaluates.
#include "rt/counters/cupti/ProfilerHost.h"

#include "rt/counters/cupti/CuptiTable.h"

namespace gpusched {

struct ProfilerHost::Implementation {
  const Cupti cupti;
  std::string chip;
  ProfilerKind kind;
  const uint8_t* availability;
  CUpti_Profiler_Host_Object* object = nullptr;

  Implementation(const Cupti& library, std::string name, ProfilerKind wanted, const uint8_t* image)
      : cupti(library), chip(std::move(name)), kind(wanted), availability(image) {}
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  ~Implementation() {
    if (!object)
      return;
    GPUSCHED_CUPTI_PARAMETERS(CUpti_Profiler_Host_Deinitialize_Params, parameters);
    parameters.pHostObject = object;
    (void)cupti.calls().cuptiProfilerHostDeinitialize(&parameters);
  }

  CUptiResult open() {
    GPUSCHED_CUPTI_PARAMETERS(CUpti_Profiler_Host_Initialize_Params, parameters);
    parameters.profilerType = kind == ProfilerKind::Range ? CUPTI_PROFILER_TYPE_RANGE_PROFILER
                                                          : CUPTI_PROFILER_TYPE_PM_SAMPLING;
    parameters.pChipName = chip.c_str();
    parameters.pCounterAvailabilityImage = availability;
    CUptiResult result = cupti.calls().cuptiProfilerHostInitialize(&parameters);
    object = result == CUPTI_SUCCESS ? parameters.pHostObject : nullptr;
    return result;
  }

  std::unique_ptr<Implementation> fresh() const {
    auto other = std::make_unique<Implementation>(cupti, chip, kind, availability);
    return other->open() == CUPTI_SUCCESS ? std::move(other) : nullptr;
  }

  CUptiResult add(const std::vector<std::string>& metrics) {
    std::vector<const char*> names = pointers(metrics);
    GPUSCHED_CUPTI_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics_Params, parameters);
    parameters.pHostObject = object;
    parameters.ppMetricNames = names.data();
    parameters.numMetrics = names.size();
    return cupti.calls().cuptiProfilerHostConfigAddMetrics(&parameters);
  }

  Result<std::vector<uint8_t>> image() {
    GPUSCHED_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
    size.pHostObject = object;
    if (Status status = cupti.check(cupti.calls().cuptiProfilerHostGetConfigImageSize(&size),
                                    "configuration image of " + chip);
        !status)
      return status;
    std::vector<uint8_t> bytes(size.configImageSize);
    GPUSCHED_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetConfigImage_Params, get);
    get.pHostObject = object;
    get.configImageSize = bytes.size();
    get.pConfigImage = bytes.data();
    if (Status status = cupti.check(cupti.calls().cuptiProfilerHostGetConfigImage(&get),
                                    "configuration image of " + chip);
        !status)
      return status;
    return bytes;
  }
};

ProfilerHost::ProfilerHost(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
ProfilerHost::~ProfilerHost() = default;
ProfilerHost::ProfilerHost(ProfilerHost&&) noexcept = default;

Result<ProfilerHost> ProfilerHost::open(const Cupti& cupti, const std::string& chip,
                                        ProfilerKind kind,
                                        const std::vector<uint8_t>& availability) {
  auto implementation = std::make_unique<Implementation>(
      cupti, chip, kind, availability.empty() ? nullptr : availability.data());
  if (Status status = cupti.check(implementation->open(), "metrics of chip " + chip); !status)
    return status;
  return ProfilerHost(std::move(implementation));
}

bool ProfilerHost::knows(const std::string& metric) const {
  std::unique_ptr<Implementation> host = implementation_->fresh();
  return host && host->add({metric}) == CUPTI_SUCCESS;
}

Result<std::vector<uint8_t>>
ProfilerHost::configure(const std::vector<std::string>& metrics) const {
  std::unique_ptr<Implementation> host = implementation_->fresh();
  if (!host)
    return Status::error("CUPTI opened chip " + implementation_->chip + " once but not again");
  // One bad name fails the whole call and is not named by it.
  if (host->add(metrics) != CUPTI_SUCCESS) {
    std::string unknown;
    for (const std::string& metric : metrics)
      if (!knows(metric))
        unknown += (unknown.empty() ? "" : ", ") + metric;
    return Status::error("chip " + implementation_->chip + " has no metric " +
                         (unknown.empty() ? "set like this one" : unknown));
  }
  return host->image();
}

Result<size_t> ProfilerHost::passes(const std::vector<uint8_t>& image) const {
  GPUSCHED_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetNumOfPasses_Params, parameters);
  parameters.configImageSize = image.size();
  parameters.pConfigImage = const_cast<uint8_t*>(image.data());
  const Cupti& cupti = implementation_->cupti;
  if (Status status = cupti.check(cupti.calls().cuptiProfilerHostGetNumOfPasses(&parameters),
                                  "number of passes on " + implementation_->chip);
      !status)
    return status;
  return parameters.numOfPasses;
}

Result<std::vector<double>> ProfilerHost::evaluate(const std::vector<uint8_t>& counterData,
                                                   size_t index,
                                                   const std::vector<std::string>& metrics) const {
  std::vector<double> values(metrics.size());
  std::vector<const char*> names = pointers(metrics);
  GPUSCHED_CUPTI_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, parameters);
  parameters.pHostObject = implementation_->object;
  parameters.pCounterDataImage = counterData.data();
  parameters.counterDataImageSize = counterData.size();
  parameters.rangeIndex = index;
  parameters.ppMetricNames = names.data();
  parameters.numMetrics = names.size();
  parameters.pMetricValues = values.data();
  const Cupti& cupti = implementation_->cupti;
  if (Status status = cupti.check(cupti.calls().cuptiProfilerHostEvaluateToGpuValues(&parameters),
                                  "values of range " + std::to_string(index));
      !status)
    return status;
  return values;
}

std::vector<std::string> supportedChips(const Cupti& cupti) {
  GPUSCHED_CUPTI_PARAMETERS(CUpti_Profiler_Host_GetSupportedChips_Params, parameters);
  if (cupti.calls().cuptiProfilerHostGetSupportedChips(&parameters) != CUPTI_SUCCESS)
    return {};
  return {parameters.ppChipNames, parameters.ppChipNames + parameters.numChips};
}

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> list;
  for (const std::string& name : names)
    list.push_back(name.c_str());
  return list;
}

} // namespace gpusched
