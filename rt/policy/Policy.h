// Policy.h - the interface of a scheduling policy: state in, decisions out.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A policy is a pure decider. It sees the kernels that wait, those that run, their profiles and
// the device's limits, and answers what to start with which budget, what to hold back and
// what to pause, each with a reason in words. It reads no clock, no device and no
// environment, keeps no state of its own between calls, and so gives the same answer to the
// same state on every device, in the simulator and in a unit test.
//
//   offline: schedule(list) -> sets of kernels, each with budget and placement, to run one set
//            after the other
//   online:  decide(state)  -> decisions, called once per launch; the launch is the last
//            waiting kernel. A kernel the policy says nothing about starts natively.
//
// One policy = one .cpp + one line in PolicyList.def + one test + one page in docs/policies.
// Thread-safety: const after construction; the runtime calls under its own lock.
#pragma once

#include "rt/schema/Profile.h"
#include "rt/support/Parameters.h"
#include "rt/support/Result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gpusched {

/// What a policy knows of a kernel in one launch configuration. Zero = not known, except for
/// `saturationBlocksPerSm`, where the occupancy limit then stands in.
struct PolicyKernel {
  std::string name;
  KernelClass kernelClass = KernelClass::Unknown;
  bool hasPersistent = false; // can be given a budget
  bool profiled = false;      // the dynamic fields below are known
  uint32_t threadsPerBlock = 0;
  uint64_t registersPerBlock = 0;    // 32-bit registers, as charged (WarpRegisters.h)
  uint64_t sharedBytesPerBlock = 0;  // static + dynamic + reserved by the driver
  uint32_t occupancyBlocksPerSm = 0; // resident blocks per SM, alone
  uint32_t saturationBlocksPerSm = 0;
  uint64_t blocks = 0;         // of its grid
  double timeUs = 0;           // alone
  double persistentTimeUs = 0; // alone, its twin with all blocks that fit; 0 = as timeUs
  double dramGbPerSecond = 0;
  double gflops = 0;
  double eligibleWarpsPerCycle = 0; // EPC
  double l1TransactionsPerSecond = 0;
  /// Performance at 1, 2, ... blocks per SM, relative to its maximum; empty = not known.
  std::vector<double> budgetCurve;
  /// Share of each resource that it fills alone, at its best budget; all zero = not known.
  Utilisation utilisation = {};
  double stallMemory = 0; // percent of stalls
  /// Alone: share of accesses that hit, and bytes in use by one resident warp; 0 = not known.
  double l1Hits = 0, l1BytesPerWarp = 0, l2Hits = 0, l2BytesPerWarp = 0;

  /// Takes over what a profile says.
  void learn(const DynamicProfile& profile);

  /// A policy that goes by profiles may choose its blocks per SM.
  bool takesBudget() const { return profiled && hasPersistent; }

  /// Blocks per SM it needs: the saturation point, never above what fits.
  uint32_t budget() const {
    if (saturationBlocksPerSm == 0 || saturationBlocksPerSm > occupancyBlocksPerSm)
      return occupancyBlocksPerSm;
    return saturationBlocksPerSm;
  }
};

/// Limits of one SM and rates of the device. A rate of 0 = not known: no rule uses it.
struct DeviceLimits {
  uint32_t sms = 0;
  uint64_t registersPerSm = 0, sharedBytesPerSm = 0;
  uint32_t blocksPerSm = 0, threadsPerSm = 0;
  double dramGbPerSecond = 0, gflops = 0;
  uint64_t l1BytesPerSm = 0, l2Bytes = 0; // 0 = not known
};

/// Streams of one process have numbers below 1 << kProcessShift, since addresses of user space, by
/// which a process numbers its own, have 47 bits.
inline constexpr unsigned kProcessShift = 48;
/// 0: the one that decides.
inline uint64_t processOf(uint64_t stream) {
  return stream >> kProcessShift;
}

struct WaitingKernel {
  uint64_t sequence = 0; // order of submission
  uint64_t stream = 0;   // kernels of one stream run in order of submission
  const PolicyKernel* kernel = nullptr;
  // The rest is for Priorities.h.
  int32_t priority = 0;       // of its process
  int32_t streamPriority = 0; // larger goes first; says nothing about other processes
  bool keepsBudget = false;   // it may have to step back, so it is not to run natively
  uint64_t blocks = 0;        // of this launch; 0 = not known
};

/// Launches of one kernel in one stream that were admitted together, with one budget: they run one
/// after the other, so they count once. `firstSequence` to `lastSequence` are those not known to be
/// over.
struct RunningKernel {
  uint64_t firstSequence = 0, lastSequence = 0;
  uint64_t stream = 0;
  uint64_t set = 0; // as the policy chose
  uint32_t blocksPerSm = 0;
  const PolicyKernel* kernel = nullptr;
  /// What is left of these launches, as time alone in microseconds. 0 = not known: the sim device
  /// knows, the runtime would have to ask the GPU and wait.
  double leftUs = 0;
  /// The last SetBudget for it was one with `preempts`, and its budget has not been raised since.
  bool preempted = false;
  // The rest is as in WaitingKernel.
  int32_t priority = 0, streamPriority = 0;
  bool yields = false;    // it has stepped back for a higher one
  bool unmanaged = false; // no policy decides about it, or sees it
  uint64_t blocks = 0;    // of its largest launch
};

/// Do two launches count once, as above?
bool runInTurn(const RunningKernel& a, const RunningKernel& b);
/// Adds a launch to `running`, or to the entry there that it counts with.
void addRunning(std::vector<RunningKernel>& running, const RunningKernel& launch);

class PredictionMemo;

struct PolicyState {
  DeviceLimits limits;
  bool explain = true; // fill Decision::reason
  /// What was predicted before, of the caller; null = everything is predicted anew. It changes how
  /// long an answer takes and no answer.
  PredictionMemo* memo = nullptr;
  std::vector<WaitingKernel> waiting;
  std::vector<RunningKernel> running; // in order of firstSequence
};

enum class Action : uint8_t {
  Start,     // launch now
  Wait,      // launch once `after` have ended; the device holds it in its stream
  SetBudget, // rewrite the budget of a running kernel, up or down
  Pause,     // stop claims of a running, preemptible kernel; its state stays on the device
  Resume     // and let it go on
};

struct Decision {
  Action action = Action::Start;
  uint64_t sequence = 0;    // of the waiting kernel, or of a running one's last launch
  uint64_t set = 0;         // kernels of one set may run at the same time
  uint32_t blocksPerSm = 0; // budget; 0 = native, no limit
  // Budget once nobody else of the set runs; 0 = the largest it had.
  uint32_t blocksPerSmAlone = 0;
  // Not 0: it steps back for a higher priority; its budget once none of these is left.
  uint32_t blocksPerSmAfter = 0;
  std::vector<uint32_t> sms;   // placement; empty = all SMs
  std::vector<uint64_t> after; // lastSequence of running kernels to wait for
  bool preempts = false;       // SetBudget: it steps back for another; RunningKernel::preempted
  bool urgent = false;         // Start natively: its blocks go before those of other launches
  std::string reason;
};

/// One kernel of a co-running set. Members of one lane run one after the other, in the order
/// they are listed; lanes run at the same time.
struct Member {
  size_t kernel = 0;        // index into the list
  uint32_t blocksPerSm = 0; // budget; 0 = native, the hardware decides
  uint32_t lane = 0;
  uint32_t blocksPerSmAlone = 0;  // budget once no other lane of the set is left; 0 = as before
  std::vector<uint32_t> sms = {}; // placement; empty = all SMs
};
using CoRunSet = std::vector<Member>;

/// May a launch in `stream` that waits for `after` run at the same time as `running`, which was
/// submitted before it? What it waits for is over by then, with what precedes that in its stream.
bool mayRunBeside(const RunningKernel& running, uint64_t stream, const std::vector<uint64_t>& after,
                  const std::vector<RunningKernel>& all);

class Policy : public Configurable {
public:
  virtual const char* name() const = 0;
  /// Reads profiles? When not, the runtime does not load the store.
  virtual bool wantsProfiles() const { return false; }
  /// Lets running kernels step back, for which they need budgets?
  virtual bool preempts() const { return false; }
  virtual std::vector<Decision> decide(const PolicyState& state) const = 0;
  /// Offline form: every kernel once, in sets to be run one after the other.
  virtual std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>& kernels,
                                         const DeviceLimits& limits) const = 0;
};

/// A policy by its name in PolicyList.def; the error lists the names there are.
Result<std::unique_ptr<Policy>> makePolicy(const std::string& name);

struct PolicyEntry {
  const char* name;
  const char* help;
};
const std::vector<PolicyEntry>& policyTable();

} // namespace gpusched
