// PairModel.h - what two applications do to each other on one GPU.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A policy asks a model that predicts (LearntPairs.h); a simulated cluster runs by one that knows.
#pragma once

#include "rt/schema/Application.h"

namespace gpusched::cluster {

/// Thread-safety: const, so callers may share one.
class PairModel {
public:
  virtual ~PairModel() = default;
  /// Time of `job` while `other` runs beside it all the time, over its time alone.
  virtual double slowdown(const Application& job, const Application& other) const = 0;
  /// Better apart? Not the same question as whether a predicted slowdown is large, see
  /// spec/temporal-interference.md, "Models".
  virtual bool interferes(const Application& a, const Application& b) const {
    return slowdown(a, b) > kInterference || slowdown(b, a) > kInterference;
  }

  /// A slowdown above it is interference (spec/temporal-interference.md, "Models": 20 %).
  static constexpr double kInterference = 1.2;
};

} // namespace gpusched::cluster
