// Residency.cpp - room, and the taking of it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/sim/Residency.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpusched::sim {
namespace {

constexpr double kRounding = 1e-9;

double left(double limit, double taken, double each) {
  return each > 0 ? std::max(0.0, limit - taken) / each : std::numeric_limits<double>::max();
}

double blocksThatFit(const PolicyKernel& kernel, const SmGroup& group, const DeviceLimits& limits) {
  const double fits = std::min(
      {left(double(limits.registersPerSm), group.registers, double(kernel.registersPerBlock)),
       left(double(limits.sharedBytesPerSm), group.sharedBytes, double(kernel.sharedBytesPerBlock)),
       left(limits.blocksPerSm, group.blocks, 1),
       left(limits.threadsPerSm, group.threads, kernel.threadsPerBlock)});
  return group.whole ? std::floor(fits + kRounding) : fits;
}

} // namespace

std::vector<double> Residency::room(size_t active, size_t kernel, double most) const {
  std::vector<double> room(groups_.size(), 0);
  for (size_t g = 0; g < groups_.size(); ++g)
    if (groups_[g].members >> active & 1)
      room[g] =
          std::min(most, blocksThatFit(sim_.kernels()[kernel].known, groups_[g], sim_.limits()));
  return room;
}

double Residency::slots(const std::vector<double>& room) const {
  double slots = 0;
  for (size_t g = 0; g < room.size(); ++g)
    slots += room[g] * groups_[g].sms;
  return slots;
}

void Residency::add(size_t active, size_t kernel, std::vector<double> room, double blocks) {
  const double slots = this->slots(room);
  std::vector<size_t> order;
  double sms = 0; // where one block fits
  for (size_t g = 0; g < room.size(); ++g)
    if (room[g] > 0)
      order.push_back(g), sms += room[g] >= 1 ? groups_[g].sms : 0;
  if (blocks >= sms) {
    for (size_t g : order)
      occupy({active, kernel, g, room[g] * std::min(1.0, blocks / slots)});
    return;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return groups_[a].threads < groups_[b].threads; });
  for (size_t g : order) {
    const double here = room[g] >= 1 ? std::min(groups_[g].sms, blocks) : 0;
    if (here <= kRounding)
      continue;
    split(g, here);
    occupy({active, kernel, g, 1});
    blocks -= here;
  }
}

void Residency::occupy(const Resident& resident) {
  const PolicyKernel& kernel = sim_.kernels()[resident.kernel].known;
  SmGroup& group = groups_[resident.group];
  group.registers += resident.blocksPerSm * double(kernel.registersPerBlock);
  group.sharedBytes += resident.blocksPerSm * double(kernel.sharedBytesPerBlock);
  group.blocks += resident.blocksPerSm;
  group.threads += resident.blocksPerSm * kernel.threadsPerBlock;
  group.whole = group.whole && resident.blocksPerSm == std::floor(resident.blocksPerSm);
  residents_.push_back(resident);
}

/// Leaves `sms` SMs in the group; the others become a new one with the same residents.
void Residency::split(size_t group, double sms) {
  if (groups_[group].sms - sms <= kRounding)
    return;
  const size_t other = groups_.size();
  groups_.push_back(groups_[group]);
  groups_[other].sms -= sms;
  groups_[group].sms = sms;
  for (size_t i = 0, count = residents_.size(); i < count; ++i)
    if (residents_[i].group == group) {
      residents_.push_back(residents_[i]);
      residents_.back().group = other;
    }
}

} // namespace gpusched::sim
