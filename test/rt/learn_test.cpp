// learn_test - the learned models beside scikit-learn on the same data, and at their edges.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs/learn_reference.py makes the same data and printed the numbers of LearnReference.h. What
// nothing random decides agrees to 1e-9. Ensembles draw other numbers than scikit-learn: their
// scores are compared as means over seeds, with bounds of three standard errors or more.
#include "rt/learn/AdaBoost.h"
#include "rt/learn/FeatureElimination.h"
#include "rt/learn/LinearRegression.h"
#include "rt/learn/Random.h"
#include "rt/learn/RandomForest.h"
#include "rt/learn/Scores.h"
#include "test/Check.h"
#include "test/rt/Inputs/LearnReference.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace gpusched;
using namespace gpusched::learn;

constexpr double kExact = 1e-9;
constexpr TreeParameters kShallow = {.maxDepth = 4, .leastRowsPerLeaf = 5};
constexpr TreeParameters kForLabels = {.maxDepth = 2, .leastRowsPerLeaf = 10};

/// learn_reference.py, data(): the rows to fit to, or those to predict.
struct Data {
  Table fit{kColumns}, queries{kColumns};

  Data() {
    for (size_t row = 0; row < kRows + kQueries; ++row) {
      std::vector<double> x(kColumns);
      for (double& feature : x)
        feature = draw() / 1024;
      const double noise = (draw() - 512) / 512;
      const double y = 10 * x[0] * x[1] + 20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] + 5 * x[4];
      CHECK((row < kRows ? fit : queries).add(x, y + noise).ok());
    }
  }

private:
  uint64_t state_ = 2026;
  double draw() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return double(state_ >> 54);
  }
};

static const Data& data() {
  static const Data made;
  return made;
}

static Table tableOf(const std::vector<std::vector<double>>& rows,
                     const std::vector<double>& targets) {
  Table table(rows.empty() ? 1 : rows.front().size());
  for (size_t row = 0; row < rows.size(); ++row)
    CHECK(table.add(rows[row], targets[row]).ok());
  return table;
}

/// The same rows with what `change` makes of them and their targets.
template <class Change> static Table changed(const Table& table, Change change) {
  std::vector<std::vector<double>> rows;
  std::vector<double> targets;
  for (size_t row = 0; row < table.rows(); ++row) {
    rows.emplace_back(table.row(row).begin(), table.row(row).end());
    targets.push_back(table.target(row));
    change(rows.back(), targets.back());
  }
  return tableOf(rows, targets);
}

static Table labelled(const Table& table) {
  return changed(table, [](std::vector<double>&, double& target) { target = target > 14 ? 1 : 0; });
}

static std::vector<Fold> foldsByRemainder() {
  std::vector<Fold> folds(kFolds);
  for (size_t row = 0; row < kRows; ++row)
    for (size_t fold = 0; fold < kFolds; ++fold)
      (row % kFolds == fold ? folds[fold].predict : folds[fold].fit).push_back(row);
  return folds;
}

static void checkAll(const std::vector<double>& found, const std::vector<double>& expected,
                     double tolerance = kExact) {
  CHECK_EQUAL(found.size(), expected.size());
  for (size_t index = 0; index < std::min(found.size(), expected.size()); ++index)
    CHECK_NEAR(found[index], expected[index], tolerance);
}

static std::vector<double> predictAll(const Model& model, const Table& table) {
  std::vector<double> predictions;
  for (size_t row = 0; row < table.rows(); ++row)
    predictions.push_back(model.predict(table.row(row)));
  return predictions;
}

static std::vector<double> crossPredicted(const Learner& learner, const Table& table,
                                          const std::vector<Fold>& folds) {
  Result<std::vector<double>> predicted = crossPredict(learner, table, folds);
  CHECK(predicted.ok());
  return *predicted;
}

static void linearRegressionIsExact() {
  const LinearRegression model = *LinearRegression::fit(data().fit);
  CHECK_NEAR(model.intercept(), kIntercept, kExact);
  checkAll(model.coefficients(), kCoefficients);
  const std::vector<double> importance = model.importance();
  CHECK_NEAR(std::accumulate(importance.begin(), importance.end(), 0.0), 1, kExact);
  CHECK_EQUAL(std::max_element(importance.begin(), importance.end()) - importance.begin(), 3);
}

static void linearRegressionHasLeastNorm() {
  const auto deficient = [](std::vector<double>& x, double&) {
    x.push_back(x[0]);
    x.push_back(x[1] + x[2]);
  };
  const LinearRegression twice = *LinearRegression::fit(changed(data().fit, deficient));
  checkAll(predictAll(twice, changed(data().queries, deficient)), kDeficient);
  CHECK_NEAR(twice.coefficients()[0], twice.coefficients()[kColumns], kExact);
  const std::vector<size_t> few = {0, 1, 2, 3, 4};
  checkAll(predictAll(*LinearRegression::fit(data().fit.selectRows(few)), data().queries),
           kFewRows);
}

/// A column in other units, or one that says nothing, changes no prediction.
static void linearRegressionHasNoUnits() {
  const auto otherUnits = [](std::vector<double>& x, double&) {
    x[1] = x[1] * 1e12 + 7e12;
    x.push_back(0.1);
  };
  const LinearRegression model = *LinearRegression::fit(changed(data().fit, otherUnits));
  checkAll(predictAll(model, changed(data().queries, otherUnits)),
           predictAll(*LinearRegression::fit(data().fit), data().queries));
  CHECK_EQUAL(model.coefficients().back(), 0.0);
  CHECK_EQUAL(model.importance().back(), 0.0);
}

static void treesAreExact() {
  for (uint64_t seed : {0, 1, 2}) {
    const DecisionTree shallow = *DecisionTree::fit(data().fit, kShallow, seed);
    checkAll(predictAll(shallow, data().queries), kShallowTree);
    checkAll(shallow.importance(), kShallowImportance);
    const std::vector<size_t> first = {0};
    checkAll(predictAll(*DecisionTree::fit(data().fit.selectColumns(first), {}, seed),
                        data().queries.selectColumns(first)),
             kFullTreeOneColumn);
    // The share of label 1, by Gini there and variance here.
    checkAll(predictAll(*DecisionTree::fit(labelled(data().fit), kForLabels, seed), data().queries),
             kGiniTree);
  }
}

static void treesKeepTheirLimits() {
  CHECK_EQUAL(DecisionTree::fit(data().fit, {.maxDepth = 0})->leaves(), 1u);
  CHECK_EQUAL(DecisionTree::fit(data().fit, {.maxDepth = 1})->leaves(), 2u);
  CHECK_EQUAL(DecisionTree::fit(data().fit, {.leastRowsToSplit = kRows})->leaves(), 2u);
  CHECK_EQUAL(DecisionTree::fit(data().fit, {.leastRowsToSplit = kRows + 1})->leaves(), 1u);
  CHECK_EQUAL(DecisionTree::fit(data().fit, {.leastRowsPerLeaf = kRows / 2})->leaves(), 2u);
  CHECK_EQUAL(DecisionTree::fit(data().fit, {.leastRowsPerLeaf = kRows / 2 + 1})->leaves(), 1u);
  checkAll(predictAll(*DecisionTree::fit(data().fit), data().fit),
           {data().fit.targets().begin(), data().fit.targets().end()});
  // XOR: the first division gains nothing, and must be made.
  const Table either = tableOf({{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {0, 1, 1, 0});
  checkAll(predictAll(*DecisionTree::fit(either), either), {0, 1, 1, 0});
}

/// Of columns that say the same, no forest prefers the first; a node with few columns to try goes
/// on past those of one value.
static void treesTryColumnsAtRandom() {
  const auto twice = [](std::vector<double>& x, double&) { x = {x[3], x[3]}; };
  const std::vector<double> shared = RandomForest::fit(changed(data().fit, twice))->importance();
  CHECK_NEAR(shared[0], 0.5, 0.1);
  const auto oneOfMany = [](std::vector<double>& x, double&) {
    x = {1, 2, 3, 4, 5, 6, 7, x[3], 8};
  };
  const Table mostlyConstant = changed(data().fit, oneOfMany);
  CHECK(DecisionTree::fit(mostlyConstant, {.features = FeaturesPerSplit::SquareRoot})->leaves() >
        100);
}

/// Targets far from 0 divide as well as those near it.
static void treesSeeSmallDifferences() {
  const auto far = [](std::vector<double>&, double& target) { target += 1e9; };
  checkAll(DecisionTree::fit(changed(data().fit, far), kShallow)->importance(), kShallowImportance,
           1e-6);
}

static void scoresAreExact() {
  const std::vector<Fold> folds = foldsByRemainder();
  const std::vector<double> tree =
      crossPredicted(learner<DecisionTree>(kShallow), data().fit, folds);
  CHECK_NEAR(meanSquaredError(data().fit.targets(), tree), kTreeMse, kExact);
  CHECK_NEAR(determination(data().fit.targets(), tree), kTreeR2, kExact);
  const std::vector<double> linear = crossPredicted(learner<LinearRegression>(), data().fit, folds);
  CHECK_NEAR(meanSquaredError(data().fit.targets(), linear), kLinearMse, kExact);

  const Table labels = labelled(data().fit);
  const LabelScore score = labelScore(
      labels.targets(), crossPredicted(learner<DecisionTree>(kForLabels), labels, folds));
  CHECK_NEAR(score.accuracy, kTreeAccuracy, kExact);
  std::vector<double> found;
  for (const ClassScore& one : score.classes)
    found.insert(found.end(), {one.precision, one.recall, one.f1});
  checkAll(found, kTreePrecisionRecallF1);
  CHECK_EQUAL(score.classes[0].rows + score.classes[1].rows, kRows);
}

static void scoresAtTheirEdges() {
  const std::vector<double> constant = {2, 2}, other = {2, 3}, zeros = {0, 0}, half = {0.5, 0.5};
  CHECK_EQUAL(determination(constant, constant), 1.0);
  CHECK_EQUAL(determination(constant, other), 0.0);
  const LabelScore score = labelScore(zeros, half); // one half is label 0
  CHECK_EQUAL(score.accuracy, 1.0);
  CHECK_EQUAL(score.classes[0].f1, 1.0);
  CHECK_EQUAL(score.classes[1].f1, 0.0);
  CHECK_EQUAL(score.classes[1].precision, 0.0);
}

/// Mean over seeds of a score, for a learner made from each.
template <class MakeLearner, class Score>
static double overSeeds(MakeLearner make, const Table& table, const std::vector<Fold>& folds,
                        Score score) {
  constexpr uint64_t kSeeds = 5;
  double sum = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed)
    sum += score(table.targets(), crossPredicted(make(seed), table, folds));
  return sum / kSeeds;
}

static Learner forest(size_t trees, FeaturesPerSplit features, uint64_t seed) {
  return learner<RandomForest>(
      ForestParameters{.trees = trees, .tree = {.features = features}, .seed = seed});
}

static void checkRelative(const char* name, double found, double expected, double share) {
  std::cout << name << ": " << found << ", scikit-learn " << expected << "\n";
  CHECK_NEAR(found / expected, 1, share);
}

static void ensemblesPredictAsWell() {
  const Table& table = data().fit;
  const std::vector<Fold> folds = foldsByRemainder();
  const auto all = [](uint64_t seed) { return forest(100, FeaturesPerSplit::All, seed); };
  const auto third = [](uint64_t seed) { return forest(100, FeaturesPerSplit::Third, seed); };
  const auto bagging = [](uint64_t seed) { return forest(10, FeaturesPerSplit::All, seed); };
  const auto boosted = [](uint64_t seed) {
    return learner<AdaBoost>(AdaBoostParameters{.seed = seed});
  };
  checkRelative("forest MSE", overSeeds(all, table, folds, meanSquaredError), kForestMse, 0.05);
  checkRelative("forest of a third MSE", overSeeds(third, table, folds, meanSquaredError),
                kThirdForestMse, 0.05);
  checkRelative("bagging MSE", overSeeds(bagging, table, *leaveOneOut(kRows), meanSquaredError),
                kBaggingMse, 0.1);
  checkRelative("AdaBoost MSE", overSeeds(boosted, table, folds, meanSquaredError), kAdaBoostMse,
                0.07);
}

static void forestsTellClasses() {
  const auto root = [](uint64_t seed) { return forest(100, FeaturesPerSplit::SquareRoot, seed); };
  const double error = overSeeds(root, labelled(data().fit), foldsByRemainder(), errorRate);
  checkRelative("forest accuracy", 1 - error, kForestAccuracy, 0.03);
  checkAll(RandomForest::fit(data().fit)->importance(), kForestImportance, 0.03);
}

static void theSameSeedGivesTheSameModel() {
  const auto predictions = [](const Learner& learner) {
    return predictAll(**learner(data().fit), data().queries);
  };
  for (FeaturesPerSplit features : {FeaturesPerSplit::All, FeaturesPerSplit::SquareRoot}) {
    CHECK(predictions(forest(5, features, 7)) == predictions(forest(5, features, 7)));
    CHECK(predictions(forest(5, features, 7)) != predictions(forest(5, features, 8)));
  }
  // Both are 2 of 8 columns.
  CHECK(predictions(forest(5, FeaturesPerSplit::Third, 7)) ==
        predictions(forest(5, FeaturesPerSplit::SquareRoot, 7)));
  CHECK(predictions(forest(5, FeaturesPerSplit::Third, 7)) !=
        predictions(forest(5, FeaturesPerSplit::All, 7)));
  const auto boosted = [](uint64_t seed) {
    return learner<AdaBoost>(AdaBoostParameters{.rounds = 5, .seed = seed});
  };
  CHECK(predictions(boosted(7)) == predictions(boosted(7)));
  CHECK(predictions(boosted(7)) != predictions(boosted(8)));
  // The standard's own test value of the engine, so that seeds mean the same everywhere.
  Random random(std::mt19937_64::default_seed);
  double last = 0;
  for (int index = 0; index < 10'000; ++index)
    last = random.real();
  CHECK_EQUAL(last, double(9981545732273789042u >> 11) * 0x1p-53);
}

/// The weights of AdaBoost.h, worked out here for trees grown with the same draws; the first round
/// that is as bad as a guess is not among them.
struct BoostedByHand {
  std::vector<DecisionTree> trees;
  std::vector<double> treeWeights;

  BoostedByHand(const Table& table, const TreeParameters& parameters, size_t rounds) {
    Random random(0);
    std::vector<double> weights(table.rows(), 1.0 / double(table.rows()));
    for (size_t round = 0; round < rounds; ++round) {
      std::vector<size_t> rows;
      while (rows.size() < table.rows())
        rows.push_back(drawn(weights, random.real()));
      DecisionTree tree = DecisionTree::grow(table, rows, parameters, random);
      std::vector<double> errors;
      for (size_t row = 0; row < table.rows(); ++row)
        errors.push_back(std::fabs(tree.predict(table.row(row)) - table.target(row)));
      const double most = *std::max_element(errors.begin(), errors.end());
      double loss = 0, sum = 0;
      for (size_t row = 0; row < table.rows(); ++row)
        loss += weights[row] * errors[row] / most;
      if (loss >= 0.5)
        return;
      const double beta = loss / (1 - loss);
      for (size_t row = 0; row < table.rows(); ++row)
        sum += weights[row] *= std::pow(beta, 1 - errors[row] / most);
      for (double& weight : weights)
        weight /= sum;
      trees.push_back(std::move(tree));
      treeWeights.push_back(-std::log(beta));
    }
  }
  static size_t drawn(const std::vector<double>& weights, double upTo) {
    size_t row = 0;
    for (; row + 1 < weights.size() && upTo >= weights[row]; ++row)
      upTo -= weights[row];
    return row;
  }
  /// Of the trees' answers the least with half of the weight at or below it.
  double median(std::span<const double> features) const {
    double best = std::numeric_limits<double>::infinity();
    for (const DecisionTree& candidate : trees) {
      const double answer = candidate.predict(features);
      double balance = 0;
      for (size_t tree = 0; tree < trees.size(); ++tree)
        balance += trees[tree].predict(features) <= answer ? treeWeights[tree] : -treeWeights[tree];
      if (balance >= 0)
        best = std::min(best, answer);
    }
    return best;
  }
};

static void boostingWeighsByLoss() {
  const BoostedByHand byHand(data().fit, kForLabels, 20);
  const AdaBoost model = *AdaBoost::fit(data().fit, {.rounds = 20, .tree = kForLabels});
  CHECK_EQUAL(model.rounds(), byHand.trees.size());
  std::vector<double> importance(kColumns, 0);
  for (size_t tree = 0; tree < byHand.trees.size(); ++tree)
    for (size_t column = 0; column < kColumns; ++column)
      importance[column] += byHand.treeWeights[tree] * byHand.trees[tree].importance()[column];
  checkAll(model.importance(), shares(importance));
  for (size_t row = 0; row < kQueries; ++row)
    CHECK_NEAR(model.predict(data().queries.row(row)), byHand.median(data().queries.row(row)),
               kExact);
  // Stumps on few rows come to one that is no better than a guess.
  std::vector<size_t> few(40);
  std::iota(few.begin(), few.end(), 0);
  const Table fewRows = data().fit.selectRows(few);
  const size_t kept = BoostedByHand(fewRows, {.maxDepth = 1}, 50).trees.size();
  CHECK(kept > 1 && kept < 50);
  CHECK_EQUAL(AdaBoost::fit(fewRows, {.tree = {.maxDepth = 1}})->rounds(), kept);
}

static void boostingEnds() {
  const Table step = tableOf({{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}}, {1, 1, 1, 1, 5, 5, 5, 5});
  const AdaBoost perfect = *AdaBoost::fit(step, {.rounds = 50, .tree = {.maxDepth = 3}});
  CHECK(perfect.rounds() < 50); // at the first perfect tree
  CHECK_EQUAL(perfect.predict(step.row(0)), 1.0);
  // No feature says anything: every tree misses by as much as it can.
  const Table coin = tableOf({{1}, {1}, {1}, {1}}, {0, 1, 0, 1});
  const AdaBoost hopeless = *AdaBoost::fit(coin);
  CHECK_EQUAL(hopeless.rounds(), 1u);
  CHECK_EQUAL(hopeless.importance().front(), 0.0);
}

static void eliminationKeepsWhatSaysSomething() {
  const Elimination found = *eliminateFeatures(learner<DecisionTree>(kShallow), data().fit,
                                               foldsByRemainder(), meanSquaredError);
  checkAll(found.lossByCount, kTreeLossByCount);
  CHECK_EQUAL(found.columns.size(), 4u);
  CHECK_EQUAL(found.dropped.size(), kColumns - 4);
  // Of the three columns the tree never used the last goes first.
  const std::vector<size_t> unused(found.dropped.begin(), found.dropped.begin() + 3);
  CHECK((unused == std::vector<size_t>{7, 6, 5}));
  CHECK((found.columns == std::vector<size_t>{0, 1, 3, 4}));
}

/// Of counts that lose the same, the smallest.
static void eliminationPrefersFewColumns() {
  const auto twice = [](std::vector<double>& x, double& target) {
    x = {x[3], x[3]};
    target = x[0] > 0.5;
  };
  const Elimination found =
      *eliminateFeatures(learner<DecisionTree>(kShallow), changed(data().fit, twice),
                         *shuffledFolds(kRows, 5), errorRate);
  CHECK_EQUAL(found.lossByCount[0], found.lossByCount[1]);
  CHECK_EQUAL(found.columns.size(), 1u);
}

static void foldsCoverEveryRowOnce() {
  const std::vector<Fold> folds = *shuffledFolds(13, 5, 3);
  CHECK_EQUAL(folds.size(), 5u);
  CHECK(checkFolds(13, folds).ok());
  for (size_t fold = 0; fold < folds.size(); ++fold) {
    CHECK_EQUAL(folds[fold].predict.size(), fold < 3 ? 3u : 2u);
    CHECK_EQUAL(folds[fold].fit.size() + folds[fold].predict.size(), 13u);
    for (size_t row : folds[fold].predict)
      CHECK_EQUAL(std::count(folds[fold].fit.begin(), folds[fold].fit.end(), row), 0);
  }
  CHECK(folds[0].predict != (*shuffledFolds(13, 5, 4))[0].predict);
  CHECK(folds[0].predict != (std::vector<size_t>{0, 1, 2}));
  CHECK_EQUAL((*leaveOneOut(3))[1].predict.front(), 1u);
}

static bool saysWhy(const Status& status, const char* words) {
  return !status.ok() && status.message().find(words) != std::string::npos;
}

static void foldsThatCannotBeAreRefused() {
  CHECK(saysWhy(shuffledFolds(4, 5).status(), "cannot divide 4 rows into 5 folds"));
  CHECK(saysWhy(shuffledFolds(4, 1).status(), "1 folds"));
  CHECK(saysWhy(shuffledFolds(0, 0).status(), "0 folds"));
  CHECK(saysWhy(leaveOneOut(1).status(), "cannot divide 1 rows"));
  const std::vector<Fold> twice = {{.fit = {0}, .predict = {1}}, {.fit = {0}, .predict = {1}}};
  CHECK(saysWhy(checkFolds(2, twice), "predict row 0 0 times"));
  const std::vector<Fold> past = {{.fit = {2}, .predict = {0, 1}}};
  CHECK(saysWhy(checkFolds(2, past), "name row 2"));
  const std::vector<Fold> nothingToFit = {{.fit = {}, .predict = {0, 1}}};
  CHECK(saysWhy(
      crossPredict(learner<DecisionTree>(), tableOf({{1}, {2}}, {1, 2}), nothingToFit).status(),
      "no rows"));
}

static void whatWasNotMeasuredIsRefused() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Table table(2);
  CHECK(saysWhy(table.add(std::vector<double>{1}, 0), "has 1 features where the table has 2"));
  CHECK(saysWhy(table.add(std::vector<double>{1, kNan}, 0), "column 1 is nan"));
  CHECK(saysWhy(table.add(std::vector<double>{-kInfinity, 1}, 0), "column 0 is -inf"));
  CHECK(saysWhy(table.add(std::vector<double>{1, 2}, kNan), "target is nan"));
  CHECK_EQUAL(table.rows(), 0u);
}

static std::vector<Learner> oneOfEach() {
  return {learner<LinearRegression>(), learner<DecisionTree>(),
          learner<RandomForest>(ForestParameters{.trees = 5}),
          learner<AdaBoost>(AdaBoostParameters{.rounds = 5})};
}

static void everyModelAtItsEdges() {
  for (const Learner& learner : oneOfEach()) {
    CHECK(saysWhy(learner(Table(3)).status(), "no rows"));
    const std::unique_ptr<Model> one = std::move(*learner(tableOf({{4, 5}}, {7})));
    CHECK_NEAR(one->predict(std::vector<double>{9, 9}), 7, kExact);
    checkAll(one->importance(), {0, 0});
    const std::unique_ptr<Model> constantTarget =
        std::move(*learner(tableOf({{1}, {2}, {3}}, {0.1, 0.1, 0.1})));
    CHECK_NEAR(constantTarget->predict(std::vector<double>{8}), 0.1, kExact);
    const std::unique_ptr<Model> constantFeature =
        std::move(*learner(tableOf({{3}, {3}, {3}, {3}}, {1, 1, 1, 1.5})));
    CHECK(constantFeature->predict(std::vector<double>{3}) >= 1);
    CHECK(constantFeature->predict(std::vector<double>{3}) <= 1.5);
    const std::unique_ptr<Model> duplicates =
        std::move(*learner(tableOf({{1}, {1}, {2}, {2}}, {1, 1, 3, 3})));
    CHECK_NEAR(duplicates->predict(std::vector<double>{1}), 1, 2.0);
  }
  CHECK_NEAR(DecisionTree::fit(tableOf({{3}, {3}}, {1, 2}))->predict(std::vector<double>{3}), 1.5,
             kExact);
  CHECK(saysWhy(RandomForest::fit(data().fit, {.trees = 0}).status(), "0 trees"));
  CHECK(saysWhy(AdaBoost::fit(data().fit, {.rounds = 0}).status(), "0 rounds"));
  CHECK(saysWhy(eliminateFeatures(learner<DecisionTree>(), Table(0), {}, meanSquaredError).status(),
                "no columns"));
}

/// The neighbours of a threshold stay on their sides also where no number is between them.
static void thresholdsDivideNeighbours() {
  // Half-way between these rounds up to the upper one.
  const double below = std::nextafter(1.0, 2.0), above = std::nextafter(below, 2.0);
  const Table close = tableOf({{below}, {above}}, {0, 1});
  checkAll(predictAll(*DecisionTree::fit(close), close), {0, 1});
  constexpr double kHuge = std::numeric_limits<double>::max();
  const Table wide = tableOf({{-kHuge}, {-kHuge / 2}, {kHuge / 2}, {kHuge}}, {0, 1, 2, 3});
  checkAll(predictAll(*DecisionTree::fit(wide), wide), {0, 1, 2, 3});
}

int main() {
  linearRegressionIsExact();
  linearRegressionHasLeastNorm();
  linearRegressionHasNoUnits();
  treesAreExact();
  treesKeepTheirLimits();
  treesTryColumnsAtRandom();
  treesSeeSmallDifferences();
  thresholdsDivideNeighbours();
  scoresAreExact();
  scoresAtTheirEdges();
  ensemblesPredictAsWell();
  forestsTellClasses();
  theSameSeedGivesTheSameModel();
  boostingWeighsByLoss();
  boostingEnds();
  eliminationKeepsWhatSaysSomething();
  eliminationPrefersFewColumns();
  foldsCoverEveryRowOnce();
  foldsThatCannotBeAreRefused();
  whatWasNotMeasuredIsRefused();
  everyModelAtItsEdges();
  return checkResult();
}
