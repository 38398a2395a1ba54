#!/usr/bin/env python3
"""learn_reference - what scikit-learn makes of the data of learn_test: prints LearnReference.h.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    python3 -m venv DIR && DIR/bin/pip install scikit-learn
    DIR/bin/python test/rt/Inputs/learn_reference.py >test/rt/Inputs/LearnReference.h

Both sides make the data by the same generator. Features are multiples of 1/1024, which
scikit-learn's trees keep exactly (they store float32), and targets are sums of few products of
them, which are exact in double however a compiler orders them. What scikit-learn draws at random
is given as mean over STATES; where a number is to agree exactly, no STATES may change it.
"""
import numpy
import sklearn
from sklearn.ensemble import (AdaBoostRegressor, BaggingRegressor, RandomForestClassifier,
                              RandomForestRegressor)
from sklearn.feature_selection import RFECV
from sklearn.linear_model import LinearRegression
from sklearn.metrics import (accuracy_score, mean_squared_error, precision_recall_fscore_support,
                             r2_score)
from sklearn.model_selection import LeaveOneOut, PredefinedSplit, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

ROWS, QUERIES, COLUMNS, FOLDS, STATES = 150, 10, 8, 5, 20
FOLD_OF_ROW = PredefinedSplit([row % FOLDS for row in range(ROWS)])
SHALLOW = {"max_depth": 4, "min_samples_leaf": 5}
FOR_LABELS = {"max_depth": 2, "min_samples_leaf": 10}  # labels tie in smaller nodes


def draws():
    state = 2026
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 54  # 0..1023


def data():
    """Friedman's first function with a product for its sine, and three columns of nothing."""
    draw, features, targets = draws(), [], []
    for _ in range(ROWS + QUERIES):
        x = [next(draw) / 1024 for _ in range(COLUMNS)]
        noise = (next(draw) - 512) / 512
        features.append(x)
        targets.append(10 * x[0] * x[1] + 20 * (x[2] - 0.5) * (x[2] - 0.5) + 10 * x[3] + 5 * x[4]
                       + noise)
    return numpy.array(features), numpy.array(targets)


def array(name, values):
    print(f"inline const std::vector<double> {name} = {{")
    for value in numpy.ravel(values):
        print(f"    {float(value)!r},")
    print("};")


def number(name, value, spread=None):
    comment = "" if spread is None else f" // over {STATES} states: +- {spread:.2g}"
    print(f"inline constexpr double {name} = {float(value)!r};{comment}")


def same_in_all_states(value_of):
    first = value_of(0)
    assert all(numpy.array_equal(first, value_of(state)) for state in range(1, STATES))
    return first


def linear(x, y, queries):
    model = LinearRegression().fit(x, y)
    number("kIntercept", model.intercept_)
    array("kCoefficients", model.coef_)
    # The last two columns depend on others.
    deficient = lambda rows: numpy.column_stack([rows, rows[:, 0], rows[:, 1] + rows[:, 2]])
    scaled = make_pipeline(StandardScaler(), LinearRegression())
    array("kDeficient", scaled.fit(deficient(x), y).predict(deficient(queries)))
    array("kFewRows", scaled.fit(x[:5], y[:5]).predict(queries))


def trees(x, y, labels, queries):
    shallow = lambda state: DecisionTreeRegressor(**SHALLOW, random_state=state)
    array("kShallowTree", same_in_all_states(lambda s: shallow(s).fit(x, y).predict(queries)))
    array("kShallowImportance",
          same_in_all_states(lambda s: shallow(s).fit(x, y).feature_importances_))
    array("kFullTreeOneColumn", same_in_all_states(
        lambda s: DecisionTreeRegressor(random_state=s).fit(x[:, :1], y).predict(queries[:, :1])))
    array("kGiniTree", same_in_all_states(
        lambda s: DecisionTreeClassifier(**FOR_LABELS, random_state=s)
        .fit(x, labels).predict_proba(queries)[:, 1]))


def scores(x, y, labels):
    predicted = cross_val_predict(DecisionTreeRegressor(**SHALLOW), x, y, cv=FOLD_OF_ROW)
    number("kTreeMse", mean_squared_error(y, predicted))
    number("kTreeR2", r2_score(y, predicted))
    predicted = same_in_all_states(
        lambda s: cross_val_predict(DecisionTreeClassifier(**FOR_LABELS, random_state=s), x,
                                    labels, cv=FOLD_OF_ROW))
    number("kTreeAccuracy", accuracy_score(labels, predicted))
    array("kTreePrecisionRecallF1", numpy.transpose(
        precision_recall_fscore_support(labels, predicted)[:3]))
    number("kLinearMse", mean_squared_error(
        y, cross_val_predict(LinearRegression(), x, y, cv=FOLD_OF_ROW)))


def elimination(x, y):
    found = same_in_all_states(lambda s: RFECV(
        DecisionTreeRegressor(**SHALLOW, random_state=s), cv=FOLD_OF_ROW,
        scoring="neg_mean_squared_error").fit(x, y).cv_results_["mean_test_score"])
    array("kTreeLossByCount", -found)


def over_states(name, model_of, x, y, cv, score):
    values = [score(y, cross_val_predict(model_of(s), x, y, cv=cv)) for s in range(STATES)]
    number(name, numpy.mean(values), numpy.std(values, ddof=1))


def ensembles(x, y, labels):
    mse = mean_squared_error
    shallow = DecisionTreeRegressor(max_depth=3)
    over_states("kForestMse", lambda s: RandomForestRegressor(random_state=s),
                x, y, FOLD_OF_ROW, mse)
    over_states("kThirdForestMse", lambda s: RandomForestRegressor(max_features=1 / 3, random_state=s),
                x, y, FOLD_OF_ROW, mse)
    over_states("kBaggingMse", lambda s: BaggingRegressor(n_estimators=10, random_state=s),
                x, y, LeaveOneOut(), mse)
    over_states("kAdaBoostMse", lambda s: AdaBoostRegressor(shallow, random_state=s),
                x, y, FOLD_OF_ROW, mse)
    over_states("kForestAccuracy", lambda s: RandomForestClassifier(random_state=s),
                x, labels, FOLD_OF_ROW, accuracy_score)
    importance = [RandomForestRegressor(random_state=s).fit(x, y).feature_importances_
                  for s in range(STATES)]
    array("kForestImportance", numpy.mean(importance, axis=0))


def main():
    x, y = data()
    x, queries, y = x[:ROWS], x[ROWS:], y[:ROWS]
    labels = (y > 14).astype(int)
    print(f"// LearnReference.h - what scikit-learn {sklearn.__version__} makes of the data of learn_test.")
    print("//\n// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n//")
    print("// Printed by learn_reference.py, which says what each number is; not for editing.")
    print("#pragma once\n\n#include <vector>\n")
    print(f"inline constexpr size_t kRows = {ROWS}, kQueries = {QUERIES}, kColumns = {COLUMNS}, "
          f"kFolds = {FOLDS};")
    linear(x, y, queries)
    trees(x, y, labels, queries)
    scores(x, y, labels)
    elimination(x, y)
    ensembles(x, y, labels)


if __name__ == "__main__":
    main()
