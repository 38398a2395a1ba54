// TelemetrySums.cpp - sums over the records of a launch, then over launches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/TelemetrySums.h"

#include <algorithm>

namespace gpusched {
namespace {

/// One launch, over its workers.
struct Totals {
  uint64_t blocks = 0, least = UINT64_MAX, most = 0, lost = 0, busyNs = 0, cycles = 0;
  uint64_t begin = UINT64_MAX, end = 0;
  std::vector<double> blocksBySm, workersBySm;

  void add(const gpusched_worker_record& record) {
    blocks += record.blocks;
    least = std::min<uint64_t>(least, record.blocks);
    most = std::max<uint64_t>(most, record.blocks);
    lost += record.lost_claims;
    busyNs += record.end_ns - record.begin_ns;
    cycles += record.cycles;
    begin = std::min(begin, record.begin_ns);
    end = std::max(end, record.end_ns);
    if (record.sm >= blocksBySm.size()) {
      blocksBySm.resize(record.sm + 1);
      workersBySm.resize(record.sm + 1);
    }
    blocksBySm[record.sm] += record.blocks;
    workersBySm[record.sm] += 1;
  }
};

void addPlaces(std::map<std::string, double>& values, const Totals& totals) {
  const double used = double(std::count_if(totals.blocksBySm.begin(), totals.blocksBySm.end(),
                                           [](double blocks) { return blocks > 0; }));
  const double most = *std::max_element(totals.blocksBySm.begin(), totals.blocksBySm.end());
  values["sms"] += used;
  values["workers_per_sm_max"] +=
      *std::max_element(totals.workersBySm.begin(), totals.workersBySm.end());
  values["sm_load_max_over_mean"] += most * used / double(totals.blocks);
}

void addTimes(KernelMeasurement& sum, const Totals& totals, double workers) {
  const double span = double(totals.end - totals.begin);
  if (sum.timesUs.size() < MeasurementFile::kMaxTimes)
    sum.timesUs.push_back(span / 1000);
  sum.values["block_us"] += double(totals.busyNs) / 1000 / double(totals.blocks);
  sum.values["block_cycles"] += double(totals.cycles) / double(totals.blocks);
  sum.values["busy_share"] += span > 0 ? double(totals.busyNs) / (span * workers) : 1;
}

} // namespace

void TelemetrySums::add(const SampledLaunch& launch,
                        const std::vector<gpusched_worker_record>& records) {
  Totals totals;
  for (const gpusched_worker_record& record : records)
    if (record.sm < GPUSCHED_MAX_SMS && record.end_ns >= record.begin_ns)
      totals.add(record);
  if (totals.blocks == 0)
    return;
  KernelMeasurement& sum =
      sums_[{launch.kernel, launch.threadsPerBlock, launch.dynamicSharedBytes, launch.blocksPerSm}];
  sum.kernel = launch.kernel;
  sum.threadsPerBlock = launch.threadsPerBlock;
  sum.dynamicSharedBytes = launch.dynamicSharedBytes;
  sum.blocksPerSm = launch.blocksPerSm;
  sum.blocks += launch.blocks;
  ++sum.launches;
  const double workers = double(records.size());
  sum.values["workers"] += workers;
  sum.values["workers_launched"] += double(launch.workers);
  sum.values["blocks_run"] += double(totals.blocks);
  sum.values["blocks_per_worker_min"] += double(totals.least);
  sum.values["blocks_per_worker_mean"] += double(totals.blocks) / workers;
  sum.values["blocks_per_worker_max"] += double(totals.most);
  sum.values["claims_lost"] += double(totals.lost);
  addPlaces(sum.values, totals);
  if (timed_)
    addTimes(sum, totals, workers);
  sum.blocksBySm.resize(std::max(sum.blocksBySm.size(), totals.blocksBySm.size()));
  for (size_t sm = 0; sm < totals.blocksBySm.size(); ++sm)
    sum.blocksBySm[sm] += totals.blocksBySm[sm];
}

std::vector<KernelMeasurement> TelemetrySums::kernels() const {
  std::vector<KernelMeasurement> kernels;
  for (const auto& [key, sum] : sums_) {
    KernelMeasurement& kernel = kernels.emplace_back(sum);
    kernel.blocks /= sum.launches;
    for (auto& [name, value] : kernel.values)
      value /= double(sum.launches);
    for (double& blocks : kernel.blocksBySm)
      blocks /= double(sum.launches);
  }
  return kernels;
}

} // namespace gpusched
