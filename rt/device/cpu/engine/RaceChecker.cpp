// RaceChecker.cpp - clocks, what raises them, and the comparison of accesses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp's clock steps at every synchronisation it takes part in, so an access is named by warp,
// lane and clock, and "known up to clock c" covers what came before the step.
#include "rt/device/cpu/engine/RaceChecker.h"

#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/CheckText.h"
#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/Cluster.h"
#include "rt/device/cpu/engine/Dispatcher.h"
#include "rt/device/cpu/engine/Program.h"

#include <algorithm>
#include <bit>

namespace gpusched::cpu {
namespace {

RaceBlock& raceBlock(const Warp& warp) {
  return *warp.block->shadow->race;
}
RaceWarp& raceWarp(const Warp& warp) {
  return raceBlock(warp).warps[warp.index];
}

/// Everything the warp knows, its own accesses included.
KnowledgeRef everything(const RaceWarp& warp, unsigned index) {
  const std::shared_ptr<Knowledge> all =
      warp.others ? std::make_shared<Knowledge>(*warp.others) : std::make_shared<Knowledge>();
  WarpClocks own = warp.known;
  own[index] = warp.clock;
  all->raise(warp.serial, own);
  return all;
}

void learn(RaceWarp& warp, const KnowledgeRef& more) {
  warp.others = Knowledge::merged(warp.others, more);
}

void acquirePending(RaceWarp& warp) {
  if (warp.pending)
    learn(warp, std::exchange(warp.pending, nullptr));
}

/// The lanes of `mask` know each other's accesses, and what each of them knew.
void synchroniseLanes(RaceWarp& warp, Mask mask) {
  uint32_t joined[kLanes] = {};
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    for (unsigned i = 0; i < kLanes; ++i)
      joined[i] = std::max(joined[i], warp.seen[lane][i]);
  }
  for (Mask rest = mask; rest; rest &= rest - 1)
    joined[std::countr_zero(rest)] = warp.clock;
  for (Mask rest = mask; rest; rest &= rest - 1)
    std::copy(std::begin(joined), std::end(joined), warp.seen[std::countr_zero(rest)]);
}

const char* nameOf(const PastAccess& access) {
  return access.atomic ? "atomic" : access.writes ? "write" : "read";
}

} // namespace

uint32_t RaceChecker::newSerial(const Block& block) {
  blockOf_.push_back({block.index[0], block.index[1], block.index[2]});
  return static_cast<uint32_t>(blockOf_.size() - 1);
}

std::unique_ptr<RaceBlock> RaceChecker::begin(const Block& block) {
  std::unique_ptr<RaceBlock> race = std::make_unique<RaceBlock>();
  race->serials.push_back(newSerial(block));
  race->isWorker = block.launch.kernel->function->hasLogicalBlocks;
  race->warps.resize(block.warpCount);
  for (RaceWarp& warp : race->warps)
    warp.serial = race->serials[0];
  race->shared.resize((block.launch.arenaBytes() + ShadowCell::kBytes - 1) / ShadowCell::kBytes);
  return race;
}

void RaceChecker::nextLogicalBlock(Warp& warp) {
  RaceBlock& race = raceBlock(warp);
  RaceWarp& mine = race.warps[warp.index];
  if (++mine.logicalBlock >= race.serials.size()) {
    race.serials.push_back(newSerial(*warp.block));
    race.sync.clear();
  }
  mine.serial = race.serials[mine.logicalBlock];
  ++mine.clock;
  mine.known = {};
  mine.others = mine.released = mine.pending = nullptr;
}

bool RaceChecker::ordered(const RaceWarp& warp, unsigned index, unsigned lane,
                          const PastAccess& past) const {
  const uint32_t serial = past.warp / kWarpsOfBlock, other = past.warp % kWarpsOfBlock;
  if (serial != warp.serial)
    return warp.others && warp.others->covers(serial, other, past.clock);
  if (other != index)
    return warp.known[other] >= past.clock ||
           (warp.others && warp.others->covers(serial, other, past.clock));
  return past.lane == lane || warp.seen[lane][past.lane] >= past.clock;
}

void RaceChecker::made(Warp& warp, const Touch& touch, bool changed) {
  const uint64_t arena = reinterpret_cast<uint64_t>(warp.shared);
  const bool shared = touch.shared || touch.address - arena < warp.sharedBytes;
  if (!shared && (warp.ownsLocal(touch.address) ||
                  touch.address - reinterpret_cast<uint64_t>(warp.parameters) <
                      warp.block->launch.kernel->facts.parameterBytes))
    return;
  if (!shared && warp.block->sharesCluster() &&
      warp.block->cluster().rankOf(touch.address) != warp.block->cluster().blocks())
    return; // another block's shared memory
  RaceBlock& race = raceBlock(warp);
  RaceWarp& mine = race.warps[warp.index];
  const uint64_t address = shared && !touch.shared ? touch.address - arena : touch.address;
  const Access& how = *touch.how;
  PastAccess now;
  now.warp = mine.serial * kWarpsOfBlock + warp.index;
  now.clock = mine.clock;
  now.op = static_cast<uint32_t>(warp.steady(touch.op) - warp.frame->function->module->code.data());
  now.lane = static_cast<uint8_t>(touch.lane);
  now.writes = how.writes;
  now.changed = how.writes && (changed || how.atomic);
  now.strong = how.strong;
  now.atomic = how.atomic;
  now.blockScope = how.blockScope;
  for (uint64_t at = address; at < address + touch.bytes;) {
    const unsigned first = at % ShadowCell::kBytes;
    const unsigned count = static_cast<unsigned>(
        std::min<uint64_t>(ShadowCell::kBytes - first, address + touch.bytes - at));
    now.bytes = static_cast<uint8_t>(((1u << count) - 1) << first);
    ShadowCell& cell =
        shared ? race.shared[at / ShadowCell::kBytes] : global_.cell(at, warp.block->launch.id);
    compare(warp, touch, cell, now, shared, at);
    at += count;
  }
  // A worker that takes its place learns and tells nothing: its logical blocks must not gain
  // an order from it that they do not have as blocks.
  const bool entering = race.isWorker && mine.logicalBlock == 0;
  if (how.strong && !entering)
    synchronise(warp, touch, syncOf(warp, shared, address));
}

/// Compares an access with the cell's, forgets those it makes irrelevant, and adds it.
void RaceChecker::compare(Warp& warp, const Touch& touch, ShadowCell& cell, PastAccess now,
                          bool shared, uint64_t address) {
  const RaceWarp& mine = raceWarp(warp);
  for (PastAccess& past : cell.past) {
    if (!past.bytes)
      continue;
    if (shared && past.warp / kWarpsOfBlock != mine.serial) {
      past.bytes = 0; // another logical block's shared memory
      continue;
    }
    const bool before = ordered(mine, warp.index, now.lane, past);
    const bool sameScope =
        !(past.blockScope || now.blockScope) || past.warp / kWarpsOfBlock == mine.serial;
    const bool conflict = (now.writes ? now.changed : past.changed) && (past.bytes & now.bytes) &&
                          !(past.strong && now.strong && sameScope);
    if (!before && conflict)
      report(warp, touch, past, now, shared, address);
    const bool stands = before && (now.writes || !past.writes) && (!now.strong || past.strong) &&
                        (now.changed || !past.changed);
    if (stands)
      past.bytes &= static_cast<uint8_t>(~now.bytes);
  }
  cell.add(now);
}

RaceSync& RaceChecker::syncOf(Warp& warp, bool shared, uint64_t address) {
  RaceSync& sync = shared ? raceBlock(warp).sync[address] : sync_[address];
  if (sync.launch != warp.block->launch.id)
    sync = {warp.block->launch.id, nullptr};
  return sync;
}

void RaceChecker::synchronise(Warp& warp, const Touch& touch, RaceSync& sync) {
  RaceWarp& mine = raceWarp(warp);
  const Access& how = *touch.how;
  if (how.reads && sync.knowledge) {
    if (how.acquire)
      learn(mine, sync.knowledge);
    else
      mine.pending = Knowledge::merged(mine.pending, sync.knowledge);
  }
  if (how.writes && how.release)
    fence(warp);
  if (how.writes && mine.released)
    sync.knowledge = how.reads ? Knowledge::merged(sync.knowledge, mine.released) : mine.released;
}

void RaceChecker::fence(Warp& warp) {
  RaceWarp& mine = raceWarp(warp);
  acquirePending(mine);
  mine.released = everything(mine, warp.index);
  ++mine.clock;
}

void RaceChecker::releases(Warp& warp, uint64_t object) {
  fence(warp);
  RaceSync& sync = syncOf(warp, true, object);
  sync.knowledge = Knowledge::merged(sync.knowledge, raceWarp(warp).released);
}

void RaceChecker::acquires(Warp& warp, uint64_t object) {
  const KnowledgeRef& knowledge = syncOf(warp, true, object).knowledge;
  RaceWarp& mine = raceWarp(warp);
  learn(mine, knowledge);
  if (!knowledge)
    return;
  // What other lanes of the warp did before their arrival.
  const uint32_t clock = knowledge->clockOf(mine.serial, warp.index);
  for (auto& lane : mine.seen)
    for (uint32_t& seen : lane)
      seen = std::max(seen, clock);
}

RaceSync& RaceChecker::clusterSync(Warp& warp) {
  return syncOf(warp, false, reinterpret_cast<uint64_t>(&warp.block->cluster()));
}

void RaceChecker::clusterArrives(Warp& warp, Mask lanes) {
  synchroniseLanes(raceWarp(warp), lanes);
  fence(warp);
  RaceSync& sync = clusterSync(warp);
  sync.knowledge = Knowledge::merged(sync.knowledge, raceWarp(warp).released);
}

void RaceChecker::clusterPassed(Warp& warp) {
  learn(raceWarp(warp), clusterSync(warp).knowledge);
}

void RaceChecker::barrierArrives(Warp& warp, unsigned id, Mask lanes, bool waits) {
  RaceWarp& mine = raceWarp(warp);
  RaceBarrier& barrier = raceBlock(warp).barriers[id];
  acquirePending(mine);
  synchroniseLanes(mine, lanes);
  WarpClocks own = mine.known;
  own[warp.index] = mine.clock;
  raise(barrier.known, own);
  barrier.others = Knowledge::merged(barrier.others, mine.others);
  if (waits)
    barrier.waiting[warp.index] |= lanes;
  ++mine.clock;
}

void RaceChecker::barrierCompletes(Block& block, unsigned id) {
  RaceBlock& race = *block.shadow->race;
  RaceBarrier& barrier = race.barriers[id];
  for (unsigned i = 0; i < block.warpCount; ++i) {
    if (!barrier.waiting[i])
      continue;
    RaceWarp& warp = race.warps[i];
    raise(warp.known, barrier.known);
    learn(warp, barrier.others);
    // Groups of one warp that came one after the other.
    for (Mask rest = barrier.waiting[i]; rest; rest &= rest - 1)
      for (Mask other = barrier.waiting[i]; other; other &= other - 1) {
        uint32_t& clock = warp.seen[std::countr_zero(rest)][std::countr_zero(other)];
        clock = std::max(clock, barrier.known[i]);
      }
  }
  barrier = {};
}

/// Lanes that wait for others arrive in several groups; none goes on before the last is there.
void RaceChecker::warpBarrier(Warp& warp, Mask arriving, Mask named) {
  std::vector<std::pair<Mask, Mask>>& open = raceBlock(warp).warpBarriers[warp.index];
  auto mine = std::find_if(open.begin(), open.end(), [&](const std::pair<Mask, Mask>& entry) {
    return entry.first == named;
  });
  if (mine == open.end())
    mine = open.insert(open.end(), {named, 0});
  mine->second |= arriving;
  if ((mine->second & named & warp.live) != (named & warp.live))
    return;
  synchroniseLanes(raceWarp(warp), mine->second);
  ++raceWarp(warp).clock;
  open.erase(mine);
}

void RaceChecker::report(Warp& warp, const Touch& touch, const PastAccess& past,
                         const PastAccess& now, bool shared, uint64_t address) {
  const Kernel& kernel = *warp.block->launch.kernel;
  const auto here = [&] { return sourcePlace(kernel, touch.op); };
  const auto there = [&] {
    return sourcePlace(kernel, kernel.function->module->code.data() + past.op);
  };
  const auto line = [&] {
    std::string first = std::string(nameOf(now)) + " at " + here().at();
    std::string second = std::string(nameOf(past)) + " at " + there().at();
    if (second < first)
      std::swap(first, second);
    return std::string("race: ") + (shared ? "shared" : "global") + " memory, " + first + " and " +
           second + " in kernel '" + here().kernel + "'";
  };
  const FindingKey key{kernel.function->serial,
                       shared ? "shared" : "global",
                       nameOf(now),
                       nameOf(past),
                       now.op,
                       past.op};
  report_.add(key, line, [&] {
    std::string where =
        shared ? "shared " + sharedVariable(warp, address) : "address " + hexadecimal(address);
    if (!shared)
      if (const auto near = memory_.nearest(reinterpret_cast<void*>(address));
          near && !near->distance)
        where += ", byte " +
                 std::to_string(address - reinterpret_cast<uint64_t>(near->allocation.base)) +
                 " of an allocation of " + std::to_string(near->allocation.bytes);
    return "    " + where + "\n    now:     " + threadText(warp, now.lane) + ", " + nameOf(now) +
           ", " + here().describe() + "\n    earlier: " +
           threadText(*warp.block, blockOf_[past.warp / kWarpsOfBlock], past.warp % kWarpsOfBlock,
                      past.lane) +
           ", " + nameOf(past) + ", " + there().describe() + "\n";
  });
}

} // namespace gpusched::cpu
