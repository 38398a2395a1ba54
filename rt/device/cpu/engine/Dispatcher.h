// Dispatcher.h - which block starts on which SM, and the queue of launches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: place the blocks of several launches on SMs with limited warps, registers,
// shared memory and block slots, as the hardware's work distributor does.
// Model: launches are ordered by priority, then by submission. A launch's blocks start in
// increasing linear order, or as StartOrder.h says, those of a cluster together; a later launch
// gets what is left once every block of the earlier ones has been placed. Among the SMs with room,
// the one with the fewest blocks takes it. Threads: submit() from any thread, the rest from
// workers; one mutex guards the queue and the SMs' reservations. It is held for placement only,
// never while a block runs.
#pragma once

#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/Gpu.h"
#include "rt/device/cpu/engine/HangMonitor.h"
#include "rt/device/cpu/engine/StartOrder.h"
#include "rt/device/cpu/engine/StreamingMultiprocessor.h"
#include "rt/device/cpu/memory/ReservedMemory.h"

#include <atomic>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>

namespace gpusched::cpu {

class Checker;
class ChildGrids;
class DeviceServices;
class Launcher;

/// A launch from submit() to completion.
struct ActiveLaunch {
  Launch request;
  const Kernel* kernel = nullptr;
  const DeviceDescription* device = nullptr;
  DeviceServices* services = nullptr;
  Checker* checker = nullptr; // null: no checks
  uint64_t id = 0;
  uint64_t sharedBytes = 0; // static and dynamic, of one block
  bool counting = false;
  uint64_t seed = 0;
  BlockDemand demand;
  /// The driver's scratch, which no limit counts, lies behind the program's shared memory.
  static constexpr uint64_t kReservedShared = 1024;
  uint64_t reservedSharedOffset() const { return (sharedBytes + 127) / 128 * 128; }
  /// What a block may reach. Shared memory is handed out in units of 128 bytes, and LLVM reads the
  /// rest of a vector behind an array's end; a checker sees it.
  uint64_t arenaBytes() const;
  ReservedBytes parameterBytes;
  const uint8_t* parameters() const { return parameterBytes.get(); }

  /// What cooperative groups finds through %envreg1 and 2: its size and the grid's barrier.
  struct GridWorkspace {
    uint32_t bytes = sizeof(GridWorkspace);
    uint32_t barrier = 0;
  };
  ReservedBytes gridWorkspace; // null unless the launch is cooperative
  uint64_t gridWorkspaceAddress() const { return reinterpret_cast<uint64_t>(gridWorkspace.get()); }

  /// What its threads launch; made when first asked for. Of the blocks that run.
  ChildGrids& childGrids();

  Launcher* launcher = nullptr;
  std::shared_ptr<ChildGrids> children; // null: it launched nothing
  std::once_flag childrenMade;

  // Under the dispatcher's mutex.
  uint64_t blocks = 0, nextBlock = 0, resident = 0;
  uint32_t clusterBlocks = 1; // that start together
  StartOrder order;
  LaunchOutcome outcome;
  std::atomic<bool> failed{false};
};

class Dispatcher {
public:
  Dispatcher(const DeviceDescription& device, unsigned workers, const GpuOptions& options);

  void submit(std::unique_ptr<ActiveLaunch> launch);
  void drain();
  void stop();

  // For workers.
  /// Moves the blocks placed on `sm` since the last call into sm.resident.
  void takeIncoming(StreamingMultiprocessor& sm);
  /// Sleeps until a block is placed on one of the worker's SMs; false when stopping.
  bool waitForWork(unsigned worker);
  /// The block has ended; places others in its room and completes its launch if it was the last.
  void ended(std::unique_ptr<Block> block, StreamingMultiprocessor& sm);

  /// Ends every launch that has resident blocks with an error; see HangMonitor.h.
  void failRunning(const std::string& why);
  uint64_t blockOrders() const;
  /// Blocks that fit an empty device.
  uint64_t capacity(const BlockDemand& demand) const;

  std::vector<std::unique_ptr<StreamingMultiprocessor>> sms;
  HangMonitor hangs;

private:
  using Finished = std::list<std::unique_ptr<ActiveLaunch>>;
  void place(ActiveLaunch& launch, StreamingMultiprocessor& sm);
  bool placeCluster(ActiveLaunch& launch);
  void start(std::unique_ptr<Block> block, StreamingMultiprocessor& sm);
  void placeAll();
  StreamingMultiprocessor* leastLoaded(const BlockDemand& demand);
  ActiveLaunch* firstPending();
  void refill(StreamingMultiprocessor& sm);
  void collect(ActiveLaunch& launch, Finished& finished);
  void complete(Finished finished);

  const DeviceDescription& device_;
  const GpuOptions options_;
  uint64_t blockOrders_ = 1;
  mutable std::mutex mutex_;
  std::vector<std::condition_variable> work_; // by worker
  std::condition_variable idle_;
  std::list<std::unique_ptr<ActiveLaunch>> queue_;
  std::vector<uint32_t> order_;         // SM ids, shuffled by the seed
  std::vector<uint32_t> waitingBlocks_; // by worker: placed and not yet taken
  unsigned workers_;
  uint64_t nextId_ = 1;
  uint64_t unfinished_ = 0;
  bool stopping_ = false;
};

} // namespace gpusched::cpu
