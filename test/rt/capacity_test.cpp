// capacity_test - who is dealt what, plans beside all that there are, the modelled service's clock.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/capacity/CapacityRun.h"
#include "rt/capacity/GreedyPlan.h"
#include "rt/capacity/LocalMilp.h"
#include "rt/learn/Random.h"
#include "test/Check.h"

#include <memory>
#include <optional>

using namespace gpusched;
using namespace gpusched::capacity;

namespace {

CapacityJob job(const char* name, double arrival, double deadline, double weight,
                std::vector<std::vector<double>> seconds) {
  return {name, arrival, deadline, weight, std::move(seconds)};
}

/// A problem that owns what it points to.
struct Instance {
  std::vector<VmType> types;
  std::vector<CapacityJob> jobs;
  LocalProblem problem;
};

/// Up to three VM types of one or two GPUs, jobs that some of them run, deadlines before and after
/// now.
std::unique_ptr<Instance> drawInstance(uint64_t seed, size_t nodes, size_t jobs) {
  learn::Random random(seed);
  auto made = std::make_unique<Instance>();
  for (size_t type = 0; type < 1 + random.below(3); ++type)
    made->types.push_back(
        {"vm" + std::to_string(type), "gpu", 1 + random.below(2), 0.01 + random.real()});
  for (size_t i = 0; i < jobs; ++i) {
    CapacityJob one = job("j", 0, 90 + 40 * random.real(), random.real(), {});
    one.name += std::to_string(i);
    for (const VmType& type : made->types) {
      std::vector<double>& seconds = one.seconds.emplace_back();
      for (size_t gpus = 0; gpus < type.gpus; ++gpus)
        seconds.push_back(random.below(4) == 0 ? kNever : 1 + 20 * random.real());
    }
    one.seconds[0][0] = 5 + random.real();
    made->jobs.push_back(one);
  }
  made->problem = {&made->types, nodes, {}, 100, 5, {random.real() * 2, random.real()}};
  for (const CapacityJob& one : made->jobs)
    made->problem.jobs.push_back({&one, 0.2 + 0.8 * random.real()});
  return made;
}

/// The objective of spec/hierarchical-milp.md for a plan, from the plan itself.
double objective(const LocalProblem& problem, const std::vector<Placement>& placements) {
  std::vector<std::optional<double>> seconds(problem.jobs.size()), prices(problem.nodes);
  std::vector<double> idle(problem.nodes);
  double sum = 0;
  for (const Placement& placement : placements) {
    const VmType& type = (*problem.types)[placement.type];
    const double time = problem.seconds(placement.job, placement.type, placement.gpus);
    seconds[placement.job] = time;
    sum += double(placement.gpus) / double(type.gpus) * type.usdPerSecond * time;
    std::optional<double>& price = prices[placement.node];
    if (!price)
      idle[placement.node] = double(type.gpus);
    price = std::min(price.value_or(1e9), time * type.usdPerSecond);
    idle[placement.node] -= double(placement.gpus);
  }
  for (size_t node = 0; node < problem.nodes; ++node)
    sum += prices[node].value_or(0) + problem.weights.usdPerIdleGpu * idle[node];
  for (size_t i = 0; i < problem.jobs.size(); ++i) {
    const double later = seconds[i] ? 0 : problem.horizonSeconds + problem.worstSeconds(i);
    sum += problem.jobs[i].job->usdPerLateSecond *
           (std::max(0.0, seconds[i].value_or(0) - problem.deadlineSeconds(i)) +
            problem.weights.postponed * std::max(0.0, later - problem.deadlineSeconds(i)));
  }
  return sum;
}

/// The least objective of all plans that checkPlan lets pass: every job waits or is anywhere.
double leastObjective(const LocalProblem& problem, std::vector<Placement>& placements,
                      size_t next) {
  if (next == problem.jobs.size())
    return checkPlan(problem, {placements, PlanOrigin::Greedy, ""}) ? objective(problem, placements)
                                                                    : kNever;
  double least = leastObjective(problem, placements, next + 1);
  for (size_t node = 0; node < problem.nodes; ++node)
    for (size_t type = 0; type < problem.types->size(); ++type)
      for (size_t gpus = 1; gpus <= (*problem.types)[type].gpus; ++gpus) {
        placements.push_back({next, node, type, gpus});
        least = std::min(least, leastObjective(problem, placements, next + 1));
        placements.pop_back();
      }
  return least;
}

void testAgainstAllPlans() {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const auto instance = drawInstance(seed, 1 + seed % 2, 1 + seed % 4);
    std::vector<Placement> none;
    const double least = leastObjective(instance->problem, none, 0);
    const LocalMilp milp(instance->problem);
    const MilpSolution exact = solve(milp.model(), {0, 60});
    CHECK(exact.status == MilpStatus::WithinGap);
    CHECK_NEAR(exact.objective, least, 1e-6 * (1 + least));
    CHECK_NEAR(objective(instance->problem, milp.placements(exact.values)), least,
               1e-6 * (1 + least));
    const Result<LocalPlan> loose = planByMilp(instance->problem, {0.2, 60});
    CHECK(loose->origin == PlanOrigin::Milp && loose->why.empty());
    // (objective - bound) / objective <= 0.2.
    CHECK(0.8 * objective(instance->problem, loose->placements) <= least + 1e-6);
    CHECK(objective(instance->problem, planGreedily(instance->problem)->placements) >=
          least - 1e-6);
  }
}

/// Every row of spec/hierarchical-milp.md, those that LocalMilp leaves out as well.
struct SpecRows {
  const LocalProblem& problem;
  const LocalMilp& milp;
  const std::vector<double>& values;

  double value(size_t column) const { return values[column]; }
  double cost(size_t type) const { return (*problem.types)[type].usdPerSecond; }
  /// Sum of factor(choice) x over the choices that `of` wants.
  template <class Of, class Factor> double sum(const Of& of, const Factor& factor) const {
    double total = 0;
    for (size_t x = 0; x < milp.choices().size(); ++x)
      if (of(milp.choices()[x]))
        total += factor(milp.choices()[x]) * values[x];
    return total;
  }
  static double one(const Placement&) { return 1; }
  static bool atMost(double left, double right) { return left <= right + 1e-6; }
  static bool equal(double left, double right) { return std::fabs(left - right) <= 1e-6; }

  void checkAll() const {
    double used = 0;
    for (size_t column = 0; column < values.size(); ++column) {
      CHECK(values[column] >= -1e-9);
      CHECK(!milp.model().columns[column].binary || values[column] == 0 || values[column] == 1);
    }
    for (size_t node = 0; node < problem.nodes; ++node)
      used += value(milp.used(node)), checkNode(node);
    CHECK(equal(used, double(std::min(problem.nodes, problem.jobs.size()))));
    for (const Placement& choice : milp.choices()) {
      const double x = values[size_t(&choice - milp.choices().data())];
      CHECK(x <= value(milp.hosts(choice.node, choice.type)));
      CHECK(x <= value(milp.runs(choice.job)));
    }
    for (size_t i = 0; i < problem.jobs.size(); ++i)
      checkJob(i);
  }

  void checkNode(size_t node) const {
    double types = 0, firsts = 0, prices = 0;
    for (size_t type = 0; type < problem.types->size(); ++type) {
      types += value(milp.hosts(node, type));
      CHECK(atMost(sum([&](const Placement& p) { return p.node == node && p.type == type; },
                       [](const Placement& p) { return double(p.gpus); }),
                   double((*problem.types)[type].gpus) * value(milp.hosts(node, type))));
    }
    CHECK_EQUAL(types, value(milp.used(node)));
    for (size_t i = 0; i < problem.jobs.size(); ++i) {
      firsts += value(milp.first(i, node)), prices += value(milp.firstPrice(i, node));
      checkPair(i, node);
    }
    CHECK_EQUAL(firsts, value(milp.used(node)));
    CHECK(atMost(prices, value(milp.nodePrice(node))));
  }

  void checkPair(size_t i, size_t node) const {
    const auto here = [&](const Placement& p) { return p.job == i && p.node == node; };
    const double alpha = value(milp.first(i, node)), pi = value(milp.price(i, node));
    CHECK(atMost(sum(here, one), value(milp.used(node))));
    CHECK(atMost(
        sum(here,
            [&](const Placement& p) { return problem.seconds(i, p.type, p.gpus) * cost(p.type); }),
        pi));
    CHECK(atMost(alpha, value(milp.runs(i))));
    CHECK(atMost(alpha, sum(here, one))); // ours: LocalMilp.h
    CHECK(equal(value(milp.firstPrice(i, node)), alpha * pi));
  }

  void checkJob(size_t i) const {
    const auto mine = [&](const Placement& p) { return p.job == i; };
    const double runs = value(milp.runs(i));
    CHECK(equal(sum(mine, one), runs));
    CHECK(atMost(sum(mine, [&](const Placement& p) { return problem.seconds(i, p.type, p.gpus); }),
                 problem.deadlineSeconds(i) + value(milp.late(i))));
    CHECK(atMost((problem.horizonSeconds + problem.worstSeconds(i)) * (1 - runs),
                 problem.deadlineSeconds(i) + value(milp.lateLater(i))));
  }
};

void testRows() {
  for (uint64_t seed = 100; seed < 140; ++seed) {
    const auto instance = drawInstance(seed, 1 + seed % 3, seed % 8);
    const LocalMilp milp(instance->problem);
    const MilpSolution solution = solve(milp.model(), {0.2, 60});
    CHECK(solution.status == MilpStatus::WithinGap);
    if (!solution.values.empty())
      SpecRows{instance->problem, milp, solution.values}.checkAll();
    for (const Result<LocalPlan>& plan :
         {planByMilp(instance->problem, {}), planGreedily(instance->problem)}) {
      CHECK_EQUAL(checkPlan(instance->problem, *plan).message(), "");
    }
  }
}

void testSolver() {
  MilpModel knapsack; // values 5, 4, 3; weights 4, 3, 2; room 5
  for (double value : {5.0, 4.0, 3.0})
    knapsack.addColumn(true, -value);
  knapsack.addRow(Relation::AtMost, 5, {{0, 4}, {1, 3}, {2, 2}});
  const MilpSolution best = solve(knapsack, {0, 60});
  CHECK(best.status == MilpStatus::WithinGap && best.values == std::vector<double>({0, 1, 1}));
  CHECK_NEAR(best.objective, -7, 1e-9);
  knapsack.addRow(Relation::Equal, 4, {{0, 1}, {1, 1}, {2, 1}});
  CHECK(solve(knapsack, {0, 60}).status == MilpStatus::Infeasible);
  MilpModel half; // no whole numbers: 2 x = 1
  half.addColumn(true, 1);
  half.addRow(Relation::Equal, 1, {{0, 2}});
  CHECK(solve(half, {0, 60}).status == MilpStatus::Infeasible);
  MilpModel unbounded;
  unbounded.addColumn(false, -1);
  CHECK(solve(unbounded, {0, 60}).values.empty());
  const MilpSolution late = solve(half, {0, 0});
  CHECK(late.status == MilpStatus::TimeLimit && late.values.empty() && !late.why.empty());
}

void testFallback() {
  const auto instance = drawInstance(7, 2, 5);
  const LocalPlan greedy = *planGreedily(instance->problem),
                  late = *planByMilp(instance->problem, {0.2, 0});
  CHECK(greedy.why.empty());
  CHECK(late.origin == PlanOrigin::Greedy && late.why.find("time limit") != std::string::npos);
  CHECK_EQUAL(objective(instance->problem, late.placements),
              objective(instance->problem, greedy.placements));
  // Too much for a millisecond: whatever it has by then is a plan, and it says so.
  const auto large = drawInstance(8, 5, 60);
  const LocalPlan some = *planByMilp(large->problem, {0, 0.001});
  CHECK(some.origin != PlanOrigin::Milp && !some.why.empty());
  CHECK(checkPlan(large->problem, some));
}

/// "ab|c": names of jobs, queue by queue.
std::string dealt(const std::vector<CapacityJob>& jobs, size_t queues, const Deal& deal) {
  std::vector<const CapacityJob*> central;
  for (const CapacityJob& one : jobs)
    central.push_back(&one);
  std::string text;
  for (const std::vector<size_t>& queue : dealJobs(central, queues, deal)) {
    for (size_t place : queue)
      text += jobs[place].name;
    text += "|";
  }
  return text.substr(0, text.size() - 1);
}

void testDistribution() {
  std::vector<CapacityJob> jobs;
  const double deadlines[] = {70, 10, 60, 20, 50, 30, 40};
  for (size_t i = 0; i < 7; ++i)
    jobs.push_back(job("x", double(i), deadlines[i], 1, {})), jobs[i].name = char('a' + i);
  CHECK_EQUAL(dealt(jobs, 3, {true, 1}), "bga|de|fc"); // sorted: b d f g e c a
  CHECK_EQUAL(dealt(jobs, 3, {true, 2}), "bda|fg|ec");
  CHECK_EQUAL(dealt(jobs, 3, {true, 3}), "bdf|gec|a");
  CHECK_EQUAL(dealt(jobs, 2, {true, 3}), "bdfa|gec");
  CHECK_EQUAL(dealt(jobs, 3, {false, 1}), "adg|be|cf");
  CHECK_EQUAL(dealt(jobs, 1, {true, 1}), "bdfgeca");
  CHECK_EQUAL(dealt({}, 2, {}), "|");
  jobs[1].deadlineSeconds = 20; // as d: the index says
  CHECK_EQUAL(dealt(jobs, 1, {true, 1}), "bdfgeca");
  CHECK(dealNodes(5, 3) == std::vector<size_t>({2, 2, 1}));
  CHECK(dealNodes(3, 3) == std::vector<size_t>({1, 1, 1}));
}

void testGreedy() {
  // Same price per GPU, and on the fast one per unit of work.
  const std::vector<VmType> types = {
      {"one", "slow", 1, 1}, {"two", "slow", 2, 2}, {"fast", "f", 1, 3}};
  const std::vector<CapacityJob> jobs = {
      job("a", 0, 20, 1, {{10}, {10, 8}, {2.5}}), job("b", 0, 9, 1, {{10}, {10, 9}, {9}}),
      job("c", 0, 30, 1, {{kNever}, {12, 9}}), job("d", 0, 1, 1, {{10}, {10, 8}, {5}}),
      job("e", 0, 20, 1, {{10}, {10, 8}})};
  const auto places = [&](const std::vector<size_t>& which, size_t nodes) {
    LocalProblem problem{&types, nodes, {}, 0, 10, {}};
    for (size_t i : which)
      problem.jobs.push_back({&jobs[i], 1});
    std::string text;
    const LocalPlan plan = *planGreedily(problem);
    for (const Placement& p : plan.placements)
      text += problem.jobs[p.job].job->name + "@" + std::to_string(p.node) + ":" +
              types[p.type].name + "/" + std::to_string(p.gpus) + " ";
    return text;
  };
  CHECK_EQUAL(places({}, 2), "");
  CHECK_EQUAL(places({0}, 1), "a@0:fast/1 ");              // 7.5 USD, not 10
  CHECK_EQUAL(places({1}, 1), "b@0:two/2 ");               // in time; the fast one's 27 USD, not 18
  CHECK_EQUAL(places({2, 0}, 1), "a@0:fast/1 ");           // c: no room
  CHECK_EQUAL(places({2, 3}, 2), "d@0:fast/1 c@1:two/1 "); // d late: the fastest, not the cheapest
  CHECK_EQUAL(places({4}, 1), "e@0:two/1 ");               // 10 USD on either; room for others
  CHECK_EQUAL(places({2, 2, 2}, 1), "c@0:two/1 c@0:two/1 ");
}

/// Every job on the last VM type, on all GPUs when it is alone, else on one each.
Result<LocalPlan> planEvenly(const LocalProblem& problem) {
  LocalPlan plan{{}, PlanOrigin::MilpUnfinished, "jobs: " + std::to_string(problem.jobs.size())};
  const size_t type = problem.types->size() - 1, all = (*problem.types)[type].gpus;
  for (size_t i = 0; i < std::min(all, problem.jobs.size()); ++i)
    plan.placements.push_back({i, 0, type, problem.jobs.size() == 1 ? all : 1});
  return plan;
}

void testClock() {
  Service service;
  service.types = {{"two", "gpu", 2, 2}};
  service.nodes = 1;
  const std::vector<CapacityJob> jobs = {job("a", 0, 7, 0.5, {{10, 6}}),
                                         job("b", 4, 100, 9, {{8, 5}})};
  // a: 4 s on two GPUs, then a third of 10 s on one. b: as long on one, the rest of 5 s on two.
  CapacityRun run = *runCapacity(jobs, service, planEvenly);
  const double aEnd = 4 + 10.0 / 3, bEnd = aEnd + 5 * (1 - 10.0 / 3 / 8);
  CHECK_NEAR(run.jobs[0].endSeconds, aEnd, 1e-9);
  CHECK_NEAR(run.jobs[1].startSeconds, 4, 1e-9);
  CHECK_NEAR(run.jobs[1].endSeconds, bEnd, 1e-9);
  CHECK_NEAR(run.jobs[0].gpuUsd, 4 * 2 + 10.0 / 3, 1e-9);
  CHECK_NEAR(run.jobs[1].gpuUsd, 10.0 / 3 + 2 * (bEnd - aEnd), 1e-9);
  CHECK_NEAR(run.jobs[0].lateUsd, (aEnd - 7) / 2, 1e-9);
  CHECK_NEAR(run.lateUsd, run.jobs[0].lateUsd, 1e-9);
  CHECK_NEAR(run.vmUsd, 2 * bEnd, 1e-9);
  CHECK_NEAR(run.meanResponseSeconds, (aEnd + bEnd - 4) / 2, 1e-9);
  CHECK_NEAR(run.meanLateSeconds, (aEnd - 7) / 2, 1e-9);
  CHECK_EQUAL(run.reschedulings, 3u); // 0, 4, a's end
  CHECK(run.plans == 3 && run.unfinished == 3 && run.fallbacks == 0);
  CHECK_EQUAL(run.firstWhy, "jobs: 1");
  service.periodSeconds = 3; // and 3, 7; not 6: the arrival began a new period
  run = *runCapacity(jobs, service, planEvenly);
  CHECK_EQUAL(run.reschedulings, 5u);
  CHECK_NEAR(run.jobs[1].endSeconds, bEnd, 1e-9);
}

void testPause() {
  // Nobody between 5 and 20. c stops when b comes, which one node of one GPU runs first.
  Service service;
  service.types = {{"one", "gpu", 1, 1}};
  service.nodes = 1;
  const std::vector<CapacityJob> jobs = {job("b", 22, 30, 1, {{4}}), job("a", 0, 9, 1, {{5}}),
                                         job("c", 20, 40, 1, {{6}})};
  const CapacityRun run = *runCapacity(jobs, service, planGreedily);
  CHECK_NEAR(run.jobs[1].endSeconds, 5, 1e-9);
  CHECK_NEAR(run.jobs[0].startSeconds, 22, 1e-9);
  CHECK_NEAR(run.jobs[0].endSeconds, 26, 1e-9);
  CHECK_NEAR(run.jobs[2].startSeconds, 20, 1e-9);
  CHECK_NEAR(run.jobs[2].endSeconds, 30, 1e-9);
  CHECK_NEAR(run.vmUsd, 15, 1e-9);
  CHECK_EQUAL(run.fallbacks, 0u);
}

void testMilpRun() {
  // More jobs than nodes, in two queues; whoever decides, all jobs end, no two at a place.
  const auto instance = drawInstance(3, 2, 9);
  for (size_t i = 0; i < instance->jobs.size(); ++i)
    instance->jobs[i].arrivalSeconds = 0.5 * double(i);
  Service service;
  service.types = instance->types, service.nodes = 3, service.queues = 2, service.deal = {true, 2};
  const auto planner = [](double seconds) {
    return [seconds](const LocalProblem& problem) { return planByMilp(problem, {0.2, seconds}); };
  };
  const CapacityRun run = *runCapacity(instance->jobs, service, planner(60));
  for (const JobOutcome& outcome : run.jobs)
    CHECK(outcome.endSeconds > outcome.startSeconds && outcome.gpuUsd > 0);
  CHECK(run.fallbacks == 0 && run.unfinished == 0 && run.plans > run.reschedulings);
  const CapacityRun late = *runCapacity(instance->jobs, service, planner(0));
  CHECK_EQUAL(late.fallbacks, late.plans);
  CHECK(late.firstWhy.find("time limit") != std::string::npos);
  CHECK_EQUAL(runCapacity({}, service, planner(60))->reschedulings, 0u);
}

std::string refusal(const CapacityJob& one, const Service& service,
                    const Planner& planner = planGreedily) {
  return runCapacity({one}, service, planner).message();
}

void testErrors() {
  Service service;
  service.types = {{"one", "gpu", 1, 1}, {"two", "gpu", 2, 1}};
  service.nodes = 2;
  const CapacityJob good = job("good", 0, 1, 1, {{1}, {1, 1}});
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(has(refusal(job("nobody's", 0, 1, 1, {{kNever}, {kNever}, {1}}), service),
            "no VM type runs job 'nobody's'"));
  CHECK(has(refusal(job("nobody's", 0, 1, 1, {}), service), "missing or infinite"));
  CHECK(has(refusal(job("j", 0, 1, 1, {{0}}), service), "times are above 0"));
  CHECK(has(refusal(job("j", 0, 1, -1, {{1}}), service), "tardiness weight"));
  CHECK(has(refusal(job("j", -1, 1, 1, {{1}}), service), "arrives at"));
  Service broken = service;
  broken.queues = 3;
  CHECK(has(refusal(good, broken), "3 local queues for 2 nodes"));
  broken = service, broken.types[1].gpus = 0;
  CHECK(has(refusal(good, broken), "'two' has no GPUs"));
  broken = service, broken.periodSeconds = 0;
  CHECK(has(refusal(good, broken), "period"));
  broken = service, broken.nodes = 0;
  CHECK(has(refusal(good, broken), "one node"));
  const auto says = [&](std::vector<Placement> placements) {
    return refusal(good, service, [&](const LocalProblem&) -> Result<LocalPlan> {
      return LocalPlan{placements, PlanOrigin::Greedy, ""};
    });
  };
  CHECK(has(says({}), "uses 0 nodes"));
  CHECK(has(says({{0, 0, 0, 2}}), "where it cannot run"));
  CHECK(has(says({{0, 2, 0, 1}}), "there is not"));
  CHECK(has(says({{0, 0, 0, 1}, {0, 1, 0, 1}}), "and elsewhere"));
}

void testTwoOnANode() {
  const std::vector<VmType> types = {{"one", "gpu", 1, 1}, {"two", "gpu", 2, 1}};
  const CapacityJob one = job("j", 0, 1, 1, {{1}, {1, 1}});
  const LocalProblem problem{&types, 1, {{&one, 1}, {&one, 1}}, 0, 1, {}};
  const auto says = [&](const Placement& a, const Placement& b) {
    return checkPlan(problem, {{a, b}, PlanOrigin::Greedy, ""}).message();
  };
  CHECK_EQUAL(says({0, 0, 1, 1}, {1, 0, 1, 1}), "");
  CHECK(says({0, 0, 1, 1}, {1, 0, 0, 1}).find("which hosts 'two'") != std::string::npos);
  CHECK(says({0, 0, 1, 2}, {1, 0, 1, 1}).find("0 left") != std::string::npos);
}

} // namespace

int main() {
  testSolver();
  testAgainstAllPlans();
  testRows();
  testFallback();
  testDistribution();
  testGreedy();
  testClock();
  testPause();
  testMilpRun();
  testErrors();
  testTwoOnANode();
  return checkResult();
}
