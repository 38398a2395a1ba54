// Dispatcher.cpp - placement of blocks and completion of launches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Dispatcher.h for the model.
#include "rt/device/cpu/engine/Dispatcher.h"

#include "rt/device/cpu/engine/ChildGrids.h"
#include "rt/device/cpu/engine/Cluster.h"
#include "rt/device/cpu/engine/CounterSums.h"
#include "rt/device/cpu/engine/DeviceServices.h"
#include "rt/device/cpu/engine/Program.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace gpusched::cpu {

uint64_t ActiveLaunch::arenaBytes() const {
  if (kernel->usesReservedShared)
    return reservedSharedOffset() + kReservedShared;
  return checker ? sharedBytes : reservedSharedOffset();
}

ChildGrids& ActiveLaunch::childGrids() {
  std::call_once(childrenMade, [&] {
    children = std::make_shared<ChildGrids>(*launcher, services->memory(), request);
  });
  return *children;
}

Dispatcher::Dispatcher(const DeviceDescription& device, unsigned workers, const GpuOptions& options)
    : hangs(workers, options.hangSeconds), device_(device), options_(options), work_(workers),
      order_(device.sms), waitingBlocks_(workers), workers_(workers) {
  for (uint32_t i = 0; i < device.sms; ++i)
    sms.push_back(std::make_unique<StreamingMultiprocessor>(device, i));
  std::iota(order_.begin(), order_.end(), 0);
  if (options.seed)
    std::shuffle(order_.begin(), order_.end(), std::mt19937_64(options.seed));
}

void Dispatcher::submit(std::unique_ptr<ActiveLaunch> launch) {
  std::lock_guard lock(mutex_);
  launch->id = nextId_++;
  launch->seed = options_.seed;
  const uint64_t units = launch->blocks / launch->clusterBlocks;
  if (options_.seed)
    launch->order = StartOrder::shuffled(options_.seed + launch->id,
                                         capacity(launch->demand) / launch->clusterBlocks);
  if (units <= GpuOptions::kMostOrdered) {
    blockOrders_ = std::max(blockOrders_, permutations(units));
    if (options_.blockOrder)
      launch->order = StartOrder::permutation(options_.blockOrder - 1, units);
  }
  ++unfinished_;
  auto after = queue_.end(); // kernels may have queued many of one priority
  while (after != queue_.begin() &&
         (*std::prev(after))->request.priority > launch->request.priority)
    --after;
  queue_.insert(after, std::move(launch));
  placeAll();
}

void Dispatcher::drain() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return unfinished_ == 0; });
}

void Dispatcher::stop() {
  std::lock_guard lock(mutex_);
  stopping_ = true;
  for (std::condition_variable& worker : work_)
    worker.notify_all();
}

void Dispatcher::takeIncoming(StreamingMultiprocessor& sm) {
  std::lock_guard lock(mutex_);
  waitingBlocks_[sm.id % workers_] -= static_cast<uint32_t>(sm.incoming.size());
  for (std::unique_ptr<Block>& block : sm.incoming)
    sm.resident.push_back(std::move(block));
  sm.incoming.clear();
  sm.hasIncoming = false;
}

bool Dispatcher::waitForWork(unsigned worker) {
  std::unique_lock lock(mutex_);
  work_[worker].wait(lock, [&] { return waitingBlocks_[worker] > 0 || stopping_; });
  return waitingBlocks_[worker] > 0;
}

void Dispatcher::ended(std::unique_ptr<Block> block, StreamingMultiprocessor& sm) {
  Finished finished;
  {
    std::lock_guard lock(mutex_);
    ActiveLaunch& launch = block->launch;
    sm.unreserve(launch.demand);
    --launch.resident;
    if (launch.counting)
      addCounters(launch.outcome.counters, block->counters);
    if (!block->faultMessage.empty() && !launch.failed) {
      launch.failed = true;
      launch.outcome.status = Status::error(block->faultMessage);
      launch.outcome.trapped = block->trapped;
      launch.outcome.fault = block->fault;
    }
    block.reset();
    collect(launch, finished);
    refill(sm);
  }
  if (!finished.empty())
    complete(std::move(finished));
}

void Dispatcher::collect(ActiveLaunch& launch, Finished& finished) {
  if (launch.failed)
    launch.nextBlock = launch.blocks;
  if (launch.resident || launch.nextBlock < launch.blocks)
    return;
  for (auto it = queue_.begin(); it != queue_.end(); ++it) {
    if (it->get() != &launch)
      continue;
    finished.splice(finished.end(), queue_, it);
    return;
  }
}

void Dispatcher::complete(Finished finished) {
  for (std::unique_ptr<ActiveLaunch>& launch : finished) {
    launch->outcome.counters.launches = launch->counting;
    if (launch->children)
      launch->children->gridEnded(launch->outcome, std::move(launch->request.completion));
    else if (launch->request.completion)
      launch->request.completion(launch->outcome);
  }
  const size_t count = finished.size();
  finished.clear();
  std::lock_guard lock(mutex_);
  unfinished_ -= count;
  if (!unfinished_)
    idle_.notify_all();
}

ActiveLaunch* Dispatcher::firstPending() {
  for (std::unique_ptr<ActiveLaunch>& launch : queue_)
    if (launch->nextBlock < launch->blocks && !launch->failed)
      return launch.get();
  return nullptr;
}

StreamingMultiprocessor* Dispatcher::leastLoaded(const BlockDemand& demand) {
  StreamingMultiprocessor* best = nullptr;
  for (uint32_t id : order_) {
    StreamingMultiprocessor& sm = *sms[id];
    if ((!best || sm.blocks < best->blocks) && sm.fits(demand))
      best = &sm;
  }
  return best;
}

uint64_t Dispatcher::capacity(const BlockDemand& demand) const {
  StreamingMultiprocessor empty(device_, 0);
  while (empty.fits(demand))
    empty.reserve(demand);
  return uint64_t(empty.blocks) * sms.size();
}

uint64_t Dispatcher::blockOrders() const {
  std::lock_guard lock(mutex_);
  return blockOrders_;
}

void Dispatcher::failRunning(const std::string& why) {
  std::lock_guard lock(mutex_);
  std::string message = why;
  for (const std::unique_ptr<ActiveLaunch>& launch : queue_)
    if (launch->nextBlock < launch->blocks)
      message += "\n    " + std::to_string(launch->blocks - launch->nextBlock) +
                 " blocks of kernel '" + launch->kernel->facts.name +
                 "' have not started: no SM has room";
  for (const std::unique_ptr<ActiveLaunch>& launch : queue_) {
    if (!launch->resident || launch->failed)
      continue;
    launch->outcome.status = Status::error(message);
    launch->outcome.fault = Fault::Other;
    launch->failed = true;
  }
}

void Dispatcher::placeAll() {
  while (ActiveLaunch* launch = firstPending()) {
    while (launch->nextBlock < launch->blocks) {
      if (launch->clusterBlocks > 1) {
        if (!placeCluster(*launch))
          return;
        continue;
      }
      StreamingMultiprocessor* sm = leastLoaded(launch->demand);
      if (!sm)
        return;
      place(*launch, *sm);
    }
  }
}

/// Only `sm` has new room, so only it needs a look, until a launch has no blocks left.
void Dispatcher::refill(StreamingMultiprocessor& sm) {
  ActiveLaunch* launch = firstPending();
  if (!launch)
    return;
  if (launch->clusterBlocks > 1)
    return placeAll();
  while (launch->nextBlock < launch->blocks && sm.fits(launch->demand))
    place(*launch, sm);
  if (launch->nextBlock == launch->blocks)
    placeAll();
}

void Dispatcher::place(ActiveLaunch& launch, StreamingMultiprocessor& sm) {
  sm.reserve(launch.demand);
  const uint64_t block = launch.order.at(launch.nextBlock++, launch.blocks);
  start(std::make_unique<Block>(launch, block, sm.id), sm);
}

/// All blocks of the next cluster, or none: false if they do not fit now.
bool Dispatcher::placeCluster(ActiveLaunch& launch) {
  std::vector<StreamingMultiprocessor*> chosen;
  while (chosen.size() < launch.clusterBlocks) {
    StreamingMultiprocessor* const sm = leastLoaded(launch.demand);
    if (!sm) {
      for (StreamingMultiprocessor* taken : chosen)
        taken->unreserve(launch.demand);
      return false;
    }
    sm->reserve(launch.demand);
    chosen.push_back(sm);
  }
  const uint64_t number = launch.order.at(launch.nextBlock / launch.clusterBlocks,
                                          launch.blocks / launch.clusterBlocks);
  launch.nextBlock += launch.clusterBlocks;
  const std::shared_ptr<Cluster> cluster =
      std::make_shared<Cluster>(launch.clusterBlocks, launch.arenaBytes(),
                                launch.clusterBlocks * launch.request.block.count());
  for (uint32_t rank = 0; rank < launch.clusterBlocks; ++rank)
    start(std::make_unique<Block>(launch, number, rank, chosen[rank]->id, cluster), *chosen[rank]);
  return true;
}

void Dispatcher::start(std::unique_ptr<Block> block, StreamingMultiprocessor& sm) {
  ++block->launch.resident;
  sm.incoming.push_back(std::move(block));
  sm.hasIncoming = true;
  if (waitingBlocks_[sm.id % workers_]++ == 0)
    work_[sm.id % workers_].notify_one();
}

} // namespace gpusched::cpu
