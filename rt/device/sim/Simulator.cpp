// Simulator.cpp - plans and policies carried out on the engine.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Progress is remembered by (kernel, group, blocks, SMs) of all occupants, bit for bit.
#include "rt/device/sim/Simulator.h"

#include "rt/device/sim/Engine.h"

#include <cstring>
#include <deque>
#include <map>

namespace gpusched::sim {
namespace {

/// One set of a plan in progress: lanes, each a queue.
class SetRun {
public:
  SetRun(const CoRunSet& set, uint64_t number, const std::vector<Job>& jobs, Engine& engine)
      : jobs_(jobs), engine_(engine), number_(number) {
    for (const Member& member : set)
      lanes_[member.lane].push_back(member);
    std::vector<uint32_t> lanes;
    for (const auto& [lane, queue] : lanes_)
      lanes.push_back(lane);
    for (uint32_t lane : lanes)
      startNext(lane);
  }

  bool over() const { return running_.empty(); }

  void ended(size_t job) {
    uint32_t lane = running_.at(job).lane;
    running_.erase(job);
    startNext(lane);
    if (running_.size() == 1 && lanes_.empty())
      raiseLast();
  }

private:
  void startNext(uint32_t lane) {
    auto queue = lanes_.find(lane);
    if (queue == lanes_.end())
      return;
    Member member = queue->second.front();
    queue->second.pop_front();
    if (queue->second.empty())
      lanes_.erase(queue);
    engine_.start(member.kernel, jobs_[member.kernel].kernel, member);
    engine_.job(member.kernel).set = number_;
    running_.emplace(member.kernel, member);
  }

  void raiseLast() {
    const auto& [job, member] = *running_.begin();
    if (member.blocksPerSmAlone)
      engine_.setBudget(job, member.blocksPerSmAlone);
  }

  const std::vector<Job>& jobs_;
  Engine& engine_;
  uint64_t number_;
  std::map<uint32_t, std::deque<Member>> lanes_; // not yet started
  std::map<size_t, Member> running_;             // by job
};

template <class T> void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

} // namespace

Simulator::Simulator(DeviceDescription device, std::vector<SimKernel> kernels,
                     ModelAssumptions assumptions)
    : device_(std::move(device)), kernels_(std::move(kernels)), assumptions_(assumptions),
      limits_(limitsOf(device_)) {}

const std::vector<Simulator::Progress>&
Simulator::progressOf(const std::vector<Occupant>& occupants) {
  std::string key;
  for (const Occupant& occupant : occupants) {
    append(key, occupant.kernel);
    append(key, occupant.group);
    append(key, occupant.blocksPerSm);
    append(key, occupant.sms);
  }
  auto [entry, isNew] = remembered_.try_emplace(std::move(key));
  if (!isNew)
    return entry->second;
  std::vector<Resident> residents;
  for (const Occupant& occupant : occupants)
    residents.push_back(
        {&kernels_[occupant.kernel].demand, occupant.blocksPerSm, occupant.sms, occupant.group});
  std::vector<PopulationResult> results = solveTogether(residents, device_, assumptions_);
  for (size_t i = 0; i < residents.size(); ++i) {
    const KernelDemand& demand = *residents[i].demand;
    double warpTasks = results[i].warpTasksPerCycle * residents[i].sms;
    entry->second.push_back({warpTasks / demand.warpsPerBlock * device_.clockMhz,
                             eligibleWarps(demand, results[i]),
                             warpTasks * results[i].demand[kDramBandwidth]});
  }
  return entry->second;
}

Run Simulator::runPlan(const std::vector<Job>& jobs, const std::vector<CoRunSet>& plan) {
  Engine engine(*this, jobs.size());
  uint64_t number = 0;
  for (const CoRunSet& set : plan) {
    SetRun underway(set, ++number, jobs, engine);
    while (!underway.over() && !engine.idle())
      for (size_t job : engine.step(kForever))
        underway.ended(job);
  }
  return engine.finish();
}

double Simulator::aloneUs(size_t kernel) {
  return aloneUs(kernel, 0);
}

double Simulator::aloneUs(size_t kernel, uint32_t blocksPerSm) {
  return runPlan({{kernel, 0, 0}}, {{{.kernel = 0, .blocksPerSm = blocksPerSm}}}).makespanUs;
}

std::vector<Simulator::Progress> Simulator::together(const std::vector<Member>& members) {
  ModelAssumptions kept = assumptions_;
  assumptions_.launchCycles = 0;
  Engine engine(*this, members.size());
  for (size_t i = 0; i < members.size(); ++i)
    engine.start(i, members[i].kernel, members[i]);
  std::vector<Progress> progress = engine.progress();
  assumptions_ = kept;
  return progress;
}

} // namespace gpusched::sim
