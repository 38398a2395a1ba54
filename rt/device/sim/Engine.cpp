// Engine.cpp - placement, rates and the step to the next event.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/sim/Engine.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpusched::sim {
namespace {

/// Grids that the hardware keeps at hand at the same time.
constexpr size_t kHardwareQueues = 32;
constexpr double kRounding = 1e-9;

/// What of one SM is taken; fractions occur in a kernel's last wave.
struct Taken {
  double registers = 0, sharedBytes = 0, blocks = 0, threads = 0;
  bool whole = true;

  void add(const PolicyKernel& kernel, double count) {
    registers += count * double(kernel.registersPerBlock);
    sharedBytes += count * double(kernel.sharedBytesPerBlock);
    blocks += count;
    threads += count * kernel.threadsPerBlock;
    whole = whole && count == std::floor(count);
  }
};

double room(double limit, double taken, double each) {
  return each > 0 ? std::max(0.0, limit - taken) / each : std::numeric_limits<double>::max();
}

double blocksThatFit(const PolicyKernel& kernel, const Taken& taken, const DeviceLimits& limits) {
  double fits = std::min(
      {room(double(limits.registersPerSm), taken.registers, double(kernel.registersPerBlock)),
       room(double(limits.sharedBytesPerSm), taken.sharedBytes, double(kernel.sharedBytesPerBlock)),
       room(limits.blocksPerSm, taken.blocks, 1),
       room(limits.threadsPerSm, taken.threads, kernel.threadsPerBlock)});
  return taken.whole ? std::floor(fits + kRounding) : fits;
}

} // namespace

void Engine::start(size_t job, size_t kernel, const Member& how) {
  const SimKernel& started = sim_.kernels_[kernel];
  Active active;
  active.job = job;
  active.kernel = kernel;
  active.budget = how.blocksPerSm;
  active.sms = how.sms;
  active.readyAt = now_ + sim_.assumptions_.launchCycles / sim_.device_.clockMhz;
  active.left = started.demand.blocks;
  active_.push_back(std::move(active));
  run_.jobs[job].startUs = now_;
  run_.jobs[job].blocksPerSm = how.blocksPerSm;
}

void Engine::setBudget(size_t job, uint32_t blocksPerSm) {
  for (Active& active : active_)
    if (active.job == job)
      active.budget = blocksPerSm;
}

/// SMs by which of the active kernels may use them.
std::vector<Engine::Group> Engine::groups() const {
  const uint32_t sms = sim_.device_.sms;
  const size_t count = std::min(active_.size(), kHardwareQueues);
  std::vector<uint64_t> members(sms, 0);
  for (size_t i = 0; i < count; ++i) {
    if (active_[i].readyAt > now_ + kRounding)
      continue;
    if (active_[i].sms.empty())
      for (uint64_t& mask : members)
        mask |= uint64_t(1) << i;
    for (uint32_t sm : active_[i].sms)
      if (sm < sms)
        members[sm] |= uint64_t(1) << i;
  }
  std::vector<Group> found;
  for (uint64_t mask : members) {
    auto same = std::find_if(found.begin(), found.end(),
                             [&](const Group& group) { return group.members == mask; });
    if (same == found.end())
      same = found.insert(found.end(), {mask, 0});
    same->sms += 1;
  }
  return found;
}

/// Who is resident where, in order of start; then how fast each is.
void Engine::place() {
  std::vector<Group> all = groups();
  std::vector<Taken> taken(all.size());
  std::vector<Simulator::Occupant> occupants;
  std::vector<size_t> owners;
  for (size_t i = 0; i < active_.size(); ++i) {
    Active& active = active_[i];
    active.rate = 0;
    if (i >= kHardwareQueues)
      continue;
    const PolicyKernel& known = sim_.kernels_[active.kernel].known;
    double most = active.budget ? std::min(active.budget, known.occupancyBlocksPerSm)
                                : known.occupancyBlocksPerSm;
    std::vector<double> blocks(all.size(), 0);
    double slots = 0;
    for (size_t g = 0; g < all.size(); ++g) {
      if (!(all[g].members >> i & 1))
        continue;
      blocks[g] = std::min(most, blocksThatFit(known, taken[g], sim_.limits_));
      slots += blocks[g] * all[g].sms;
    }
    if (slots <= 0)
      continue;
    if (std::fabs(slots - active.slots) > kRounding * slots) {
      double waves = std::floor(active.left / slots + kRounding);
      active.slots = slots;
      active.tail = std::max(0.0, active.left - waves * slots);
    }
    bool last = active.left <= active.tail * (1 + kRounding);
    double share = last ? std::min(1.0, active.tail / slots) : 1;
    for (size_t g = 0; g < all.size(); ++g) {
      if (blocks[g] <= 0)
        continue;
      taken[g].add(known, blocks[g] * share);
      occupants.push_back({uint32_t(active.kernel), uint32_t(g), blocks[g] * share, all[g].sms});
      owners.push_back(i);
    }
  }
  const std::vector<Simulator::Progress>& each = sim_.progressOf(occupants);
  progress_.assign(active_.size(), {});
  for (size_t o = 0; o < owners.size(); ++o) {
    active_[owners[o]].rate += each[o].blocksPerUs;
    progress_[owners[o]].blocksPerUs += each[o].blocksPerUs;
    progress_[owners[o]].eligibleWarpsPerCycle += each[o].eligibleWarpsPerCycle;
    progress_[owners[o]].dramBusy += each[o].dramBusy;
  }
}

double Engine::nextEvent() const {
  double next = std::numeric_limits<double>::max();
  for (const Active& active : active_) {
    if (active.readyAt > now_ + kRounding)
      next = std::min(next, active.readyAt);
    if (active.rate <= 0)
      continue;
    bool last = active.left <= active.tail * (1 + kRounding);
    next = std::min(next, now_ + (last ? active.left : active.left - active.tail) / active.rate);
  }
  return next;
}

void Engine::advance(double to) {
  for (Active& active : active_) {
    bool whole = active.left > active.tail * (1 + kRounding);
    double left = active.left - active.rate * (to - now_);
    // Land on the boundary exactly, so that the next step sees the last wave or the end.
    if (whole && left < active.tail * (1 + kRounding))
      left = active.tail;
    active.left = left < kRounding * sim_.kernels_[active.kernel].demand.blocks ? 0 : left;
  }
  now_ = to;
}

std::vector<size_t> Engine::step(double until) {
  place();
  double next = nextEvent();
  if (next == std::numeric_limits<double>::max() && until == next)
    return {};
  advance(std::min(next, until));
  ++run_.events;
  std::vector<size_t> ended;
  std::erase_if(active_, [&](const Active& active) {
    if (active.left > 0)
      return false;
    run_.jobs[active.job].endUs = now_;
    ended.push_back(active.job);
    return true;
  });
  return ended;
}

std::vector<Simulator::Progress> Engine::progress() {
  place();
  return progress_;
}

Run Engine::finish() {
  for (const JobRun& job : run_.jobs)
    run_.makespanUs = std::max(run_.makespanUs, job.endUs);
  return std::move(run_);
}

} // namespace gpusched::sim
