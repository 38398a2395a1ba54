// Main.cpp - temporal interference: its models and scheduler beside the published figures.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   temporal-interference-paper [FOLDER] [--only=shifts,models,features,schedulers]
//     [--inside=POLICY] [--sets=N] [--lists=N]
//
// FOLDER holds the thesis' kernels, published.json and counters.json. Sections: the claim that it
// matters when a resource is used; classifier and regressors of pairs; which metrics they need;
// turnaround of schedulers on two GPUs. Each of N sets has 21 applications of its own, as many as
// the paper has kernels. All modelled. The method and what each number rests on: README.md.
#include "benchmarks/papers/applications/PairTruth.h"
#include "benchmarks/papers/applications/Setup.h"

#include "rt/cluster/ClusterRun.h"
#include "rt/learn/AdaBoost.h"
#include "rt/learn/FeatureElimination.h"
#include "rt/learn/Random.h"
#include "rt/learn/RandomForest.h"
#include "rt/learn/Scores.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace gpusched;
using namespace gpusched::cluster;
using namespace gpusched::papers;

namespace {

constexpr size_t kApplications = 21, kFolds = 5, kGpus = 2, kListLength = 20;

/// Applications, and every two of them once, with the larger of both slowdowns: the paper's pairs.
struct ApplicationSet {
  ApplicationSet(sim::Simulator& simulator, unsigned seed, const Policy* inside)
      : applications(
            drawApplications(simulator.kernels(), simulator.device(), kApplications, seed)),
        truth(simulator, applications, inside) {
    for (size_t a = 0; a < kApplications; ++a)
      for (size_t b = a; b < kApplications; ++b)
        pairs.push_back({&applications[a].known, &applications[b].known,
                         std::max(truth.slowdown(a, b), truth.slowdown(b, a))});
  }

  std::vector<SyntheticApplication> applications;
  PairTruth truth;
  std::vector<MeasuredPair> pairs;
};
using Sets = std::vector<std::unique_ptr<ApplicationSet>>;

learn::Learner classifier() {
  learn::ForestParameters parameters;
  parameters.tree.features = learn::FeaturesPerSplit::SquareRoot;
  return learn::learner<learn::RandomForest>(parameters);
}

learn::Learner bagging() {
  learn::ForestParameters parameters;
  parameters.trees = 20;
  return learn::learner<learn::RandomForest>(parameters);
}

constexpr struct {
  PairFeatures features;
  const char* name;
} kFeatures[] = {{PairFeatures::Coincidence, "coincidence (the paper's)"},
                 {PairFeatures::Means, "means of both"},
                 {PairFeatures::MeansAndCoincidence, "both"}};

void printClassifier(const Sets& sets, PairFeatures features, const char* name) {
  double accuracy = 0, f0 = 0, f1 = 0, share = 0;
  for (const auto& set : sets) {
    const learn::Table table = std::move(*interferenceTable(set->pairs, features));
    const std::vector<double> predicted = std::move(
        *learn::crossPredict(classifier(), table, *learn::shuffledFolds(table.rows(), kFolds)));
    const learn::LabelScore score = learn::labelScore(table.targets(), predicted);
    accuracy += score.accuracy, f0 += score.classes[0].f1, f1 += score.classes[1].f1;
    share += double(score.classes[1].rows) / double(table.rows());
  }
  const double n = double(sets.size()) / 100;
  std::printf("%-28s %6.1f %6.1f %6.1f  (%.0f %% interfere)\n", name, accuracy / n, f0 / n, f1 / n,
              share / n);
}

void printRegressor(const Sets& sets, PairFeatures features, const char* name) {
  double errors[2] = {}, variance = 0;
  for (const auto& set : sets) {
    const learn::Table table = std::move(*slowdownTable(set->pairs, features));
    const std::vector<learn::Fold> folds = std::move(*learn::leaveOneOut(table.rows()));
    const learn::Learner learners[] = {bagging(), learn::learner<learn::AdaBoost>()};
    for (size_t i = 0; i < 2; ++i)
      errors[i] +=
          learn::meanSquaredError(table.targets(), *learn::crossPredict(learners[i], table, folds));
    double mean = 0;
    for (double target : table.targets())
      mean += target / double(table.rows());
    for (double target : table.targets())
      variance += (target - mean) * (target - mean) / double(table.rows());
  }
  const double n = double(sets.size());
  std::printf("%-28s %7.3f %7.3f  (variance %.3f)\n", name, errors[0] / n, errors[1] / n,
              variance / n);
}

void printModels(const Sets& sets) {
  std::printf(
      "\nInterference of pairs, %zu sets of %zu applications, %d-fold: accuracy, F of class "
      "0 and 1, %%\n%-28s %6.1f %6.1f %6.1f\n",
      sets.size(), kApplications, int(kFolds), "published", 96.9, 97.0, 98.9);
  for (const auto& [features, name] : kFeatures)
    printClassifier(sets, features, name);
  std::printf(
      "\nSlowdown, leave one out, mean squared error: bagging, AdaBoost\n%-28s %7.3f %7.3f\n",
      "published", 0.229, 0.234);
  for (const auto& [features, name] : kFeatures)
    printRegressor(sets, features, name);
}

void printFeatures(const Sets& sets) {
  std::printf("\nMetrics kept by recursive elimination (published: 12 of 15), errors before and "
              "after\n");
  for (const auto& set : sets) {
    const learn::Table table = std::move(*interferenceTable(set->pairs, PairFeatures::Coincidence));
    const learn::Elimination kept = std::move(*learn::eliminateFeatures(
        classifier(), table, *learn::shuffledFolds(table.rows(), kFolds), learn::errorRate));
    std::printf("%zu of %zu, %.1f %% -> %.1f %%; dropped:", kept.columns.size(), size_t(kMetrics),
                100 * kept.lossByCount.back(), 100 * kept.lossByCount[kept.columns.size() - 1]);
    for (size_t column : kept.dropped)
      std::printf(" %s", cluster::name(Metric(column)));
    std::printf("\n");
  }
}

/// Two seconds of a kernel, two of the host, and so on, the second one later than the first: the
/// same means, whatever the shift.
void printShifts(const Setup& setup) {
  constexpr size_t kRounds = 10, kLaunches = 100; // of a phase
  constexpr double kLaunchUs = 20e3, kPhaseUs = kLaunches * kLaunchUs;
  std::printf("\nThe claim: equal means, peaks that meet or do not. Phases of 2 s, the second "
              "application later by\n%8s %14s %10s\n",
              "s", "coincidence", "slowdown");
  for (double shiftUs : {0.0, 0.5e6, 1e6, 1.5e6, 2e6}) {
    std::vector<SyntheticApplication> both(2);
    for (size_t i = 0; i < 2; ++i) {
      std::vector<Step>& steps = both[i].steps;
      const double first = i == 0 ? 0 : shiftUs;
      for (size_t launch = 0; launch < kRounds * kLaunches; ++launch)
        steps.push_back({.hostUs = launch == 0               ? first
                                   : launch % kLaunches == 0 ? kPhaseUs
                                                             : 0,
                         .kernelUs = kLaunchUs});
      steps.push_back({.hostUs = kPhaseUs - first, .kernelUs = kLaunchUs});
      profileAlone(both[i], setup.simulator->kernels(), setup.simulator->device());
    }
    const PairTruth truth(*setup.simulator, both, setup.inside.get());
    std::printf(
        "%8.1f %14.3f %10.3f\n", shiftUs / 1e6,
        featuresOf(both[0].known, both[1].known, PairFeatures::Coincidence)[kGpuUtilisation],
        truth.slowdown(size_t(0), size_t(1)));
  }
}

struct Contender {
  const char* policy;
  const char* shown;
  bool oracle = false;
  double turnaround = 0, makespan = 0; // sums
};

std::vector<Submission> permuted(std::vector<Submission> jobs, learn::Random& random) {
  random.shuffle(jobs);
  return jobs;
}

void runLists(const ApplicationSet& set, size_t lists, std::vector<Contender>& contenders) {
  const LearntPairs learnt =
      std::move(*LearntPairs::fit(set.pairs, PairFeatures::Coincidence, bagging(), classifier()));
  learn::Random random(17);
  for (size_t list = 0; list < lists; ++list) {
    std::vector<Submission> drawn;
    for (size_t i = 0; i < kListLength; ++i)
      drawn.push_back({&set.applications[random.below(kApplications)].known, 0});
    for (size_t order = 0; order < 10; ++order) {
      const std::vector<Submission> jobs = permuted(drawn, random);
      for (Contender& contender : contenders) {
        const std::unique_ptr<ClusterPolicy> policy =
            std::move(*makeClusterPolicy(contender.policy));
        const PairModel& asked =
            contender.oracle ? static_cast<const PairModel&>(set.truth) : learnt;
        const ClusterRun run =
            std::move(*runCluster(jobs, std::vector<Gpu>(kGpus), *policy, &asked, set.truth));
        contender.turnaround += run.meanJctUs, contender.makespan += run.makespanUs;
      }
    }
  }
}

void printSchedulers(const Sets& sets, size_t lists) {
  std::vector<Contender> contenders = {{"exclusive", "exclusive"},
                                       {"first-fit", "first-fit"},
                                       {"round-robin", "round-robin"},
                                       {"random-fit", "random-fit"},
                                       {"class-pairs", "class-pairs"},
                                       {"temporal", "temporal"},
                                       {"temporal", "temporal, oracle", true},
                                       {"co-scheml", "co-scheml, oracle", true}};
  for (const auto& set : sets)
    runLists(*set, lists, contenders);
  const double runs = double(sets.size() * lists * 10);
  std::printf(
      "\nSchedulers, %.0f lists of %zu jobs on %zu GPUs: mean turnaround and makespan, over "
      "exclusive\n(published turnaround: temporal 1.67 of serial, above 1.17 of class-pairs, "
      "above 1.27 of the unaware)\n",
      runs, kListLength, kGpus);
  for (const Contender& contender : contenders)
    std::printf("%-22s %8.1f s %6.3f   %8.1f s %6.3f\n", contender.shown,
                contender.turnaround / runs / 1e6, contenders[0].turnaround / contender.turnaround,
                contender.makespan / runs / 1e6, contenders[0].makespan / contender.makespan);
}

void printAll(const Arguments& arguments, Setup& setup) {
  Sets sets;
  for (unsigned seed = 1; seed <= arguments.sets; ++seed)
    sets.push_back(std::make_unique<ApplicationSet>(*setup.simulator, seed, setup.inside.get()));
  if (arguments.wants("models"))
    printModels(sets);
  if (arguments.wants("shifts"))
    printShifts(setup);
  if (arguments.wants("features"))
    printFeatures(sets);
  if (arguments.wants("schedulers"))
    printSchedulers(sets, arguments.lists);
}

} // namespace

int main(int argc, char** argv) {
  return runPaper("temporal-interference-paper", argc, argv, printAll);
}
