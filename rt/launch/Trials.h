// Trials.h - measures kernels alone and in pairs while the program runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Now and then (see `wants`) a phase begins: every launch gets a timing event on either side,
// and when all of them have ended, Overlap.h says from the times what ran alone and what pairs did.
// Programs enqueue ahead of the device, so a phase is no moment: launches of a whole queue are in
// it. It ends when nothing timed is left in flight, or when kSpans are in use, after which further
// launches are not timed and what meets them is thrown away. The longer the queue, the more
// launches share a span, one right behind the other: no more than 1 in 8 of the spans in use.
// A pair that is seen for the first time may have met a launch that was not timed; so the next
// phase begins with whatever launch comes.
//
// A kernel's time alone is kept per block, with no fewer blocks than fill the device, for fewer
// are not faster; the median of the last kAlone times. Of a kernel that never was alone it is the
// profile's. The first launch of each configuration is not used: CUDA loads code then.
//
// Everything happens in streams; results are looked at when the next launch comes. A measurement
// that cannot be made is not made: no failure here reaches the program.
// Not thread-safe: the owner holds the device's lock, except where a function says that it needs
// none.
#pragma once

#include "rt/launch/LaunchTimes.h"
#include "rt/launch/Overlap.h"
#include "rt/policy/NoRegret.h"

#include <array>
#include <unordered_map>
#include <vector>

namespace gpusched {

/// A launch that may be measured.
struct TrialLaunch {
  struct Neighbour {
    const PolicyKernel* kernel = nullptr;
    bool native = false;
  };
  const PolicyKernel* kernel = nullptr;
  bool native = false;
  uint64_t blocks = 0, stream = 0;
  bool waits = false;                     ///< for launches of other streams
  std::vector<Neighbour> neighbours = {}; ///< that it may run beside
  std::vector<uint64_t> busyStreams = {}; ///< with launches in flight
};

class Trials {
public:
  static constexpr size_t kSpans = 64;
  static constexpr uint32_t kAlone = 3;       ///< times alone that a kernel should have
  static constexpr uint32_t kEager = 8;       ///< first launches of a kernel that begin phases
  static constexpr uint32_t kAgainEvery = 64; ///< launches beside known neighbours between phases
  /// Measurements of a pair that one phase counts as, at most: a phase may go wrong as a whole.
  static constexpr uint32_t kMostOfPhase = 2;
  static constexpr uint32_t kAttempts = 4; ///< phases that taught nothing before they get rarer

  explicit Trials(uint32_t sms) : sms_(sms) {}

  struct Record;

  /// Called of every launch, before it is enqueued. Not null: it is timed, so call begin() before
  /// it and end() behind it, which need no lock, and settle() with what they returned. Until then
  /// no other launch of its stream may come.
  Record* take(const gpusched_cudart& runtime, const TrialLaunch& launch,
               const PairHistory& history);
  static bool begin(const gpusched_cudart& runtime, const Record& record, void* stream);
  static bool end(const gpusched_cudart& runtime, const Record& record, void* stream);
  static void settle(Record& record, bool recorded);
  /// Something stopped launches in flight: their times say nothing.
  void spoil();
  /// Takes in what a phase has measured, once it is over.
  void collect(const gpusched_cudart& runtime, PairHistory& history);

  /// Microseconds of a launch alone; 0 = not measured kAlone times.
  double measuredUs(const PolicyKernel& kernel, uint64_t blocks) const;
  /// The same, by the profile of a kernel that never was alone; 0 = not known.
  double expectedUs(const PolicyKernel& kernel, uint64_t blocks) const;

  /// Launches that share a span.
  struct Record {
    LaunchTimes::Span span;
    TimedLaunches launches;
    const PolicyKernel* kernel = nullptr; ///< also where launches.kernel is null
    uint64_t stream = 0;
    double blocks = 0; ///< as in blocksOf, of all launches
    bool broken = false;
    bool taken = false; ///< until it is settled
  };

private:
  /// Times alone, microseconds per block, the newest instead of the oldest.
  struct Alone {
    std::array<double, kAlone> us = {};
    uint32_t count = 0, launches = 0; ///< times; launches that began a phase or might have
    double median() const;
  };

  bool wants(const TrialLaunch& launch, const PairHistory& history);
  /// The one that this launch is part of; null: there is no room.
  Record* recordFor(const gpusched_cudart& runtime, const TrialLaunch& launch);
  Record* newestOf(uint64_t stream);
  bool ended(const gpusched_cudart& runtime);
  /// The phase's launches with their times, then what stands for launches that were not timed;
  /// empty where CUDA told nothing.
  std::vector<TimedLaunches> timeline(const gpusched_cudart& runtime);
  void learnAlone(const std::vector<TimedLaunches>& launches);
  void learnPairs(std::vector<TimedLaunches>& launches, PairHistory& history);
  double blocksOf(const PolicyKernel& kernel, uint64_t blocks) const;
  double aloneUs(const PolicyKernel& kernel) const; ///< per block; 0 = not known

  const uint32_t sms_;
  LaunchTimes times_;
  std::vector<Record> records_;           ///< of the phase; empty between two
  std::vector<uint64_t> earlier_, later_; ///< streams with launches before, behind the timed ones
  size_t pending_ = 0;                    ///< records from here on have ended
  std::unordered_map<const PolicyKernel*, Alone> alone_;
  uint32_t sinceLast_ = 0, fruitless_ = 0, pause_ = 0;
  bool owed_ = false;  ///< a pair is in want of a measurement
  bool eager_ = false; ///< the phase began for no other reason
  bool learnt_ = false;
};

} // namespace gpusched
