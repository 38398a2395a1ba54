// LearntPairs.cpp - pairs of applications as rows of a table.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/cluster/LearntPairs.h"

#include "rt/learn/Scores.h"

#include <algorithm>
#include <map>

namespace gpusched::cluster {
namespace {

void appendMeans(std::vector<double>& row, const Application& application) {
  row.insert(row.end(), application.means.begin(), application.means.end());
  row.push_back(application.timeUs);
  row.push_back(double(application.peakMemoryBytes));
}

void appendCoincidence(std::vector<double>& row, const Application& a, const Application& b) {
  const size_t samples = std::max(a.series.size(), b.series.size());
  Metrics sum = {};
  for (size_t i = 0; i < samples; ++i)
    for (size_t metric = 0; metric < kMetrics; ++metric)
      sum[metric] += a.series[i % a.series.size()][metric] * b.series[i % b.series.size()][metric];
  for (double of : sum)
    row.push_back(of / double(samples));
}

size_t columnsOf(PairFeatures features) {
  const size_t means = 2 * (kMetrics + 2);
  return features == PairFeatures::Means         ? means
         : features == PairFeatures::Coincidence ? kMetrics
                                                 : means + kMetrics;
}

/// `target` gives that of a pair.
template <class Target>
Result<learn::Table> tableOf(std::span<const MeasuredPair> pairs, PairFeatures features,
                             const Target& target) {
  learn::Table table(columnsOf(features));
  for (const MeasuredPair& pair : pairs) {
    for (const Application* one : {pair.job, pair.other})
      if (features != PairFeatures::Means && one->series.empty())
        return Status::error("application '" + one->name +
                             "' has no series: profile it with samples over time");
    if (Status added = table.add(featuresOf(*pair.job, *pair.other, features), target(pair));
        !added)
      return Status::error("pair '" + pair.job->name + "', '" + pair.other->name +
                           "': " + added.message());
  }
  return table;
}

} // namespace

std::vector<double> featuresOf(const Application& job, const Application& other,
                               PairFeatures features) {
  std::vector<double> row;
  if (features != PairFeatures::Coincidence)
    appendMeans(row, job), appendMeans(row, other);
  if (features != PairFeatures::Means)
    appendCoincidence(row, job, other);
  return row;
}

Result<learn::Table> slowdownTable(std::span<const MeasuredPair> pairs, PairFeatures features) {
  return tableOf(pairs, features, [](const MeasuredPair& pair) { return pair.slowdown; });
}

Result<learn::Table> interferenceTable(std::span<const MeasuredPair> pairs, PairFeatures features) {
  std::map<std::pair<const Application*, const Application*>, double> known;
  for (const MeasuredPair& pair : pairs)
    known[{pair.job, pair.other}] = pair.slowdown;
  return tableOf(pairs, features, [&](const MeasuredPair& pair) {
    const auto turned = known.find({pair.other, pair.job});
    const double worse =
        std::max(pair.slowdown, turned == known.end() ? pair.slowdown : turned->second);
    return worse > PairModel::kInterference ? 1.0 : 0.0;
  });
}

Result<LearntPairs> LearntPairs::fit(std::span<const MeasuredPair> pairs, PairFeatures features,
                                     const learn::Learner& slowdowns,
                                     const learn::Learner& labels) {
  LearntPairs learnt;
  learnt.features_ = features;
  const auto learnInto = [&](std::unique_ptr<learn::Model>& model, const learn::Learner& learner,
                             const Result<learn::Table>& table) -> Status {
    if (!table)
      return table.status();
    Result<std::unique_ptr<learn::Model>> fitted = learner(*table);
    if (fitted)
      model = std::move(*fitted);
    return fitted.status();
  };
  if (Status done = learnInto(learnt.slowdowns_, slowdowns, slowdownTable(pairs, features)); !done)
    return done;
  if (labels)
    if (Status done = learnInto(learnt.labels_, labels, interferenceTable(pairs, features)); !done)
      return done;
  return learnt;
}

double LearntPairs::slowdown(const Application& job, const Application& other) const {
  return slowdowns_->predict(featuresOf(job, other, features_));
}

bool LearntPairs::interferes(const Application& a, const Application& b) const {
  return labels_ ? learn::labelOf(labels_->predict(featuresOf(a, b, features_))) == 1
                 : PairModel::interferes(a, b);
}

} // namespace gpusched::cluster
