// MeasuredPair.h - two kernels that a runtime is to measure, alone and beside each other.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/rt/FakeProgram.h"

struct MeasuredPair {
  explicit MeasuredPair(uint64_t blocksOfA = 400, uint64_t blocksOfB = 200)
      : a("a", blocksOfA), b("b", blocksOfB) {}

  ProgramKernel a, b;
  void* first = FakeCudart::instance().makeStream();
  void* second = FakeCudart::instance().makeStream();

  /// Each alone, as often as is measured; the first time, code is loaded.
  static constexpr uint32_t kAlone = gpusched::Trials::kAlone + 1;
  void alone(gpusched::Runtime& runtime) {
    for (uint32_t round = 0; round < kAlone; ++round)
      for (ProgramKernel* kernel : {&a, &b}) {
        launch(runtime, *kernel, kernel == &a ? first : second);
        FakeCudart::instance().drain();
      }
  }
  /// b in the middle of a.
  void together(gpusched::Runtime& runtime) {
    launch(runtime, a, first);
    for (int i = 0; i < 20; ++i)
      FakeCudart::instance().step();
    launch(runtime, b, second);
    FakeCudart::instance().drain();
  }
};
