// LearntPairs.h - what applications do to each other, learnt from pairs that were measured.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two ways to see a pair:
//   means        the metrics of both, one behind the other (spec/coscheml.md, "Model")
//   coincidence  for each metric the mean over time of the product of both series
//                (spec/temporal-interference.md, "Features": Sim), which is large where peaks meet.
//                Cross-correlation at lag 0: summed over all lags it would be the product of the
//                means, whatever happens when. The shorter series begins again, as the pair was
//                measured. The same for (a, b) and (b, a).
// Deterministic in pairs, features and learner. Not changed once fitted: many threads may ask one.
#pragma once

#include "rt/cluster/PairModel.h"
#include "rt/learn/Model.h"

#include <memory>
#include <span>
#include <vector>

namespace gpusched::cluster {

/// Of one job beside another that runs all the time.
struct MeasuredPair {
  const Application* job = nullptr;
  const Application* other = nullptr;
  double slowdown = 1;
};

enum class PairFeatures { Means, Coincidence, MeansAndCoincidence };

/// A row of a table of pairs.
std::vector<double> featuresOf(const Application& job, const Application& other,
                               PairFeatures features);
/// With the slowdowns as targets. Error: an application without series where they are asked for,
/// or a number that is none.
Result<learn::Table> slowdownTable(std::span<const MeasuredPair> pairs, PairFeatures features);
/// With labels: 1 = either of the two is slowed down by more than PairModel::kInterference. Of
/// pairs measured one way only, by what is known.
Result<learn::Table> interferenceTable(std::span<const MeasuredPair> pairs, PairFeatures features);

class LearntPairs final : public PairModel {
public:
  /// `labels`: of interference; null = by the predicted slowdown. Error: as the tables, or the
  /// learner's.
  static Result<LearntPairs> fit(std::span<const MeasuredPair> pairs, PairFeatures features,
                                 const learn::Learner& slowdowns,
                                 const learn::Learner& labels = nullptr);

  double slowdown(const Application& job, const Application& other) const override;
  bool interferes(const Application& a, const Application& b) const override;

private:
  PairFeatures features_ = PairFeatures::Means;
  std::unique_ptr<learn::Model> slowdowns_, labels_;
};

} // namespace gpusched::cluster
