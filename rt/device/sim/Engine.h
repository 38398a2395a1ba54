// Engine.h - the clock of the sim device: what runs now, how fast, and what happens next.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to rt/device/sim. A driver (a plan, or a policy asked at each arrival) starts jobs and
// changes budgets between steps; step() advances to the next event and tells which jobs ended.
//
// A wave: S blocks are resident, so n blocks take n / S waves. Whole waves run at full residency;
// the last partial wave (`tail` blocks) at what it fills. The division is made anew when S changes.
#pragma once

#include "rt/device/sim/Residency.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace gpusched::sim {

inline constexpr double kForever = std::numeric_limits<double>::max(); ///< microseconds

class Engine {
public:
  Engine(Simulator& simulator, size_t jobs) : sim_(simulator), run_() { run_.jobs.resize(jobs); }

  double now() const { return now_; }
  bool idle() const { return active_.empty(); }
  void start(size_t job, size_t kernel, const Member& how, int32_t priority = 0);
  void setBudget(size_t job, uint32_t blocksPerSm);
  /// Share of its blocks that is not done; 1 for a job that has not started.
  double shareLeft(size_t job) const;
  /// To the next event, at most to `until`; jobs that ended.
  std::vector<size_t> step(double until);
  /// Moves the clock of an idle device.
  void waitUntil(double time) { now_ = time > now_ ? time : now_; }
  JobRun& job(size_t index) { return run_.jobs[index]; }
  Run finish();
  /// Progress of what is resident, in order of start where none has a priority.
  std::vector<Simulator::Progress> progress();

private:
  struct Active {
    size_t job = 0, kernel = 0;
    uint32_t budget = 0; // 0 = native
    int32_t priority = 0;
    std::vector<uint32_t> sms;
    double readyAt = 0, left = 0; // blocks left to do
    double slots = 0, tail = 0;   // resident blocks of a full wave; blocks of the last wave
    double rate = 0;              // blocks per microsecond
  };
  std::vector<SmGroup> groups() const;
  static double residentNow(Active& active, double slots);
  void place();
  double untilNextEvent() const;
  void advance(double us);

  Simulator& sim_;
  Run run_;
  double now_ = 0;
  std::vector<Active> active_; // in the order in which they get places
  std::vector<Simulator::Progress> progress_;
};

} // namespace gpusched::sim
