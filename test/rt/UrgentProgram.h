// UrgentProgram.h - kernels that leave each other no room, and streams of higher priority.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of Heavy kernels four blocks fit on an SM of the fake device, whichever they are of.
#pragma once

#include "test/rt/FakeProgram.h"
#include "test/rt/TestPolicies.h"

struct Heavy : ProgramKernel {
  explicit Heavy(const char* name, uint64_t blocks = 100, bool hasTwin = true)
      : ProgramKernel(name, blocks, hasTwin) {
    native.staticShared = twin.staticShared = 98304 / 4;
  }
  uint32_t workers() const { return FakeCudart::instance().workersOf(&twin); }
  bool isOver() const { return everyBlockRan(1); }
};

inline void* urgentStream(int priority = -5) {
  return FakeCudart::instance().makeStream(priority);
}

/// Under a policy that gives a kernel all four alone, two beside one other, one beside more.
inline gpusched::Runtime heeding(gpusched::Settings settings = {}) {
  return gpusched::Runtime(std::move(settings), std::make_unique<SharingByProfile>());
}

/// Has every block of a kernel that was launched twice run in the first launch?
inline bool isInSecondLaunch(const ProgramKernel& kernel) {
  return std::all_of(kernel.runs.begin(), kernel.runs.end(), [](unsigned n) { return n > 0; });
}
