// Trials.h - measures kernels alone and in pairs while the program runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A measured launch has a timing event on either side of it in its own stream; when it has one
// neighbour, the neighbour's counter of claimed blocks is copied to the host at both moments:
//
//   alone    microseconds per logical block of this configuration, mean of a few launches
//   in pair  ratio = (blocks of the launch * its time alone per block
//                     + blocks the neighbour claimed * its time alone per block) / time between
//
// which is the work done in that time over the time it takes one after the other. Thrown away:
// what a third kernel joined, a neighbour that had not begun or that ended meanwhile (the copies
// say so). Everything happens in streams; results are looked at when the next launch comes.
// At most kAtOnce measurements are under way; few launches are measured, see `wants`.
//
// Not thread-safe: the owner holds the device's lock.
#pragma once

#include "rt/launch/ControlPool.h"
#include "rt/launch/LaunchPlan.h"
#include "rt/launch/StreamClock.h"
#include "rt/policy/NoRegret.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace gpusched {

/// Who is measured. The neighbour's slot is null for a launch that is alone.
struct TrialSubject {
  const PolicyKernel* kernel = nullptr;
  uint64_t blocks = 0, stream = 0, sequence = 0;
  const PolicyKernel* neighbour = nullptr;
  ControlSlot* neighbourSlot = nullptr;
  uint64_t neighbourBlocks = 0;
  Batches neighbourBatches;   ///< what its progress counts
  uint32_t neighbourBase = 0; ///< from here
};

struct Trial {
  TrialSubject subject;
  void *before = nullptr, *after = nullptr; ///< timing events
  uint64_t* progress = nullptr;             ///< two pinned words
  bool underWay = false, spoilt = false;
};

class Trials {
public:
  static constexpr size_t kAtOnce = 4;
  static constexpr uint32_t kAlone = 3;       ///< measurements of a configuration alone
  static constexpr uint32_t kAgainEvery = 64; ///< launches of a known pair between two

  /// A launch came that begins at `before`: what it may join is no longer clean.
  void disturb(const StreamClock& before);
  /// Begins a measurement in `stream` if this launch is worth one; null when not.
  Trial* begin(const gpusched_cudart& runtime, const TrialSubject& subject, void* stream,
               const PairHistory& history);
  void end(const gpusched_cudart& runtime, Trial& trial, void* stream);
  /// Takes in what has ended.
  void collect(const gpusched_cudart& runtime, PairHistory& history);

private:
  struct Mean {
    double value = 0;
    uint32_t count = 0;
  };
  bool wants(const TrialSubject& subject, const PairHistory& history);
  Trial* freeTrial(const gpusched_cudart& runtime);
  void take(const gpusched_cudart& runtime, const Trial& trial, PairHistory& history);
  double alone(const PolicyKernel* kernel) const;

  std::vector<std::unique_ptr<Trial>> trials_;
  std::unordered_map<const PolicyKernel*, Mean> alone_; ///< microseconds per block
  uint32_t sinceLast_ = 0;
};

} // namespace gpusched
