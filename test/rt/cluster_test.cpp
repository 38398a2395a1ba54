// cluster_test - where policies for several GPUs put jobs, what is learnt of pairs, the model's
// clock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/cluster/ClusterRun.h"
#include "rt/cluster/LearntPairs.h"
#include "rt/learn/RandomForest.h"
#include "test/Check.h"

#include <algorithm>
#include <map>

using namespace gpusched;
using namespace gpusched::cluster;

namespace {

/// Slowdowns by name; 1.5 where none is said.
struct Told final : PairModel {
  std::map<std::pair<std::string, std::string>, double> slowdowns;
  double slowdown(const Application& job, const Application& other) const override {
    const auto found = slowdowns.find({job.name, other.name});
    return found == slowdowns.end() ? 1.5 : found->second;
  }
};

Application application(const char* name, double us, uint64_t bytes = 0, double busy = 0.5,
                        KernelClass kernelClass = KernelClass::Compute) {
  Application made;
  made.name = name, made.timeUs = us, made.peakMemoryBytes = bytes, made.kernelClass = kernelClass;
  made.means[kGpuUtilisation] = busy;
  return made;
}

const Application a = application("a", 100, 6, 0.9), b = application("b", 200, 4, 0.2),
                  c = application("c", 50, 9, 0.5, KernelClass::Memory);

std::unique_ptr<ClusterPolicy> policy(const char* name) {
  return std::move(*makeClusterPolicy(name));
}

/// "1@0 2@1": jobs and their GPUs, in the order placed.
std::string placed(const ClusterPolicy& policy, const State& state) {
  std::string text;
  for (const Placement& placement : policy.place(state))
    text += (text.empty() ? "" : " ") + std::to_string(placement.job) + "@" +
            std::to_string(placement.gpu);
  return text;
}

State state(std::vector<Gpu> gpus, std::vector<const Application*> pending) {
  State made;
  made.gpus = std::move(gpus);
  uint64_t id = 10;
  for (const Application* application : pending)
    made.pending.push_back({id++, application});
  return made;
}

Gpu gpu(std::vector<const Application*> running, uint64_t bytes = 0) {
  Gpu made{bytes, {}};
  uint64_t id = 1;
  for (const Application* application : running)
    made.running.push_back({id++, application});
  return made;
}

void testNames() {
  for (const ClusterPolicyEntry& entry : clusterPolicyTable())
    CHECK_EQUAL(std::string(policy(entry.name)->name()), entry.name);
  const Result<std::unique_ptr<ClusterPolicy>> none = makeClusterPolicy("nobody");
  CHECK(!none && none.message().find("co-scheml") != std::string::npos);
}

/// What every policy must keep to, whatever it prefers.
void testAll() {
  const Told told;
  for (const ClusterPolicyEntry& entry : clusterPolicyTable()) {
    State all = state({gpu({&a, &b}, 10), gpu({&a}, 10), gpu({}, 10)}, {&c, &b, &c, &a});
    all.pairs = &told;
    size_t beside = 0, idle = 0;
    std::vector<uint64_t> jobs;
    for (const Placement& placement : policy(entry.name)->place(all)) {
      CHECK(placement.gpu == 1 || placement.gpu == 2);
      CHECK(!placement.reason.empty());
      jobs.push_back(placement.job);
      (placement.gpu == 1 ? beside : idle) += 1;
      // c needs 9 of 10 bytes, of which a has 6.
      CHECK(placement.gpu == 2 || placement.job == 11);
    }
    CHECK(beside <= 1 && idle >= 1 && idle <= 2);
    std::sort(jobs.begin(), jobs.end());
    CHECK(std::adjacent_find(jobs.begin(), jobs.end()) == jobs.end());
    CHECK_EQUAL(placed(*policy(entry.name), state({gpu({&a, &a})}, {&b})), "");
    CHECK_EQUAL(placed(*policy(entry.name), state({gpu({})}, {})), "");
    // On the GPU that can hold it, and not before that is free.
    CHECK_EQUAL(placed(*policy(entry.name), state({gpu({}, 5), gpu({}, 10)}, {&c})), "10@1");
    CHECK_EQUAL(placed(*policy(entry.name), state({gpu({}, 5), gpu({&a}, 10)}, {&c})), "");
    // Larger than any GPU: it runs where nobody else does.
    CHECK_EQUAL(placed(*policy(entry.name), state({gpu({}, 5)}, {&c})), "10@0");
  }
}

void testPlainPolicies() {
  CHECK_EQUAL(placed(*policy("exclusive"), state({gpu({&a}), gpu({}), gpu({})}, {&a, &b, &c})),
              "10@1 11@2");
  CHECK_EQUAL(placed(*policy("first-fit"), state({gpu({&a}), gpu({})}, {&a, &b, &c})),
              "10@0 11@1 12@1");
  State turn = state({gpu({}), gpu({}), gpu({})}, {&a, &b, &c});
  turn.placed = 4;
  CHECK_EQUAL(placed(*policy("round-robin"), turn), "10@1 11@2 12@0");
  const State many = state({gpu({}), gpu({}), gpu({})}, {&a, &a, &a, &a, &a, &a});
  CHECK_EQUAL(placed(*policy("random-fit"), many), placed(*policy("random-fit"), many));
  CHECK(placed(*policy("random-fit"), many) != placed(*policy("first-fit"), many));
  CHECK_EQUAL(policy("random-fit")->place(many).size(), 6u);
}

void testBaselines() {
  // The least free memory that is enough: 4 of 10 beside a, 6 beside b.
  CHECK_EQUAL(placed(*policy("bin-pack"), state({gpu({}, 10), gpu({&b}, 10), gpu({&a}, 10)}, {&b})),
              "10@2");
  CHECK_EQUAL(placed(*policy("bin-pack"), state({gpu({}, 10), gpu({&b}, 10), gpu({&a}, 10)}, {&a})),
              "10@1");
  // The busiest job (a) goes beside the least busy (b).
  CHECK_EQUAL(placed(*policy("load-balance"), state({gpu({&c}), gpu({&b})}, {&c, &a})),
              "11@1 10@0");
  CHECK_EQUAL(placed(*policy("class-pairs"), state({gpu({&a}), gpu({&c})}, {&b, &a})), "10@1");
  Application like = a, unlike = a;
  unlike.means[kMemoryUtilisation] = 0.8;
  CHECK_EQUAL(placed(*policy("mystic"), state({gpu({&like}), gpu({&unlike})}, {&a})), "10@1");
}

void testCoScheml() {
  Told told;
  told.slowdowns = {{{"c", "a"}, 1.1},
                    {{"a", "c"}, 1.1},
                    {{"b", "b"}, 1.3},
                    {{"b", "a"}, 1.2},
                    {{"a", "b"}, 1.3}};
  State all = state({gpu({&a}), gpu({&b})}, {&b, &c});
  CHECK_EQUAL(placed(*policy("co-scheml"), all), ""); // nobody predicts
  all.pairs = &told;
  // The best pair takes GPU 0 from the job that came first.
  CHECK_EQUAL(placed(*policy("co-scheml"), all), "11@0 10@1");
  const std::unique_ptr<ClusterPolicy> bounded = policy("co-scheml");
  CHECK(bounded->configure("max_interference=1.2"));
  CHECK_EQUAL(placed(*bounded, all), "11@0");
  all.gpus.push_back(gpu({}));
  CHECK_EQUAL(placed(*policy("co-scheml"), all), "10@2 11@0");
}

void testTemporal() {
  Told told;
  told.slowdowns = {{{"b", "a"}, 1.8},
                    {{"a", "b"}, 1.1},
                    {{"b", "c"}, 1.1},
                    {{"c", "b"}, 1.1},
                    {{"a", "a"}, 2.0}};
  State all = state({gpu({&a}), gpu({&c})}, {&b});
  CHECK_EQUAL(placed(*policy("temporal"), all), "");
  all.pairs = &told;
  CHECK_EQUAL(placed(*policy("temporal"), all), "10@1"); // no interference
  all.gpus.pop_back();
  CHECK_EQUAL(placed(*policy("temporal"), all), "10@0"); // bearable
  CHECK_EQUAL(placed(*policy("temporal"),
                     [&] {
                       State same = state({gpu({&a})}, {&a});
                       same.pairs = &told;
                       return same;
                     }()),
              ""); // not bearable
  const std::unique_ptr<ClusterPolicy> strict = policy("temporal");
  CHECK(strict->configure("max_slowdown=1.7"));
  CHECK_EQUAL(placed(*strict, all), "");
}

void testClock() {
  Told told;
  told.slowdowns = {{{"a", "b"}, 2.0}, {{"b", "a"}, 1.25}};
  const std::vector<Submission> jobs = {{&a, 0}, {&b, 50}, {&a, 1000}};
  const Result<ClusterRun> run =
      runCluster(jobs, std::vector<Gpu>(1), *policy("first-fit"), nullptr, told);
  CHECK(run);
  // a alone for 50, then half as fast for its other 50; b has done 80 of 200 when a ends.
  CHECK_NEAR(run->jobs[0].endUs, 150, 1e-6);
  CHECK_NEAR(run->jobs[1].endUs, 270, 1e-6);
  CHECK_NEAR(run->jobs[2].startUs, 1000, 1e-6);
  CHECK_NEAR(run->makespanUs, 1100, 1e-6);
  CHECK_NEAR(run->meanJctUs, (150 + 220 + 100) / 3.0, 1e-6);
  CHECK_NEAR(run->meanTurnaround, (1.5 + 1.1 + 1) / 3, 1e-6);
  CHECK_NEAR(run->worstSlowdown, 1.5, 1e-6);
  CHECK_NEAR(run->gpuBusyUs, 370, 1e-6);
  const double both = 0.9 / 2 + 0.2 / 1.25;
  CHECK_NEAR(run->gpuUtilisation, (50 * 0.9 + 100 * both + 120 * 0.2 + 100 * 0.9) / 1100, 1e-9);
  const Result<ClusterRun> none =
      runCluster({}, std::vector<Gpu>(1), *policy("first-fit"), nullptr, told);
  CHECK(none && none->makespanUs == 0);
}

struct Wrong final : ClusterPolicy {
  std::vector<Placement> answer;
  const char* name() const override { return "wrong"; }
  std::vector<Placement> place(const State&) const override { return answer; }
};

void testBrokenPolicies() {
  const Told told;
  const std::vector<Submission> jobs = {{&a, 0}, {&b, 0}, {&a, 0}};
  const auto message = [&](std::vector<Placement> answer) {
    Wrong wrong;
    wrong.answer = std::move(answer);
    return runCluster(jobs, std::vector<Gpu>(1), wrong, nullptr, told).message();
  };
  CHECK(message({}).find("leaves all GPUs idle") != std::string::npos);
  CHECK(message({{7, 0, ""}}).find("job 7, which does not wait") != std::string::npos);
  CHECK(message({{0, 1, ""}}).find("where it does not fit") != std::string::npos);
  CHECK(message({{0, 0, ""}, {1, 0, ""}, {2, 0, ""}}).find("job 2 on GPU 0") != std::string::npos);
}

/// Two that are busy in turn, one that is busy with the first.
void testCoincidence() {
  Application first = application("first", 40), second = first, third = first;
  for (size_t i = 0; i < 4; ++i) {
    Metrics on = {}, off = {};
    on[kMemoryUtilisation] = 1;
    first.series.push_back(i < 2 ? on : off);
    second.series.push_back(i < 2 ? off : on);
    if (i < 2)
      third.series.push_back(i < 1 ? on : off); // half as long: it begins again
  }
  const auto memory = [](const Application& x, const Application& y) {
    return featuresOf(x, y, PairFeatures::Coincidence)[kMemoryUtilisation];
  };
  CHECK_NEAR(memory(first, first), 0.5, 1e-12);
  CHECK_NEAR(memory(first, second), 0, 1e-12);
  CHECK_NEAR(memory(first, third), 0.25, 1e-12);
  CHECK_NEAR(memory(third, first), 0.25, 1e-12);
  CHECK_NEAR(memory(second, third), 0.25, 1e-12);
  const std::vector<MeasuredPair> pairs = {{&first, &a, 1.5}};
  const Result<learn::Table> without = slowdownTable(pairs, PairFeatures::Coincidence);
  CHECK(!without && without.message().find("'a' has no series") != std::string::npos);
}

void testLearning() {
  const std::vector<MeasuredPair> pairs = {
      {&a, &b, 2.0}, {&b, &a, 1.1}, {&b, &c, 1.1}, {&c, &b, 1.15}, {&a, &c, 1.3}};
  const Result<learn::Table> labels = interferenceTable(pairs, PairFeatures::Means);
  CHECK(labels);
  // Either way counts; a pair measured one way goes by that.
  const double expected[] = {1, 1, 0, 0, 1};
  for (size_t row = 0; row < 5; ++row)
    CHECK_EQUAL(labels->target(row), expected[row]);
  CHECK_EQUAL(labels->columns(), featuresOf(a, b, PairFeatures::Means).size());
  const learn::Learner tree = learn::learner<learn::DecisionTree>();
  const Result<LearntPairs> learnt = LearntPairs::fit(pairs, PairFeatures::Means, tree);
  CHECK(learnt);
  CHECK_NEAR(learnt->slowdown(a, b), 2.0, 1e-12);
  CHECK_NEAR(learnt->slowdown(b, a), 1.1, 1e-12);
  CHECK(learnt->interferes(b, a) && !learnt->interferes(c, b));
  // A classifier answers for itself.
  const std::vector<MeasuredPair> apart = {{&a, &b, 1.1}, {&b, &a, 1.1}};
  const learn::Learner never = [&](const learn::Table&) {
    return tree(*interferenceTable(apart, PairFeatures::Means));
  };
  const Result<LearntPairs> told = LearntPairs::fit(pairs, PairFeatures::Means, tree, never);
  CHECK(told && !told->interferes(a, b));
  CHECK(!LearntPairs::fit({}, PairFeatures::Means, tree));
}

} // namespace

int main() {
  testNames();
  testAll();
  testPlainPolicies();
  testBaselines();
  testCoScheml();
  testTemporal();
  testClock();
  testBrokenPolicies();
  testCoincidence();
  testLearning();
  return checkResult();
}
