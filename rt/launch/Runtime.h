// Runtime.h - one launch, from the program's <<<>>> to the device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   gpusched_rt_launch (Launch.cpp)
//     -> plan     registry + CUDA attributes + profile, cached per configuration  LaunchPlan.h
//     -> decide   the policy, or the forced variant                               Policy.h
//     -> order    cudaStreamWaitEvent on the launches that must end first
//     -> enqueue  native, or control block + persistent twin PersistentLaunch.h
//     -> follow   one event; running set, control pool, trace                     RunningSet.h
//
// How a launch is held back. "Wait for A and B" becomes cudaStreamWaitEvent on the events
// recorded behind A and B: the device holds the launch in its own stream, the program's thread
// goes on. An event that is waited for was always recorded earlier, so the waits point back in
// order of submission and cannot form a cycle, with the legacy default stream, with any number
// of hardware queues and in programs that never synchronise. A host word opened later by a
// thread of ours (cuStreamWaitValue32) would allow later decisions, but two streams that
// share a hardware queue then deadlock: rejected for scheduling, used only for pausing, where
// nothing but host memory is needed to open it. Waiting longer than necessary is the worst that a
// wrong decision can do to results.
//
// A PerDevice stands for a context. Those of contexts that were reset stay, since nothing tells
// that they are over; they hold a few kilobytes of host memory and are not touched again.
//
// Threads: any. Without a policy, launches take the device's lock for the control pool only, and
// enqueue without it. With one, decide-order-enqueue-follow is one critical section per device,
// because the next decision must see this launch's event. Nothing blocks in it but the
// CUDA runtime itself, which does where a stream's queue is full; so a launch in a deep queue is
// followed first, and enqueued without the lock (Apart.cpp).
//
// Budgets of running kernels go down by rewriting a word and up by a helping launch (Elastic.cpp).
// Where processes share the GPU, the policy sees the kernels of all (Sharing.cpp). There is a
// thread of ours then, and where a kernel has less than it would have alone (Attendant.cpp).
// Two launches side by side in the source may become one (PairedLaunch.h).
//
// Any failure launches natively (returns 0), with one log line per cause.
#pragma once

#include "rt/launch/Bell.h"
#include "rt/launch/ContextIds.h"
#include "rt/launch/CurrentContext.h"
#include "rt/launch/ForeignKernels.h"
#include "rt/launch/KernelRegistry.h"
#include "rt/launch/LaunchDevice.h"
#include "rt/launch/PairedLaunch.h"
#include "rt/launch/PersistentLaunch.h"
#include "rt/launch/RunningSet.h"
#include "rt/launch/Settings.h"
#include "rt/launch/StreamDepths.h"
#include "rt/launch/Telemetry.h"
#include "rt/launch/TraceRecorder.h"
#include "rt/launch/Trials.h"
#include "rt/policy/NativePairs.h"
#include "rt/policy/PredictionMemo.h"
#include "rt/policy/Priorities.h"
#include "rt/profile/ProfileStore.h"
#include "rt/sharing/Board.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>

namespace gpusched {

/// What makes a launch that only its caller can make, see gpusched_rt_launch_unmanaged_function.
struct UnmanagedLaunch {
  int (*make)(void* data);
  void* data;
};

class Runtime {
public:
  /// `policy` null: the one that the settings name.
  explicit Runtime(Settings settings, std::unique_ptr<Policy> policy = nullptr);
  ~Runtime();

  /// See gpusched_rt_launch_function.
  bool launch(const gpusched_launch_request& request, int& error);
  /// See gpusched_rt_launch_unmanaged_function.
  bool launchUnmanaged(const gpusched_launch_request& request, const UnmanagedLaunch& unmanaged,
                       int& error);
  /// Code that was launched goes away: forgets it, and gives launches in flight no more workers.
  void unloading();
  /// Stops the claims of every pausable launch in flight; returns how many were paused.
  size_t pauseAll();
  void resumeAll();
  /// Writes the trace and the telemetry, if they were asked for.
  void finish();

private:
  /// What the policy, or the forced variant, wants of one launch.
  struct Wish {
    Decision decision;
    uint32_t budget = 0; ///< blocks per SM; 0 = as many as fit
    bool masked = false;
    SmMask mask;
  };
  struct Pausable {
    ControlSlot* slot = nullptr;
    Completion* completion = nullptr;
    uint64_t sequence = 0;
    uint32_t budget = 0, spares = 0, pauses = 0;
    bool paused = false;
    bool over = false; ///< only while the list is gone through
  };
  struct TracedSpan {
    uint64_t sequence = 0;
    LaunchTimes::Span span;
  };
  /// A raise that the device makes by itself once others have ended.
  struct Relief {
    uint64_t owner = 0; ///< firstSequence of the entry
    ControlSlot* slot = nullptr;
    uint32_t word = 0;            ///< of the slot's relief words
    Completion* copied = nullptr; ///< done: the word was read
    uint32_t budget = 0;          ///< 0: it was dropped, and changes nothing
  };
  /// What a raise waits for, and in which stream (LaunchDevice::reliefStream).
  struct RaiseBehind {
    bool sooner;               ///< for kernels of higher priority; else for all neighbours
    const Completion* written; ///< the raise before it; may be null
    uint64_t ofStream;
  };
  /// Workers that leave for a lower budget and come again for a higher one write twice.
  static constexpr uint32_t kRecordsPerWorker = 2;
  struct PerDevice {
    PerDevice(const gpusched_cudart& runtime, int ordinal, uint64_t context, PerDevice* next,
              uint32_t deepQueue)
        : device(runtime, ordinal), context(context), current(runtime), next(next),
          telemetry(kRecordsPerWorker * device.limits().sms * device.limits().blocksPerSm),
          trials(device.limits().sms), depths(deepQueue) {}
    LaunchDevice device;
    const uint64_t context; ///< see ContextIds.h
    const CurrentContext current;
    /// The highest priority of a stream with launches so far; only ever raised.
    std::atomic<int32_t> mostUrgent{0};
    PerDevice* const next; ///< another context of the same device; its memory may be gone
    TelemetryBuffers telemetry;
    /// Of the launches that may be paused: their budgets, gates, and marks. Taken after
    /// device.mutex or without it; nothing is asked of CUDA under it.
    std::mutex pausing;
    std::vector<Pausable> pausable;  // the list changes under both, and is read under either
    std::vector<ControlSlot*> stops; // under pausing: launches whose pause is to be enqueued yet
    // Under device.mutex:
    std::unique_ptr<ForeignKernels> foreign;         // null: nothing is shared
    std::chrono::steady_clock::time_point outranked; // when another process was that last
    bool inCompany = false;                          // as settleCompany() saw it
    RunningSet running;
    std::vector<Relief> reliefs;
    Trials trials;
    PairHistory history;
    StreamDepths depths;
    std::vector<uint64_t> apart; // streams in which a thread enqueues without the lock
    std::condition_variable apartEnded;
    LaunchTimes times;
    std::deque<TracedSpan> traced;    // in flight, in order of submission
    PolicyState state;                // scratch, keeps its capacity
    TrialLaunch trialLaunch;          // the same
    std::vector<Completion*> awaited; // the same, empty between two launches
    PredictionMemo memo;
  };
  /// One launch on its way through the stages above.
  struct Flight {
    PerDevice& on;
    const gpusched_launch_request& request;
    const LaunchPlan& plan;
    uint64_t sequence = 0;
    int32_t streamPriority = 0; ///< see WaitingKernel
    bool keepsBudget = false;   ///< the same
    Wish wish = {};
    StreamClock before = {};             ///< what is over when it begins; with a policy
    std::vector<Completion*> after = {}; ///< shared: what its stream must be made to wait for
    ControlSlot* slot = nullptr;         ///< set when a twin that has one was enqueued
    bool twin = false;                   ///< the twin was enqueued
    PersistentOptions options = {};
    uint32_t pauses = 0;         ///< made by the stress knob
    bool wanted = false;         ///< the twin was to run, whether or not it could
    bool guarded = false;        ///< native because the twin would lose blocks, see guarded()
    bool enqueued = false;       ///< the kernel is on its way: the caller must not launch it again
    LaunchTimes::Span span = {}; ///< for the trace
    bool isTimed = false;        ///< CUDA has recorded its times so far
    Trials::Record* trial = nullptr;
    bool isMeasured = false;      ///< the same for that
    FusedLaunch* fused = nullptr; ///< it is one for two
    const UnmanagedLaunch* unmanaged = nullptr;

    /// Another stream waits for it, too.
    bool joins() const { return fused && fused->otherStream != 0; }
  };

  /// A launch for itself; `fused`: the one that it is for two.
  bool launchAlone(const gpusched_launch_request& request, int& error, FusedLaunch* fused = nullptr,
                   const UnmanagedLaunch* unmanaged = nullptr);

  // PairedLaunch.cpp
  bool fuses() const;
  void markPair(const gpusched_launch_request& request);
  bool launchInPair(const gpusched_launch_request& request, int& error);
  bool hold(PairedThread& thread, const gpusched_launch_request& request);
  bool mayHold(const gpusched_launch_request& request, bool promised, HeldLaunch& held);
  void launchHeld(const HeldLaunch& held);
  bool launchFused(const HeldLaunch& held, const gpusched_launch_request& second, bool promised);
  const char* whyApart(const gpusched_launch_request& first, const gpusched_launch_request& second,
                       bool promised) const;
  bool mayHaveToYield(const PerDevice& on, const gpusched_launch_request& first,
                      const gpusched_launch_request& second) const;
  const PairPlan& pairPlan(const PerDevice& on, const LaunchPlan& first, const LaunchPlan& second,
                           const FusedLaunch& fused);
  void makePairPlan(PairPlan& pair, const PerDevice& on, const LaunchPlan& first,
                    const LaunchPlan& second, const FusedLaunch& fused);
  void decidePair(PairPlan& pair, const PerDevice& on, const LaunchPlan& first,
                  const LaunchPlan& second, const FusedLaunch& fused) const;
  static bool othersRun(PerDevice& on, const FusedLaunch& fused);
  bool regrets(PerDevice& on, const FusedLaunch& fused, const HeldLaunch& first,
               const LaunchPlan& second) const;
  bool enqueueFused(PerDevice& on, FusedLaunch& fused);
  static bool waitForOther(PerDevice& on, const FusedLaunch& fused);
  /// Behind `end`, the launch's, which is null where CUDA has not recorded it. Needs no lock.
  static void joinOther(FusedLaunch& fused, const Completion* end);

  void writeHistory();
  PerDevice* currentDevice(const gpusched_cudart& runtime);
  const LaunchPlan& plan(const gpusched_launch_request& request, const PerDevice& on);
  void takeOwnLimits(LaunchPlan& plan);
  void sayNamesThatDidNotCome();
  /// A library was loaded, maybe where a closed one had its kernels.
  void forgetPrograms();
  bool mayTakeOver(const gpusched_launch_request& request) const;

  void number(Flight& flight);
  void launchForced(Flight& flight, int& error);
  void enqueueWithSlot(Flight& flight, std::unique_lock<std::mutex>& lock);
  static void enqueueNative(Flight& flight, int& error);
  void launchScheduled(Flight& flight, int& error);
  /// What belongs into the stream: the twin with its slot, or, where that is null or cannot be
  /// launched, the native form, between what belongs in front and behind. False: `end` was not
  /// recorded. Needs no lock, but for the stress knob.
  bool enqueue(Flight& flight, ControlSlot* slot, const Completion* end, int& error);

  // Apart.cpp
  class Enqueuing;
  static bool awaitsAnnounced(const Flight& flight);
  static void awaitAnnounced(Flight& flight, std::chrono::milliseconds patience,
                             std::unique_lock<std::mutex>& lock);
  static void awaitStreams(const Flight& flight, std::unique_lock<std::mutex>& lock);
  bool goesApart(const Flight& flight) const;
  /// With the lock, and without it while it goes apart.
  void enqueueDecided(Flight& flight, ControlSlot* slot, int& error,
                      std::unique_lock<std::mutex>& lock);
  void settleSlot(const Flight& flight, ControlSlot& slot, Completion* end, RunningEntry* entry);

  int32_t streamPriority(const gpusched_launch_request& request) const;
  void rank(Flight& flight) const;
  void decide(Flight& flight);
  std::vector<Decision> decideManaged(Flight& flight, bool inSession);
  void settleWish(Flight& flight) const;
  void applyToRunning(PerDevice& on, const std::vector<Decision>& decisions);

  // Elastic.cpp
  static ControlSlot* runningSlot(PerDevice& on, const RunningEntry& entry);
  static void keepAsItIs(const Relief& relief, uint32_t budget);
  static void rewriteBudget(PerDevice& on, ControlSlot& slot, uint32_t budget);
  void rewriteBudgets(PerDevice& on, RunningEntry& entry, uint32_t budget);
  /// A launch of the entry has begun to be looked after that was enqueued with another budget.
  void catchUp(PerDevice& on, const RunningEntry& entry, ControlSlot& slot, uint32_t enqueuedWith);
  void setBudget(PerDevice& on, RunningEntry& entry, const Decision& decision);
  void resumeYielding(PerDevice& on, const WaitingKernel* arriving);
  void raiseLonely(PerDevice& on);
  void planReliefs(PerDevice& on, uint64_t newest);
  bool relieve(PerDevice& on, RunningEntry& entry);
  Completion* raiseBehind(PerDevice& on, const RunningEntry& entry, ControlSlot& slot,
                          const RaiseBehind& what, uint32_t to);
  void dropReliefs(PerDevice& on, const RunningEntry& entry);
  void settleReliefs(PerDevice& on);
  static void helpSuccessor(PerDevice& on, const RunningEntry& entry, const Relief& relief,
                            uint32_t before);

  // Sharing.cpp
  using Session = std::optional<Board::Session>;
  void joinBoard();
  static bool hasCompany(const PerDevice& on) { return on.foreign && on.foreign->any(); }
  /// With the kernels of others in `flight.on.state`. None where nothing is shared.
  Session beginSharing(Flight& flight);
  /// Takes `session`, which is not none, and what the launch shall not wait for out of its
  /// decision.
  void endSharing(Flight& flight, Session session, const std::vector<Decision>& decisions);
  void settleCompany(PerDevice& on);

  // Attendant.cpp
  void startAttendant();
  void wakeAttendant();
  void ringForAttendant();
  void attendToAll();
  void attend(PerDevice& on, const std::vector<SharedRequest>& requests);
  void stopAttendant();

  void reap(PerDevice& on);
  void order(Flight& flight);
  /// Needs no lock. REQUIRES: none of them is announced only.
  static void makeWaits(const Flight& flight);
  static void releaseAwaited(Flight& flight);
  /// May what it takes beside others be written down as what that pair takes?
  bool isMeasurable(const Flight& flight) const;
  static void takeTrial(Flight& flight);
  bool wantsTwin(Flight& flight) const;
  bool guarded(const Flight& flight) const;
  /// How the twin shall run.
  void planTwin(Flight& flight);
  void planClaims(Flight& flight, uint64_t total) const;
  gpusched_role roleOf(const Flight& flight) const;
  /// A slot for the planned twin; null: none is free. REQUIRES: the device's lock.
  static ControlSlot* acquire(const Flight& flight);
  /// The two set flight.twin, the second flight.slot, too. REQUIRES: a plan, a slot from the pool.
  static void enqueueFittingTwin(Flight& flight);
  bool enqueueTwin(Flight& flight, ControlSlot* slot);
  /// The launch as policies see it from now on.
  RunningKernel asRunning(const Flight& flight, uint32_t blocksPerSm) const;
  /// Gives the slot to the pool, and what can be paused to its list, until `end`.
  void keepSlot(const Flight& flight, ControlSlot& slot, Completion* end);
  /// Shows the launch to policies until `end`, which it shares; null: not at all.
  void enter(const Flight& flight, Completion* end, ControlSlot* slot);
  /// Null when this launch is not sampled.
  TelemetryBuffer* beginTelemetry(Flight& flight);

  // Tracing.cpp
  void trace(const Flight& flight);
  void makeTimes(Flight& flight);
  static void settleTimes(Flight& flight);
  /// These need no lock.
  static void beginTimes(Flight& flight);
  static void endTimes(Flight& flight);
  void collectTimes(PerDevice& on);
  void finishTimes();

  /// askForStops() belongs behind. REQUIRES, both: the device's lock, without `on.pausing`.
  void pause(PerDevice& on, Pausable& launch);
  static size_t pausedNow(PerDevice& on);
  /// False: a launch has it, and waits behind others that are paused.
  static bool lockForPause(PerDevice& on, std::unique_lock<std::mutex>& device);
  void askForStops(PerDevice& on);
  static void makeStops(PerDevice& on);
  /// REQUIRES: `on.pausing`.
  static void resume(Pausable& launch);
  /// Writes it into the image; false: the launch is paused, and resumes with it.
  static bool giveBudget(PerDevice& on, ControlSlot& slot, uint32_t budget);
  template <class Function> void visitDevices(const Function& function) {
    for (std::atomic<PerDevice*>& first : devices_)
      for (PerDevice* on = first.load(std::memory_order_acquire); on; on = on->next)
        function(*on);
  }
  /// Calls `function` on each under its lock.
  template <class Function> void forEachDevice(const Function& function) {
    visitDevices([&](PerDevice& on) {
      std::lock_guard<std::mutex> lock(on.device.mutex);
      function(on);
    });
  }
  static void dropPausables(PerDevice& on, const std::function<bool(const Pausable&)>& isOver);
  static void dropEndedPausables(PerDevice& on);
  void stress(Flight& flight);
  bool ended(PerDevice& on, Completion* completion, std::chrono::microseconds limit);

  const int process_; ///< that made this, and not a fork of it
  const Settings settings_;
  std::unique_ptr<Policy> policy_;
  ProfileStore store_;
  KernelRegistry registry_;
  ContextIds contexts_;
  TraceRecorder trace_;
  TelemetryRecorder telemetry_;
  const bool measures_;      ///< pairs are measured and the history is kept
  const bool pairsNatively_; ///< and what gains nothing by budgets goes without
  const bool heedsStreams_;  ///< kernels step back for those of streams of higher priority
  PairHistory loaded_;       ///< what was known when the program began
  std::atomic<uint64_t> nextSequence_{1};
  std::unique_ptr<Board> board_; ///< null: nothing is shared
  std::once_flag attendantOnce_;
  std::thread attendant_;
  Bell bell_; ///< wakes it where there is no board
  std::atomic<bool> stopping_{false}, stopped_{false}, resting_{false};

  mutable std::shared_mutex plansMutex_;
  std::unordered_map<PlanKey, std::unique_ptr<LaunchPlan>, PlanKeyHash> plans_;
  std::vector<std::unique_ptr<LaunchPlan>> formerPlans_; // under plansMutex_
  std::set<std::string> namesToCome_; // likewise: in the settings, of no kernel launched so far
  std::mutex pairsMutex_;             // taken before plansMutex_
  /// By the plans of both and whether they are of one stream. Under pairsMutex_; what it holds does
  /// not change, and as plans are never freed, those of forgotten programs are not met again.
  std::map<std::tuple<const LaunchPlan*, const LaunchPlan*, bool>, PairPlan> pairPlans_;
  static constexpr int kMaxDevices = 64;
  std::mutex devicesMutex_;
  std::array<std::atomic<PerDevice*>, kMaxDevices> devices_{};
};

} // namespace gpusched
