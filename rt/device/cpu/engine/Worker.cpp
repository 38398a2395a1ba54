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
    : dispatcher_(dispatcher), index_(index), workers_(workers), thread_([this] { loop(); }) {}

void Worker::loop() {
  for (;;) {
    bool worked = false;
    for (size_t i = index_; i < dispatcher_.sms.size(); i += workers_)
      worked |= visit(*dispatcher_.sms[i]);
    if (!worked && !dispatcher_.waitForWork(index_))
      return;
  }
}

bool Worker::visit(StreamingMultiprocessor& sm) {
  if (sm.hasIncoming.load(std::memory_order_acquire))
    dispatcher_.takeIncoming(sm);
  if (sm.resident.empty())
    return false;
  for (size_t i = 0; i < sm.resident.size();) {
    Block& block = *sm.resident[i];
    const bool abandoned = block.launch.failed.load(std::memory_order_relaxed);
    if (!abandoned && slice(block) == BlockState::Running) {
      ++i;
      continue;
    }
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
  BlockState state = BlockState::Faulted;
  const std::optional<uint64_t> badAddress =
      catchBadAccess([&] { state = block.run(pool_, kSlice); });
  if (!badAddress)
    return state;
  block.reportBadAddress(*badAddress);
  return BlockState::Faulted;
}

} // namespace gpusched::cpu
