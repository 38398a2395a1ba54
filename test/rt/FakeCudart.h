// FakeCudart.h - a CUDA runtime in a few hundred lines, driven step by step by a test.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams are queues of operations; nothing moves until the test calls step() or drain(), so a
// test can look at any moment of a run. step() lets every stream make one small move: a copy, an
// event, or one logical block of the kernel at its head. Kernels are FakeKernel objects; their
// addresses serve as host stubs. A persistent twin runs the claim loop of Persistent.cuh
// against the control block: slots per SM, mask, budget, pause. Stream null is a stream of its
// own (no legacy synchronisation). Calls the real runtime refuses are refused by `fail`.
//
// One process-wide instance, because the table holds plain function pointers. Thread-safe by
// one lock; waiting calls (streamSynchronize) step the device themselves.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

struct FakeKernel {
  const char* name = "k";
  const FakeKernel* persistentOf = nullptr; // set: this is a twin
  int registers = 32;
  size_t staticShared = 0;
  int maxDynamicShared = 49152;
  int mostDynamicShared = 1 << 30; // what the device has: more cannot be set
  int occupancy = 4;
  int maxThreads = 1024;
  int carveout = -1;
  int binaryVersion = 90;
  int module = 0;
  /// Runs logical block `id`; `arguments` are those of the native form.
  std::function<void(uint64_t id, void** arguments)> body;
  uint32_t parameters = 0;
  /// Of a native kernel: when given, the values are copied by the launch, as CUDA does.
  std::vector<uint32_t> parameterBytes = {};
};

class FakeCudart {
public:
  static FakeCudart& instance();
  const gpusched_cudart* table();

  int sms = 4;
  int computeMajor = 6, computeMinor = 1;
  int clockKhz = 0, memoryBusBits = 0, memoryClockKhz = 0, l2Bytes = 0;
  int blocksPerStep = 1; // logical blocks that a kernel runs in one step
  bool capturing = false;
  std::set<void*> capturingStreams;
  bool waitValue = true; // has cuStreamWaitValue32
  uint64_t context = 1;  // number of the current context; another one after a reset
  std::atomic<void*> contextSetTo{nullptr};       // by cuCtxSetCurrent
  std::atomic<bool> contextSetWaits{false};       // it comes back when this is false again
  bool captureElsewhere = false;                  // another thread captures in the default mode
  static inline thread_local int captureMode = 0; // relaxed = 2
  bool spoiltCapture = false;                     // somebody made a call that a capture forbids
  uint64_t mallocs = 0;
  uint64_t steps = 0;        // so far
  bool telemetry = false;    // twins write records
  bool contend = false;      // kernels beside each other stand still in three steps of four
  bool twinsContend = false; // the same where a twin is one of them
  std::set<std::string>
      fail; // names of table entries, or of kernels to launch, that return an error
  static inline thread_local int lastError = 0;
  int highestPriority = -5;
  std::map<void*, int> streamPriorities; // of those that have one

  void* makeStream();
  void* makeStream(int priority);
  /// One small move of every stream; false when none could move.
  bool step();
  void drain();
  bool idle() const;
  /// Workers of all launches of `twin` that hold a slot now.
  uint32_t workersOf(const FakeKernel* twin) const;

  /// A launch as CUDA was asked for it.
  struct Launched {
    const FakeKernel* kernel;
    gpusched_dim3 grid, block;
    size_t sharedBytes;
    void* stream;
    int priority = 0;
  };

  // What happened.
  std::vector<Launched> launched;           // in order of submission
  std::vector<std::string> started;         // names, in order of start
  std::set<std::set<std::string>> together; // sets of kernels seen running at one moment
  uint64_t nativeLaunches = 0, persistentLaunches = 0;
  uint64_t copies = 0, records = 0; // of events
  uint64_t eventsMade = 0;          // so far
  uint64_t lastWorkers = 0;
  gpusched_params lastParams = {}; // of the last twin
  size_t lastShared = 0;           // dynamic shared bytes of the last launch
  size_t lastHelpersShared = 0;
  uint64_t helpingLaunches = 0;
  uint64_t waits = 0;                           // enqueued by streamWaitEvent
  uint64_t workersLeft = 0;                     // that had a slot and gave it up
  std::map<uint32_t, uint32_t> mostWorkersOnSm; // over all persistent launches
  void forget();

private:
  struct Event {
    uint64_t recorded = 0, reached = 0;
    uint64_t step = 0; // when it was last reached: a step takes a millisecond
  };
  struct Worker {
    uint32_t sm = 0, slot = 0;
    uint64_t begin = 0; // nanoseconds: a step takes a millisecond
    uint32_t blocks = 0;
    uint64_t claim = 0; // of a launch without slots
  };
  struct Operation {
    enum Kind { Copy, Set, Host, Record, WaitEvent, WaitValue, Kernel } kind = Copy;
    void* to = nullptr;
    const void* from = nullptr;
    size_t bytes = 0;
    int value = 0;
    void (*hostFunction)(void*) = nullptr;
    Event* event = nullptr;
    uint64_t ticket = 0;
    const FakeKernel* kernel = nullptr;
    gpusched_dim3 grid{};
    std::vector<void*> arguments;
    std::shared_ptr<std::vector<std::vector<char>>> values; // of the arguments, where copied
    gpusched_params params{};
    bool begun = false, entered = false;
    uint64_t nextBlock = 0, notArrived = 0;
    std::vector<Worker> workers;
  };
  struct Stream {
    std::deque<Operation> queue;
  };
  friend struct FakeEntries;

  bool advance(Operation& operation); // true when it is finished
  bool contended() const;
  bool advanceNative(Operation& operation);
  bool advancePersistent(Operation& operation);
  bool advanceAlone(Operation& operation);
  static bool allClaimed(const Operation& operation);
  static bool findsWork(const Operation& operation);
  void arrive(Operation& operation);
  void record(const gpusched_control& control, const Worker& worker) const;
  bool refused(const char* name);

  mutable std::recursive_mutex mutex_;
  std::map<void*, Stream> streams_;
  std::deque<Event> events_;
  std::deque<char> streamHandles_;
  uint32_t nextSm_ = 0;
};
