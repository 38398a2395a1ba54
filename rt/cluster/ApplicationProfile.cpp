// ApplicationProfile.cpp - a sweep over the launches of a trace.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost: launches x (log launches + those that run at the same time).
#include "rt/cluster/ApplicationProfile.h"

#include <algorithm>
#include <array>
#include <map>

namespace gpusched::cluster {
namespace {

/// A kernel that runs for a while.
struct Busy {
  double beginUs = 0, endUs = 0;
  const Metrics* metrics = nullptr;
};

bool isShare(size_t metric) {
  return metric < kEligibleWarps;
}

Metrics sumOf(const std::vector<Busy>& running) {
  Metrics sum = {};
  for (const Busy& busy : running)
    for (size_t metric = 0; metric < kMetrics; ++metric)
      sum[metric] += (*busy.metrics)[metric];
  for (size_t metric = 0; metric < kMetrics; ++metric)
    if (isShare(metric))
      sum[metric] = std::min(1.0, sum[metric]);
  return sum;
}

class Sweep {
public:
  Sweep(const std::vector<KernelProfile>& profiles, const DeviceDescription& device)
      : profiles_(profiles), device_(device) {}

  Status add(const TraceLaunch& launch) {
    const uint32_t threads = launch.blockX * launch.blockY * launch.blockZ;
    const auto [known, isNew] = metrics_.try_emplace({launch.kernel, threads});
    if (isNew) {
      const DynamicProfile* profile = find(launch.kernel, threads);
      if (!profile)
        return Status::error("kernel '" + launch.kernel +
                             "' has no dynamic profile; run gpusched profile on the program");
      const uint64_t blocks = uint64_t(launch.gridX) * launch.gridY * launch.gridZ;
      known->second.kernelClass = profile->kernelClass;
      known->second.metrics =
          kernelMetrics(profile->utilisation, profile->eligibleWarpsPerCycle, blocks, device_.sms,
                        launch.occupancyBlocksPerSm * threads / (32.0 * device_.warpsPerSm));
    }
    busy_.push_back({launch.startedUs, launch.completedUs, &known->second.metrics});
    classUs_[size_t(known->second.kernelClass)] += launch.completedUs - launch.startedUs;
    return {};
  }

  /// REQUIRES: something was added.
  Application finish(double beginUs, double sampleUs) {
    std::sort(busy_.begin(), busy_.end(),
              [](const Busy& a, const Busy& b) { return a.beginUs < b.beginUs; });
    MetricRecorder recorder(sampleUs);
    std::vector<Busy> running;
    double now = beginUs;
    for (size_t next = 0; next < busy_.size() || !running.empty();) {
      double until = next < busy_.size() ? busy_[next].beginUs : running.front().endUs;
      for (const Busy& busy : running)
        until = std::min(until, busy.endUs);
      recorder.add(std::max(0.0, until - now), sumOf(running));
      now = std::max(now, until);
      std::erase_if(running, [&](const Busy& busy) { return busy.endUs <= now; });
      while (next < busy_.size() && busy_[next].beginUs <= now)
        running.push_back(busy_[next++]);
    }
    Application application;
    recorder.finish(application);
    application.kernelClass =
        KernelClass(std::max_element(classUs_.begin(), classUs_.end()) - classUs_.begin());
    return application;
  }

private:
  struct Known {
    Metrics metrics = {};
    KernelClass kernelClass = KernelClass::Unknown;
  };

  /// With these threads, else any.
  const DynamicProfile* find(const std::string& kernel, uint32_t threads) const {
    const DynamicProfile* found = nullptr;
    for (const KernelProfile& profile : profiles_)
      if (profile.dynamic && profile.fixed.kernel == kernel &&
          (!found || profile.dynamic->threadsPerBlock == threads))
        found = &*profile.dynamic;
    return found;
  }

  const std::vector<KernelProfile>& profiles_;
  const DeviceDescription& device_;
  std::map<std::pair<std::string, uint32_t>, Known> metrics_; // by kernel and threads of a block
  std::vector<Busy> busy_;
  std::array<double, 4> classUs_ = {};
};

} // namespace

Metrics kernelMetrics(const Utilisation& utilisation, double eligibleWarpsPerCycle, uint64_t blocks,
                      uint32_t sms, double occupancy) {
  Metrics metrics = {};
  metrics[kGpuUtilisation] = 1;
  metrics[kMemoryUtilisation] = utilisation[kDramBandwidth];
  metrics[kSmEfficiency] = std::min(1.0, double(blocks) / double(sms));
  metrics[kIssueUtilisation] = utilisation[kIssueSlots];
  metrics[kComputeUtilisation] = std::max({utilisation[kFp32Pipe], utilisation[kInt32Pipe],
                                           utilisation[kFp64Pipe], utilisation[kSfuPipe]});
  metrics[kLoadStoreUtilisation] = utilisation[kLoadStorePipe];
  metrics[kL2Utilisation] = utilisation[kL2Bandwidth];
  metrics[kOccupancy] = occupancy;
  metrics[kEligibleWarps] = eligibleWarpsPerCycle;
  return metrics;
}

void MetricRecorder::add(double us, const Metrics& metrics) {
  totalUs_ += us;
  for (size_t metric = 0; metric < kMetrics; ++metric)
    sums_[metric] += us * metrics[metric];
  while (us > 0) {
    const double part = std::min(us, sampleUs_ - inSampleUs_);
    if (inSampleUs_ == 0)
      series_.emplace_back();
    for (size_t metric = 0; metric < kMetrics; ++metric)
      series_.back()[metric] += metrics[metric] * part / sampleUs_;
    us -= part;
    inSampleUs_ += part;
    if (inSampleUs_ >= sampleUs_ * (1 - 1e-12))
      inSampleUs_ = 0;
  }
}

void MetricRecorder::finish(Application& application) {
  application.timeUs = totalUs_;
  application.series = std::move(series_);
  for (size_t metric = 0; metric < kMetrics; ++metric)
    application.means[metric] = totalUs_ > 0 ? sums_[metric] / totalUs_ : 0;
}

Result<Application> applicationOf(const TraceFile& trace,
                                  const std::vector<KernelProfile>& profiles,
                                  const DeviceDescription& device, double sampleUs) {
  Sweep sweep(profiles, device);
  bool any = false;
  double beginUs = 0;
  for (const TraceLaunch& launch : trace.launches) {
    if (!hasTimes(launch))
      continue;
    beginUs = any ? std::min(beginUs, launch.submittedUs) : launch.submittedUs;
    any = true;
    if (Status added = sweep.add(launch); !added)
      return added;
  }
  if (!any)
    return Status::error("no launch of the trace has times; runs on a GPU and gpusched sched write "
                         "them (GPUSCHED_TRACE_TIMES)");
  Application application = sweep.finish(beginUs, sampleUs);
  application.name = trace.program;
  return application;
}

} // namespace gpusched::cluster
