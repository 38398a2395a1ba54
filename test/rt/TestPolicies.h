// TestPolicies.h - policies that several tests of the runtime need.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/policy/Policy.h"

/// Divides four blocks per SM among the kernels: all four alone, two beside one other, one beside
/// more.
class Sharing : public gpusched::Policy {
public:
  const char* name() const override { return "sharing"; }
  std::vector<gpusched::Decision> decide(const gpusched::PolicyState& state) const override {
    uint32_t kernels = uint32_t(state.running.size() + state.waiting.size());
    std::vector<gpusched::Decision> decisions;
    auto say = [&](gpusched::Action action, uint64_t sequence) {
      gpusched::Decision decision;
      decision.action = action;
      decision.sequence = sequence;
      decision.blocksPerSm = kernels == 1 ? 4 : kernels == 2 ? 2 : 1;
      decision.blocksPerSmAlone = 4;
      decisions.push_back(decision);
    };
    for (const gpusched::RunningKernel& running : state.running)
      say(gpusched::Action::SetBudget, running.lastSequence);
    for (const gpusched::WaitingKernel& waiting : state.waiting)
      say(gpusched::Action::Start, waiting.sequence);
    return decisions;
  }
  std::vector<gpusched::CoRunSet> schedule(const std::vector<gpusched::PolicyKernel>&,
                                           const gpusched::DeviceLimits&) const override {
    return {};
  }
};

/// Gives every kernel the same budget.
class Told final : public Sharing {
public:
  std::vector<gpusched::Decision> decide(const gpusched::PolicyState& state) const override {
    std::vector<gpusched::Decision> decisions = Sharing::decide(state);
    for (gpusched::Decision& decision : decisions)
      decision.blocksPerSm = decision.blocksPerSmAlone = budget;
    return decisions;
  }
  static inline uint32_t budget = 1;
};

/// Divides them, and heeds the priorities of streams.
class SharingByProfile final : public Sharing {
public:
  bool wantsProfiles() const override { return true; }
};

/// Waits for everything that runs, then has so many blocks per SM.
class Waiting final : public gpusched::Policy {
public:
  explicit Waiting(uint32_t blocksPerSm = 1) : blocksPerSm_(blocksPerSm) {}
  const char* name() const override { return "waiting"; }
  std::vector<gpusched::Decision> decide(const gpusched::PolicyState& state) const override {
    gpusched::Decision decision;
    decision.action = gpusched::Action::Wait;
    decision.sequence = state.waiting.front().sequence;
    decision.blocksPerSm = blocksPerSm_;
    for (const gpusched::RunningKernel& running : state.running)
      decision.after.push_back(running.lastSequence);
    return {decision};
  }
  std::vector<gpusched::CoRunSet> schedule(const std::vector<gpusched::PolicyKernel>&,
                                           const gpusched::DeviceLimits&) const override {
    return {};
  }

private:
  const uint32_t blocksPerSm_;
};

/// All kernels in one set with two blocks per SM, whatever they are.
class Together : public gpusched::Policy {
public:
  const char* name() const override { return "together"; }
  bool wantsProfiles() const override { return true; }
  std::vector<gpusched::Decision> decide(const gpusched::PolicyState& state) const override {
    gpusched::Decision decision;
    decision.sequence = state.waiting.front().sequence;
    decision.set = 1;
    decision.blocksPerSm = 2;
    return {decision};
  }
  std::vector<gpusched::CoRunSet> schedule(const std::vector<gpusched::PolicyKernel>&,
                                           const gpusched::DeviceLimits&) const override {
    return {};
  }
};
