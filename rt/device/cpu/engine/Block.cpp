// Block.cpp - running a block's warps, and its barriers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers count threads (Volta and later): the form without a thread count completes when
// every thread that has not exited is there. The counted form counts a warp as 32 once all its
// live lanes have come, as PTX counts a partial last warp.
#include "rt/device/cpu/engine/Block.h"

#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/Cluster.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/MemoryTrace.h"
#include "rt/device/cpu/engine/Program.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace gpusched::cpu {
namespace {

constexpr int64_t kWarpQuantum = 8192; // micro-ops of loop bodies before the next warp's turn
constexpr unsigned kQuantumBits = 14;  // of a random quantum: 1 to kWarpQuantum
constexpr int64_t kTurnCost = 32;      // what a turn costs the block at least
constexpr unsigned kBarriers = 16;

/// The position of a linear index in a box.
void place(uint64_t linear, const Dim3& size, uint32_t (&position)[3]) {
  position[0] = static_cast<uint32_t>(linear % size.x);
  position[1] = static_cast<uint32_t>(linear / size.x % size.y);
  position[2] = static_cast<uint32_t>(linear / size.x / size.y);
}

} // namespace

std::unique_ptr<Warp> BlockPool::takeWarp() {
  if (warps_.empty())
    return std::make_unique<Warp>();
  std::unique_ptr<Warp> warp = std::move(warps_.back());
  warps_.pop_back();
  return warp;
}

BlockPool::Shared BlockPool::takeShared(size_t bytes) {
  Shared shared;
  if (!shared_.empty()) {
    shared = std::move(shared_.back());
    shared_.pop_back();
  }
  if (shared.capacity < bytes)
    shared = {reserveBytes(bytes), bytes};
  return shared;
}

Block::Block(ActiveLaunch& launch, uint32_t sm) : launch(launch), sm(sm) {
  threads = static_cast<uint32_t>(launch.request.block.count());
  warpCount = (threads + kLanes - 1) / kLanes;
}

Block::Block(ActiveLaunch& launch, uint64_t linear, uint32_t sm) : Block(launch, sm) {
  linearIndex = linear;
  place(linear, launch.request.grid, index);
  if (launch.seed)
    random_ = (launch.seed * 0x9e3779b97f4a7c15 ^ (launch.id << 32) ^ linear) | 1;
}

Block::Block(ActiveLaunch& launch, uint64_t clusterNumber, uint32_t rank, uint32_t sm,
             std::shared_ptr<Cluster> cluster)
    : Block(launch, sm) {
  const Dim3 &grid = launch.request.grid, &size = launch.request.cluster;
  uint32_t first[3], within[3];
  place(clusterNumber, {grid.x / size.x, grid.y / size.y, grid.z / size.z}, first);
  place(rank, size, within);
  index[0] = first[0] * size.x + within[0];
  index[1] = first[1] * size.y + within[1];
  index[2] = first[2] * size.z + within[2];
  linearIndex = index[0] + uint64_t(grid.x) * (index[1] + uint64_t(grid.y) * index[2]);
  clusterRank = rank;
  cluster_ = std::move(cluster);
  sharesCluster_ = true;
  if (launch.seed)
    random_ = (launch.seed * 0x9e3779b97f4a7c15 ^ (launch.id << 32) ^ linearIndex) | 1;
}

Cluster& Block::cluster() {
  if (!cluster_)
    cluster_ = std::make_shared<Cluster>(warps_[0]->shared, launch.arenaBytes(), liveThreads_);
  return *cluster_;
}

Block::~Block() = default;

void Block::begin(BlockPool& pool) {
  begun_ = true;
  liveThreads_ = threads;
  // Zero bytes still need an address that no variable has.
  if (!sharesCluster_)
    shared_ = pool.takeShared(std::max<uint64_t>(launch.arenaBytes(), 64));
  if (launch.counting)
    trace = std::make_unique<MemoryTrace>();
  if (launch.checker)
    launch.checker->blockStarts(*this);
  for (uint32_t i = 0; i < warpCount; ++i) {
    std::unique_ptr<Warp> warp = pool.takeWarp();
    const uint32_t lanes = std::min(threads - i * kLanes, kLanes);
    warp->shared = sharesCluster_ ? cluster_->arena(clusterRank) : shared_.bytes.get();
    warp->sharedBytes = launch.arenaBytes();
    warp->start(*this, i, lanes == kLanes ? kAllLanes : (Mask(1) << lanes) - 1);
    warps_.push_back(std::move(warp));
  }
}

/// xorshift64*
uint64_t Block::random() {
  random_ ^= random_ >> 12;
  random_ ^= random_ << 25;
  random_ ^= random_ >> 27;
  return random_ * 0x2545f4914f6cdd1d >> 16;
}

/// A random warp, or the next after it that has not had the turn of its opening: an opening keeps
/// its promise under every seed.
size_t Block::drawWarp() {
  const size_t first = random() % warps_.size();
  for (size_t step = 0; step < warps_.size(); ++step) {
    const size_t next = (first + step) % warps_.size();
    const Warp& warp = *warps_[next];
    if (warp.live && !warp.sleeping && warp.opening())
      return next;
  }
  return first;
}

BlockState Block::run(BlockPool& pool, int64_t& budget, bool watch) {
  if (!begun_)
    begin(pool);
  size_t idle = 0;
  while (budget > 0) {
    if (random_ && idle == 0)
      next_ = drawWarp();
    Warp& warp = *warps_[next_];
    next_ = next_ + 1 == warps_.size() ? 0 : next_ + 1;
    if (!warp.live || warp.sleeping) {
      if (++idle >= warps_.size())
        return liveThreads_ ? deadlock() : finish();
      continue;
    }
    idle = 0;
    running = &warp;
    const int64_t quantum =
        random_ && !warp.opening() ? int64_t(1) << random() % kQuantumBits : kWarpQuantum;
    const WarpState state = warp.run(quantum, launch.counting, watch);
    if (state == WarpState::Faulted)
      return BlockState::Faulted;
    budget -= quantum - warp.budget + kTurnCost;
  }
  return BlockState::Running;
}

BlockState Block::finish() {
  if (launch.counting) {
    for (const std::unique_ptr<Warp>& warp : warps_)
      addCounters(*warp);
    counters.blocks = 1;
    counters.warps = warpCount;
    counters.threads = threads;
    trace->addTo(counters);
  }
  return BlockState::Finished;
}

BlockState Block::deadlock() {
  for (const std::unique_ptr<Warp>& warp : warps_) {
    if (!warp->live)
      continue;
    running = warp.get();
    reportFault(
        *warp, warp->barrierOp(),
        std::string("deadlock: every remaining thread of the block waits at a barrier that cannot "
                    "complete; threads that take another path must reach it too") +
            whoWaits());
    break;
  }
  return BlockState::Faulted;
}

void Block::release(BlockPool& pool) {
  for (std::unique_ptr<Warp>& warp : warps_)
    pool.giveWarp(std::move(warp));
  warps_.clear();
  if (begun_ && !sharesCluster_)
    pool.giveShared(std::move(shared_));
}

void Block::addCounters(const Warp& warp) {
  uint64_t* const classes[kOpClasses] = {
      &counters.integer, &counters.fp16,       &counters.fp32,    &counters.fp64,
      &counters.sfu,     &counters.conversion, &counters.control, &counters.loadStore,
      &counters.atomic,  &counters.barrier,    &counters.tensor,  &counters.other};
  for (unsigned i = 0; i < kOpClasses; ++i) {
    *classes[i] += warp.classCounts[i];
    counters.warpInstructions += warp.classCounts[i];
  }
  counters.laneInstructions += warp.laneInstructions;
  counters.flops += warp.flops;
  counters.divergentBranches += warp.divergentBranches;
}

bool Block::mixes(const BarrierUse& use) const {
  if (barriers_.empty())
    return false;
  const Barrier& barrier = barriers_[use.id % kBarriers];
  return barrier.arrived && barrier.reduction != use.reduction;
}

bool Block::arrive(Warp& warp, const MicroOp* op, Mask mask, const BarrierUse& use) {
  if (barriers_.empty())
    barriers_.resize(kBarriers);
  Barrier& barrier = barriers_[use.id % kBarriers];
  if (launch.checker)
    launch.checker->barrierArrives(warp, use.id % kBarriers, mask, use.waits);
  if (barrier.lanes.size() != warpCount)
    barrier.lanes.assign(warpCount, 0);
  barrier.lanes[warp.index] |= mask;
  barrier.arrived += std::popcount(mask);
  barrier.expected = use.expected;
  if (use.reduction != BarrierUse::Reduction::None) {
    barrier.reduction = use.reduction;
    barrier.total += std::popcount(mask);
    barrier.predicateCount += std::popcount(mask & use.predicate);
  }
  if (!satisfied(barrier))
    return false;
  storeReduction(barrier, op, warp.registers, mask);
  complete(use.id % kBarriers);
  return true;
}

bool Block::satisfied(const Barrier& barrier) const {
  if (!barrier.arrived)
    return false;
  if (!barrier.expected)
    return barrier.arrived >= liveThreads_;
  uint32_t counted = 0;
  for (uint32_t i = 0; i < warpCount; ++i) {
    const Mask there = barrier.lanes[i];
    const bool whole = there && (there & warps_[i]->live) == warps_[i]->live;
    counted += whole ? kLanes : std::popcount(there);
  }
  return counted >= barrier.expected;
}

void Block::storeReduction(const Barrier& barrier, const MicroOp* op, uint8_t* registers,
                           Mask mask) {
  if (barrier.reduction == BarrierUse::Reduction::None)
    return;
  uint8_t* const slot = registers + op->slot[0];
  if (barrier.reduction == BarrierUse::Reduction::Popc) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (mask >> lane & 1)
        std::memcpy(slot + lane * 4, &barrier.predicateCount, 4);
    return;
  }
  const bool result = barrier.reduction == BarrierUse::Reduction::And
                          ? barrier.predicateCount == barrier.total
                          : barrier.predicateCount > 0;
  Mask value;
  std::memcpy(&value, slot, sizeof value);
  value = (value & ~mask) | (result ? mask : 0);
  std::memcpy(slot, &value, sizeof value);
}

void Block::complete(unsigned id) {
  Barrier& barrier = barriers_[id];
  if (launch.checker)
    launch.checker->barrierCompletes(*this, id);
  for (std::unique_ptr<Warp>& warp : warps_)
    warp->releaseBarrier(id, [&](const Group& group) {
      storeReduction(barrier, group.pc - 1, group.frame->registers.get(), group.mask);
    });
  std::vector<Mask> lanes = std::move(barrier.lanes);
  std::fill(lanes.begin(), lanes.end(), 0);
  barrier = {};
  barrier.lanes = std::move(lanes);
}

void Block::multiplied(const Warp& warp) {
  if (multiplies_.empty())
    multiplies_.resize(warpCount);
  ++multiplies_[warp.index];
}

bool Block::othersMultiply(const Warp& warp) const {
  constexpr uint32_t kGroupWarps = 4;
  if (multiplies_.empty())
    return false;
  const uint32_t first = warp.index / kGroupWarps * kGroupWarps;
  for (uint32_t i = first; i < std::min(first + kGroupWarps, warpCount); ++i)
    if (warps_[i]->live && multiplies_[i] < multiplies_[warp.index])
      return true;
  return false;
}

void Block::lanesExited(Warp& warp, Mask mask) {
  liveThreads_ -= std::popcount(mask);
  if (cluster_)
    cluster_->exit(static_cast<unsigned>(std::popcount(mask)),
                   {static_cast<unsigned>(std::popcount(mask & warp.clusterArrived[0])),
                    static_cast<unsigned>(std::popcount(mask & warp.clusterArrived[1]))});
  for (unsigned id = 0; id < barriers_.size(); ++id)
    if (satisfied(barriers_[id]))
      complete(id);
}

void Block::reportFault(const Warp& warp, const MicroOp* op, const std::string& what, Fault kind) {
  fault = kind;
  const LoadedModule& module = *launch.kernel->function->module;
  const DecodedFunction* function = module.functionAt(op);
  std::string place = "kernel '" + launch.kernel->facts.name + "', block (" +
                      std::to_string(index[0]) + "," + std::to_string(index[1]) + "," +
                      std::to_string(index[2]) + "), warp " + std::to_string(warp.index);
  if (function) {
    const ptx::Instruction& instruction = function->source->body[op->instruction];
    if (function != launch.kernel->function)
      place += ", in '" + function->source->name + "'";
    place += ", PTX line " + std::to_string(instruction.line) + " `" + instruction.text + "`";
  }
  faultMessage = place + ": " + what;
}

void Block::reportStepLimit() {
  const std::string what = "stopped: the launch and what it launched have used up the " +
                           std::to_string(launch.request.stepLimit) + " instructions allowed";
  if (running)
    return reportFault(*running, running->barrierOp(), what);
  fault = Fault::Other;
  faultMessage = "kernel '" + launch.kernel->facts.name + "': " + what;
}

void Block::reportBadAddress(uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  reportFault(*running, running->memoryOp,
              std::string("illegal memory access at address ") + text +
                  ", which is not mapped; check the pointer and the index",
              Fault::IllegalAddress);
}

} // namespace gpusched::cpu
