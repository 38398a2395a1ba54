// Main.cpp - Co-scheML's models and scheduler beside the published figures. All modelled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   coscheml-paper [FOLDER] [--only=models,schedulers,time] [--inside=POLICY] [--sets=N]
//
// FOLDER holds the thesis' kernels, published.json and counters.json. Sections: how well three
// models predict the slowdown of pairs; job completion time, makespan and GPU utilisation of
// schedulers on three GPUs; time to decide. Each of N sets has 12 applications of its own.
// The method and what each number rests on: README.md.
#include "benchmarks/papers/applications/PairTruth.h"
#include "benchmarks/papers/applications/Setup.h"

#include "rt/cluster/ClusterRun.h"
#include "rt/learn/CrossValidation.h"
#include "rt/learn/LinearRegression.h"
#include "rt/learn/Random.h"
#include "rt/learn/RandomForest.h"
#include "rt/learn/Scores.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

using namespace gpusched;
using namespace gpusched::cluster;
using namespace gpusched::papers;

namespace {

constexpr size_t kApplications = 12, kFolds = 5, kGpus = 3, kJobs = 40;
constexpr double kArrivalSeconds[] = {15, 30, 60}; // between two jobs
constexpr uint64_t kGpuBytes = 12'000'000'000;     // Titan Xp

/// One set of applications with the slowdown of every pair.
struct ApplicationSet {
  ApplicationSet(sim::Simulator& simulator, const Policy* inside, unsigned seed,
                 Kind kind = Kind::Any)
      : applications(
            drawApplications(simulator.kernels(), simulator.device(), kApplications, seed, kind)),
        truth(simulator, applications, inside), pairs(truth.all()) {}

  std::vector<SyntheticApplication> applications;
  PairTruth truth;
  std::vector<MeasuredPair> pairs; // ordered: 144
};
using Sets = std::vector<std::unique_ptr<ApplicationSet>>;

struct KnownModel {
  const char* name;
  learn::Learner learner;
  double mse, determination; // published
};

std::vector<KnownModel> models() {
  return {{"linear regression", learn::learner<learn::LinearRegression>(), 0.0546, 0.6946},
          {"decision tree",
           learn::learner<learn::DecisionTree>(learn::TreeParameters{}, uint64_t(0)), 0.0269,
           0.8500},
          {"random forest", learn::learner<learn::RandomForest>(learn::ForestParameters{}), 0.0222,
           0.8758}};
}

/// Folds by two applications: their pairs are predicted by a model that has met neither.
std::vector<learn::Fold> foldsByApplication() {
  std::vector<learn::Fold> folds;
  for (size_t a = 0; a < kApplications; ++a)
    for (size_t b = a; b < kApplications; ++b) {
      learn::Fold& fold = folds.emplace_back();
      for (size_t row = 0; row < kApplications * kApplications; ++row) {
        const size_t job = row / kApplications, other = row % kApplications;
        if (std::minmax(job, other) == std::minmax(a, b))
          fold.predict.push_back(row);
        else if (job != a && job != b && other != a && other != b)
          fold.fit.push_back(row);
      }
    }
  return folds;
}

struct Score {
  double mse = 0, determination = 0;
};

Score scoreOf(const learn::Learner& learner, const Sets& sets, PairFeatures features, bool byPair) {
  Score sum;
  for (const auto& set : sets) {
    const learn::Table table = std::move(*slowdownTable(set->pairs, features));
    const std::vector<learn::Fold> folds =
        byPair ? std::move(*learn::shuffledFolds(table.rows(), kFolds)) : foldsByApplication();
    const std::vector<double> predicted = std::move(*learn::crossPredict(learner, table, folds));
    sum.mse += learn::meanSquaredError(table.targets(), predicted) / double(sets.size());
    sum.determination += learn::determination(table.targets(), predicted) / double(sets.size());
  }
  return sum;
}

void printModels(const Sets& sets) {
  std::printf("\nSlowdown of pairs, %zu sets of %zu applications, mean squared error and R2\n",
              sets.size(), kApplications);
  std::printf("%-20s %-16s %-16s %-16s %s\n", "", "published", "5-fold", "new applications",
              "5-fold, coincidence");
  for (const KnownModel& model : models()) {
    const Score folds = scoreOf(model.learner, sets, PairFeatures::Means, true),
                fresh = scoreOf(model.learner, sets, PairFeatures::Means, false),
                temporal = scoreOf(model.learner, sets, PairFeatures::Coincidence, true);
    std::printf("%-20s %.4f %7.4f   %.4f %7.4f   %.4f %7.4f   %.4f %7.4f\n", model.name, model.mse,
                model.determination, folds.mse, folds.determination, fresh.mse, fresh.determination,
                temporal.mse, temporal.determination);
  }
  double least = 1e9, most = 0, mean = 0;
  for (const auto& set : sets)
    for (const MeasuredPair& pair : set->pairs) {
      least = std::min(least, pair.slowdown), most = std::max(most, pair.slowdown);
      mean += pair.slowdown / double(set->pairs.size() * sets.size());
    }
  std::printf("slowdowns: %.2f to %.2f, mean %.2f\n", least, most, mean);
}

/// Jobs of a mix: applications at random, one every `everyUs`.
std::vector<Submission> drawJobs(const std::vector<SyntheticApplication>& applications,
                                 double everyUs, unsigned seed) {
  learn::Random random(seed);
  std::vector<Submission> jobs;
  for (size_t i = 0; i < kJobs; ++i)
    jobs.push_back({&applications[random.below(applications.size())].known, double(i) * everyUs});
  return jobs;
}

struct Contender {
  const char* policy;
  const char* shown;
  enum { None, SameApplications, NewApplications, Truth } model;
  const char* parameters = "";
  double jct = 0, makespan = 0, utilisation = 0; // sums
};

LearntPairs learnFrom(const std::vector<MeasuredPair>& pairs) {
  return std::move(*LearntPairs::fit(
      pairs, PairFeatures::Means, learn::learner<learn::RandomForest>(learn::ForestParameters{})));
}

void runMix(const ApplicationSet& set, const LearntPairs& strangers,
            std::vector<Contender>& contenders, unsigned seed) {
  const LearntPairs own = learnFrom(set.pairs);
  for (double seconds : kArrivalSeconds) {
    const std::vector<Submission> jobs =
        drawJobs(set.applications, seconds * 1e6, seed * 97 + unsigned(seconds));
    for (Contender& contender : contenders) {
      const std::unique_ptr<ClusterPolicy> policy = std::move(*makeClusterPolicy(contender.policy));
      (void)policy->configure(contender.parameters);
      const PairModel* known[] = {nullptr, &own, &strangers, &set.truth};
      Result<ClusterRun> run = runCluster(jobs, std::vector<Gpu>(kGpus, {kGpuBytes, {}}), *policy,
                                          known[contender.model], set.truth);
      if (!run) {
        std::fprintf(stderr, "coscheml-paper: error: %s\n", run.message().c_str());
        std::exit(1);
      }
      contender.jct += run->meanJctUs, contender.makespan += run->makespanUs;
      contender.utilisation += run->gpuUtilisation;
    }
  }
}

void printSchedulers(Setup& setup, const Sets& sets) {
  std::vector<Contender> contenders = {
      {"exclusive", "exclusive", Contender::None},
      {"bin-pack", "bin-pack", Contender::None},
      {"load-balance", "load-balance", Contender::None},
      {"mystic", "mystic", Contender::None},
      {"co-scheml", "co-scheml", Contender::SameApplications},
      {"co-scheml", "co-scheml, new applications", Contender::NewApplications},
      {"co-scheml", "co-scheml, oracle", Contender::Truth},
      {"co-scheml", "co-scheml, oracle, bound", Contender::Truth, "max_interference=2"},
      {"temporal", "temporal, oracle", Contender::Truth}};
  // Trained on applications that no mix has.
  std::vector<MeasuredPair> others;
  for (const auto& set : sets)
    others.insert(others.end(), set->pairs.begin(), set->pairs.end());
  const LearntPairs strangers = learnFrom(others);
  size_t runs = 0;
  unsigned seed = 1000;
  std::vector<Kind> mixes(std::begin(kKinds), std::end(kKinds));
  mixes.insert(mixes.end(), 4, Kind::Any);
  for (Kind kind : mixes) {
    ++seed;
    runMix(ApplicationSet(*setup.simulator, setup.inside.get(), seed, kind), strangers, contenders,
           seed);
    runs += std::size(kArrivalSeconds);
  }
  std::printf("\nSchedulers, %zu mixes of %zu jobs on %zu GPUs, means; published: JCT 844 s, 1089, "
              "943, 968 (co-scheml, bin-pack, load-balance, mystic)\n",
              runs, kJobs, kGpus);
  std::printf("%-28s %10s %10s %8s\n", "", "JCT, s", "makespan", "GPU %");
  for (const Contender& contender : contenders)
    std::printf("%-28s %10.1f %10.1f %8.1f\n", contender.shown, contender.jct / double(runs) / 1e6,
                contender.makespan / double(runs) / 1e6,
                100 * contender.utilisation / double(runs));
}

void printTime(const ApplicationSet& set) {
  const LearntPairs model = learnFrom(set.pairs);
  const std::unique_ptr<ClusterPolicy> policy = std::move(*makeClusterPolicy("co-scheml"));
  std::printf("\nTime to decide, three GPUs with a job each; published: below 3 ms at 50\n");
  for (size_t pending : {1, 10, 50, 200}) {
    State state;
    state.pairs = &model;
    uint64_t id = 0;
    const auto next = [&] {
      return Job{id++, &set.applications[id % set.applications.size()].known};
    };
    for (size_t gpu = 0; gpu < kGpus; ++gpu)
      state.gpus.push_back({kGpuBytes, {next()}});
    for (size_t i = 0; i < pending; ++i)
      state.pending.push_back(next());
    const auto begin = std::chrono::steady_clock::now();
    constexpr int kTimes = 20;
    for (int i = 0; i < kTimes; ++i)
      (void)policy->place(state);
    std::printf("%4zu pending: %.2f ms\n", pending,
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
                        .count() /
                    kTimes);
  }
}

void printAll(const Arguments& arguments, Setup& setup) {
  Sets sets;
  for (unsigned seed = 1; seed <= arguments.sets; ++seed)
    sets.push_back(std::make_unique<ApplicationSet>(*setup.simulator, setup.inside.get(), seed));
  if (arguments.wants("models"))
    printModels(sets);
  if (arguments.wants("schedulers"))
    printSchedulers(setup, sets);
  if (arguments.wants("time"))
    printTime(*sets.front());
}

} // namespace

int main(int argc, char** argv) {
  return runPaper("coscheml-paper", argc, argv, printAll);
}
