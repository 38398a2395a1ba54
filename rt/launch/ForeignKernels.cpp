// ForeignKernels.cpp - the board on one side, RunningKernels on the other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/ForeignKernels.h"

#include "rt/launch/Cudart.h"
#include "rt/support/Log.h"

#include <algorithm>

namespace gpusched {
namespace {

/// Of what is on the board.
bool looksTheSame(const RunningKernel& a, const RunningKernel& b) {
  return a.firstSequence == b.firstSequence && a.kernel == b.kernel && a.set == b.set &&
         a.blocksPerSm == b.blocksPerSm && a.preempted == b.preempted && a.yields == b.yields;
}

bool inOrder(const RunningKernel& a, const RunningKernel& b) {
  return a.firstSequence < b.firstSequence;
}

} // namespace

std::unique_ptr<ForeignKernels> ForeignKernels::of(const gpusched_cudart& runtime, int ordinal) {
  using GetDevice = int (*)(int* device, int ordinal);
  using GetUuid = int (*)(DeviceUuid* uuid, int device);
  const GetDevice getDevice =
      cudart::driverFunction<GetDevice>(runtime, "cuDeviceGet", cudart::kDriverVersionOfContexts);
  const GetUuid getUuid =
      cudart::driverFunction<GetUuid>(runtime, "cuDeviceGetUuid", cudart::kDriverVersionOfUuid);
  DeviceUuid uuid = {};
  int device = 0;
  if (!getDevice || !getUuid || getDevice(&device, ordinal) != cudart::kSuccess ||
      getUuid(&uuid, device) != cudart::kSuccess) {
    log(LogLevel::Warning,
        "device %d cannot be shared: its driver does not name it (needs CUDA 11.4)", ordinal);
    return nullptr;
  }
  return std::unique_ptr<ForeignKernels>(new ForeignKernels(uuid));
}

void ForeignKernels::read(const Board::Session& session, uint32_t generation) {
  if (generation_ == generation)
    return;
  generation_ = generation;
  former_.swap(foreign_);
  foreign_.clear();
  session.forEachOther(device_, [this](uint32_t seat, const SharedKernel& shared) {
    Foreign& added = foreign_.emplace_back(Foreign{runningOf(shared), nullptr, seat});
    for (Foreign& known : former_) // what a policy knows of a launch does not change
      if (known.running.firstSequence == shared.sequence)
        added.kernel = std::move(known.kernel);
    if (!added.kernel)
      added.kernel = std::make_unique<PolicyKernel>(kernelOf(shared));
    added.running.kernel = added.kernel.get();
  });
}

bool ForeignKernels::outrank(int32_t priority) const {
  return std::any_of(foreign_.begin(), foreign_.end(), [priority](const Foreign& foreign) {
    return foreign.running.priority > priority;
  });
}

void ForeignKernels::addTo(std::vector<RunningKernel>& running) const {
  for (const Foreign& foreign : foreign_)
    running.push_back(foreign.running);
  if (any())
    std::sort(running.begin(), running.end(), inOrder);
}

void ForeignKernels::removeFrom(std::vector<RunningKernel>& running) {
  std::erase_if(running, [](const RunningKernel& each) { return processOf(each.stream) != 0; });
}

const ForeignKernels::Foreign* ForeignKernels::find(uint64_t sequence) const {
  for (const Foreign& foreign : foreign_)
    if (foreign.running.lastSequence == sequence)
      return &foreign;
  return nullptr;
}

bool ForeignKernels::dropWaits(std::vector<uint64_t>& after) const {
  return std::erase_if(after, [this](uint64_t sequence) { return find(sequence) != nullptr; }) > 0;
}

void ForeignKernels::ask(Board::Session& session, const Decision& decision) const {
  const Foreign* const foreign = find(decision.sequence);
  if (foreign && decision.action == Action::SetBudget)
    session.ask(foreign->seat, {decision.sequence, decision.blocksPerSm, decision.blocksPerSmAlone,
                                decision.blocksPerSmAfter, decision.preempts});
}

void ForeignKernels::publish(Board::Session& session, uint32_t seat,
                             const std::vector<RunningEntry>& entries,
                             const RunningKernel* arriving) {
  auto runs = [&](uint64_t sequence) {
    return (arriving && arriving->firstSequence == sequence) ||
           std::any_of(entries.begin(), entries.end(), [&](const RunningEntry& entry) {
             return entry.seen.firstSequence == sequence;
           });
  };
  std::erase_if(published_, [&](const Published& known) {
    const bool ended = !runs(known.running.firstSequence);
    if (ended && known.kernel)
      session.remove(known.kernel);
    return ended;
  });
  bool hasUnmanaged = false;
  for (const RunningEntry& entry : entries) {
    if (!entry.seen.unmanaged || !hasUnmanaged)
      publishOne(session, seat, entry.seen);
    hasUnmanaged |= entry.seen.unmanaged;
    if (arriving && (runInTurn(entry.seen, *arriving) || (arriving->unmanaged && hasUnmanaged)))
      arriving = nullptr;
  }
  if (arriving)
    publishOne(session, seat, *arriving);
}

void ForeignKernels::publishOne(Board::Session& session, uint32_t seat,
                                const RunningKernel& running) {
  auto place = std::find_if(published_.begin(), published_.end(), [&](const Published& known) {
    return known.running.firstSequence == running.firstSequence;
  });
  if (place == published_.end())
    place = published_.insert(place, Published{});
  if (place->kernel && looksTheSame(place->running, running))
    return;
  place->running = running;
  if (!place->kernel)
    place->kernel = session.add();
  if (!place->kernel)
    return;
  write(*place->kernel, running, device_, seat);
  session.changed();
}

} // namespace gpusched
