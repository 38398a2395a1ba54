// Trials.cpp - phases of timed launches, and what follows from them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that are not timed stand in the timeline as unknown ones: in each of their streams from
// ever to the first timed launch, or from the last one on. After kAttempts phases that taught
// nothing, but for the eager ones, each further one doubles the number of launches until the next.
#include "rt/launch/Trials.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpusched {
namespace {

constexpr double kEver = std::numeric_limits<double>::infinity();
constexpr size_t kSpansPerShared = 8;

void note(std::vector<uint64_t>& streams, uint64_t stream) {
  if (std::find(streams.begin(), streams.end(), stream) == streams.end())
    streams.push_back(stream);
}

} // namespace

double Trials::Alone::median() const {
  std::array<double, kAlone> sorted = us;
  const auto end = sorted.begin() + std::min(count, kAlone);
  std::sort(sorted.begin(), end);
  return count == 0 ? 0 : sorted[size_t(end - sorted.begin() - 1) / 2];
}

double Trials::blocksOf(const PolicyKernel& kernel, uint64_t blocks) const {
  return double(std::max<uint64_t>(blocks, uint64_t(sms_) * kernel.occupancyBlocksPerSm));
}

double Trials::aloneUs(const PolicyKernel& kernel) const {
  auto found = alone_.find(&kernel);
  if (found != alone_.end() && found->second.count > 0)
    return found->second.median();
  const double profiled = kernel.persistentTimeUs > 0 ? kernel.persistentTimeUs : kernel.timeUs;
  return kernel.blocks == 0 ? 0 : profiled / blocksOf(kernel, kernel.blocks);
}

double Trials::measuredUs(const PolicyKernel& kernel, uint64_t blocks) const {
  const auto found = alone_.find(&kernel);
  return found == alone_.end() || found->second.count < kAlone
             ? 0
             : found->second.median() * blocksOf(kernel, blocks);
}

double Trials::expectedUs(const PolicyKernel& kernel, uint64_t blocks) const {
  return aloneUs(kernel) * blocksOf(kernel, blocks);
}

bool Trials::wants(const TrialLaunch& launch, const PairHistory& history) {
  owed_ |= std::any_of(launch.neighbours.begin(), launch.neighbours.end(),
                       [&](const TrialLaunch::Neighbour& other) {
                         return !history.known(launch.kernel->name, other.kernel->name,
                                               pairForm(launch.native, other.native));
                       });
  auto found = alone_.find(launch.kernel);
  eager_ = found == alone_.end() || ++found->second.launches < kEager;
  if (eager_)
    return true;
  if (pause_ > 0)
    return --pause_, false;
  if (owed_)
    return true;
  return launch.neighbours.empty() ? found->second.count < kAlone : ++sinceLast_ % kAgainEvery == 0;
}

Trials::Record* Trials::newestOf(uint64_t stream) {
  auto newest = std::find_if(records_.rbegin(), records_.rend(),
                             [&](const Record& record) { return record.stream == stream; });
  return newest == records_.rend() ? nullptr : &*newest;
}

Trials::Record* Trials::recordFor(const gpusched_cudart& runtime, const TrialLaunch& launch) {
  Record* newest = newestOf(launch.stream);
  const bool joins = newest && newest->kernel == launch.kernel && newest->launches.kernel &&
                     newest->launches.native == launch.native && !launch.waits && !newest->broken &&
                     newest->launches.launches <= records_.size() / kSpansPerShared &&
                     LaunchTimes::state(runtime, newest->span) == LaunchTimes::State::Pending;
  if (!joins) {
    if (records_.size() == kSpans)
      return nullptr;
    records_.reserve(kSpans); // so that what was taken stays where it is
    Record made;
    if (!times_.make(runtime, made.span))
      return nullptr;
    made.kernel = launch.kernel;
    made.stream = launch.stream;
    made.launches.kernel = alone_.try_emplace(launch.kernel).second ? nullptr : launch.kernel;
    made.launches.native = launch.native;
    made.launches.launches = 0;
    newest = &records_.emplace_back(made);
  }
  ++newest->launches.launches;
  newest->blocks += blocksOf(*launch.kernel, launch.blocks);
  pending_ = records_.size();
  return newest;
}

Trials::Record* Trials::take(const gpusched_cudart& runtime, const TrialLaunch& launch,
                             const PairHistory& history) {
  if (records_.empty()) {
    if (!wants(launch, history))
      return nullptr;
    earlier_ = launch.busyStreams;
    later_.clear();
  }
  Record* const record = later_.empty() ? recordFor(runtime, launch) : nullptr;
  if (record)
    record->taken = true;
  else if (!records_.empty())
    note(later_, launch.stream);
  return record;
}

bool Trials::begin(const gpusched_cudart& runtime, const Record& record, void* stream) {
  return record.launches.launches > 1 || LaunchTimes::begin(runtime, record.span, stream);
}

bool Trials::end(const gpusched_cudart& runtime, const Record& record, void* stream) {
  return LaunchTimes::end(runtime, record.span, stream);
}

void Trials::settle(Record& record, bool recorded) {
  record.broken |= !recorded;
  record.taken = false;
}

void Trials::spoil() {
  for (Record& record : records_)
    record.broken = true;
}

bool Trials::ended(const gpusched_cudart& runtime) {
  for (; pending_ > 0; --pending_) {
    Record& record = records_[pending_ - 1];
    if (record.taken)
      return false;
    const LaunchTimes::State state =
        record.broken ? LaunchTimes::State::Broken : LaunchTimes::state(runtime, record.span);
    if (state == LaunchTimes::State::Pending)
      return false;
    record.broken = state == LaunchTimes::State::Broken;
  }
  return true;
}

std::vector<TimedLaunches> Trials::timeline(const gpusched_cudart& runtime) {
  std::vector<TimedLaunches> launches;
  for (Record& record : records_) {
    if (record.broken ||
        !times_.read(runtime, record.span, record.launches.beginUs, record.launches.endUs))
      return {};
    launches.push_back(record.launches);
  }
  auto unknown = [&](uint64_t stream, bool earlier) {
    TimedLaunches ran;
    ran.beginUs = -kEver, ran.endUs = kEver;
    for (const Record& record : records_)
      if (record.stream == stream) {
        if (earlier)
          ran.endUs = std::min(ran.endUs, record.launches.beginUs);
        else
          ran.beginUs = std::max(ran.beginUs, record.launches.endUs);
      }
    launches.push_back(ran);
  };
  for (uint64_t stream : earlier_)
    unknown(stream, true);
  for (uint64_t stream : later_)
    unknown(stream, false);
  return launches;
}

void Trials::learnAlone(const std::vector<TimedLaunches>& launches) {
  for (size_t index : ranAlone(launches)) {
    Alone& alone = alone_[records_[index].kernel];
    learnt_ |= alone.count < kAlone;
    const double us = launches[index].endUs - launches[index].beginUs;
    alone.us[alone.count++ % kAlone] = us / records_[index].blocks;
  }
}

void Trials::learnPairs(std::vector<TimedLaunches>& launches, PairHistory& history) {
  for (size_t i = 0; i < records_.size(); ++i)
    launches[i].aloneUs = aloneUs(*records_[i].kernel) * records_[i].blocks;
  const std::vector<PairRate> pairs = pairRates(launches);
  owed_ &= pairs.empty();
  for (const PairRate& pair : pairs) {
    const uint32_t trials = uint32_t(std::lround(pair.launches));
    history.add(pair.first->name, pair.second->name, pair.form, pair.ratio,
                std::clamp(trials, 1u, kMostOfPhase));
    learnt_ = true;
    owed_ |= !history.known(pair.first->name, pair.second->name, pair.form);
  }
}

void Trials::collect(const gpusched_cudart& runtime, PairHistory& history) {
  if (records_.empty() || !ended(runtime))
    return;
  learnt_ = false;
  if (std::vector<TimedLaunches> launches = timeline(runtime); !launches.empty()) {
    learnAlone(launches);
    learnPairs(launches, history);
  }
  for (Record& record : records_)
    times_.release(record.span);
  records_.clear();
  if (eager_)
    return;
  fruitless_ = learnt_ ? 0 : std::min(fruitless_ + 1, 10u);
  pause_ = fruitless_ < kAttempts ? 0 : 1u << fruitless_;
}

} // namespace gpusched
