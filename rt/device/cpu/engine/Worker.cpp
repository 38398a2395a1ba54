// Worker.cpp - the worker's loop.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slice is long, so that most blocks start and end within one while their registers are in
// the cache; accesses that spin loops are made of cost a lot of it (see kSpinCost).
#include "rt/device/cpu/engine/Worker.h"

#include "rt/device/cpu/engine/FaultGuard.h"

namespace gpusched::cpu {
namespace {

constexpr int64_t kSlice = 64 * 1024;

} // namespace

Worker::Worker(Dispatcher& dispatcher, unsigned index, unsigned workers)
    : dispatcher_(dispatcher), index_(index), workers_(workers), watch_(dispatcher.hangs, index),
      thread_([this] { loop(); }) {}

void Worker::loop() {
  for (;;) {
    bool worked = false;
    watch_.beginRound();
    for (size_t i = index_; i < dispatcher_.sms.size(); i += workers_)
      worked |= visit(*dispatcher_.sms[i]);
    if (worked) {
      if (watch_.endRound())
        reportRepetition();
      continue;
    }
    dispatcher_.hangs.idles(index_, true);
    if (!dispatcher_.waitForWork(index_))
      return;
    dispatcher_.hangs.idles(index_, false);
  }
}

/// The worker's blocks repeat themselves. If all workers' do, their launches fail.
void Worker::reportRepetition() {
  constexpr size_t kMostBlocks = 8;
  std::string who;
  size_t blocks = 0;
  for (size_t i = index_; i < dispatcher_.sms.size(); i += workers_)
    for (const std::unique_ptr<Block>& block : dispatcher_.sms[i]->resident)
      if (blocks++ < kMostBlocks)
        who += block->whoWaits();
  if (blocks > kMostBlocks)
    who += "\n    and " + std::to_string(blocks - kMostBlocks) + " more blocks";
  const std::string everybody = dispatcher_.hangs.repeats(index_, who);
  if (!everybody.empty())
    dispatcher_.failRunning("hang: every warp that runs repeats the same instructions, and no "
                            "memory changes; nothing they wait for can come" +
                            everybody);
}

bool Worker::visit(StreamingMultiprocessor& sm) {
  if (sm.hasIncoming.load(std::memory_order_acquire)) {
    dispatcher_.takeIncoming(sm);
    watch_.blockChanged();
  }
  if (sm.resident.empty())
    return false;
  for (size_t i = 0; i < sm.resident.size();) {
    Block& block = *sm.resident[i];
    const bool abandoned = block.launch.failed.load(std::memory_order_relaxed);
    if (!abandoned && slice(block) == BlockState::Running) {
      ++i;
      continue;
    }
    watch_.blockChanged();
    block.release(pool_);
    std::unique_ptr<Block> ended = std::move(sm.resident[i]);
    sm.resident.erase(sm.resident.begin() + static_cast<std::ptrdiff_t>(i));
    dispatcher_.ended(std::move(ended), sm);
    if (sm.hasIncoming.load(std::memory_order_relaxed))
      dispatcher_.takeIncoming(sm);
  }
  return true;
}

BlockState Worker::slice(Block& block) {
  const Launch& request = block.launch.request;
  if (request.stepLimit && *request.stepsUsed >= request.stepLimit) {
    block.reportStepLimit();
    return BlockState::Faulted;
  }
  BlockState state = BlockState::Faulted;
  int64_t left = kSlice;
  const std::optional<uint64_t> badAddress =
      catchBadAccess([&] { state = block.run(pool_, left, watch_.observing()); });
  if (!badAddress) {
    if (watch_.observing())
      watch_.observed(block.changedMemory(), block.stateHash());
    if (request.stepLimit)
      *request.stepsUsed += static_cast<uint64_t>(kSlice - left);
    return state;
  }
  block.reportBadAddress(*badAddress);
  return BlockState::Faulted;
}

} // namespace gpusched::cpu
