// Engine.cpp - placement, rates and the step to the next event.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/sim/Engine.h"

#include <algorithm>
#include <cmath>

namespace gpusched::sim {
namespace {

/// Grids that the hardware keeps at hand at the same time.
constexpr size_t kHardwareQueues = 32;
constexpr double kRounding = 1e-9;

} // namespace

void Engine::start(size_t job, size_t kernel, const Member& how, int32_t priority) {
  const SimKernel& started = sim_.kernels_[kernel];
  Active active;
  active.job = job;
  active.kernel = kernel;
  active.budget = how.blocksPerSm;
  active.sms = how.sms;
  active.readyAt = now_ + sim_.assumptions_.launchCycles / sim_.device_.clockMhz;
  active.left = started.demand.blocks;
  active.priority = priority;
  auto place = active_.end();
  while (place != active_.begin() && place[-1].budget == 0 && place[-1].priority < priority)
    --place;
  active_.insert(place, std::move(active));
  run_.jobs[job].startUs = now_;
  run_.jobs[job].blocksPerSm = how.blocksPerSm;
}

void Engine::setBudget(size_t job, uint32_t blocksPerSm) {
  for (Active& active : active_)
    if (active.job == job)
      active.budget = blocksPerSm;
}

double Engine::shareLeft(size_t job) const {
  for (const Active& active : active_)
    if (active.job == job)
      return active.left / sim_.kernels_[active.kernel].demand.blocks;
  return 1;
}

/// SMs by which of the active kernels may use them.
std::vector<SmGroup> Engine::groups() const {
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
  std::vector<SmGroup> found;
  for (uint64_t mask : members) {
    auto same = std::find_if(found.begin(), found.end(),
                             [&](const SmGroup& group) { return group.members == mask; });
    if (same == found.end())
      same = found.insert(found.end(), {.members = mask});
    same->sms += 1;
  }
  return found;
}

/// Blocks to be resident. Divides what is left into waves anew when the slots changed, but not the
/// last wave: all its blocks are under way.
double Engine::residentNow(Active& active, double slots) {
  auto inLastWave = [&] {
    return active.slots > 0 && active.left <= active.tail * (1 + kRounding);
  };
  if (!inLastWave() && std::fabs(slots - active.slots) > kRounding * slots) {
    double waves = std::floor(active.left / slots + kRounding);
    active.slots = slots;
    active.tail = std::max(0.0, active.left - waves * slots);
  }
  return inLastWave() ? std::min(active.tail, slots) : slots;
}

/// Who is resident where; then how fast each is.
void Engine::place() {
  Residency residency(sim_, groups());
  for (size_t i = 0; i < std::min(active_.size(), kHardwareQueues); ++i) {
    const Active& active = active_[i];
    const uint32_t fits = sim_.kernels_[active.kernel].known.occupancyBlocksPerSm;
    std::vector<double> room =
        residency.room(i, active.kernel, active.budget ? std::min(active.budget, fits) : fits);
    if (double slots = residency.slots(room); slots > 0)
      residency.add(i, active.kernel, std::move(room), residentNow(active_[i], slots));
  }
  std::vector<Simulator::Occupant> occupants;
  for (const Residency::Resident& resident : residency.residents())
    occupants.push_back({uint32_t(resident.kernel), uint32_t(resident.group), resident.blocksPerSm,
                         residency.groupOf(resident).sms});
  const std::vector<Simulator::Progress>& each = sim_.progressOf(occupants);
  progress_.assign(active_.size(), {});
  for (size_t o = 0; o < occupants.size(); ++o) {
    Simulator::Progress& progress = progress_[residency.residents()[o].active];
    progress.blocksPerUs += each[o].blocksPerUs;
    progress.eligibleWarpsPerCycle += each[o].eligibleWarpsPerCycle;
    progress.dramBusy += each[o].dramBusy;
  }
  for (size_t i = 0; i < active_.size(); ++i)
    active_[i].rate = progress_[i].blocksPerUs;
}

/// Microseconds from now: late in a long run the clock itself does not tell the last of a wave from
/// its end.
double Engine::untilNextEvent() const {
  double next = kForever;
  for (const Active& active : active_) {
    if (active.readyAt > now_ + kRounding)
      next = std::min(next, active.readyAt - now_);
    if (active.rate <= 0)
      continue;
    bool last = active.left <= active.tail * (1 + kRounding);
    next = std::min(next, (last ? active.left : active.left - active.tail) / active.rate);
  }
  return next;
}

void Engine::advance(double us) {
  for (Active& active : active_) {
    bool whole = active.left > active.tail * (1 + kRounding);
    double left = active.left - active.rate * us;
    // Land on the boundary exactly, so that the next step sees the last wave or the end.
    if (whole && left < active.tail * (1 + kRounding))
      left = active.tail;
    active.left = left < kRounding * sim_.kernels_[active.kernel].demand.blocks ? 0 : left;
  }
  now_ += us;
}

std::vector<size_t> Engine::step(double until) {
  place();
  const double next = untilNextEvent();
  if (next == kForever && until == kForever)
    return {};
  if (next < until - now_) {
    advance(next);
  } else {
    advance(until - now_);
    now_ = until;
  }
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
