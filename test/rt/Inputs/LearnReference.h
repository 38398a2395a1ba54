// LearnReference.h - what scikit-learn 1.9.1 makes of the data of learn_test.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printed by learn_reference.py, which says what each number is; not for editing.
#pragma once

#include <vector>

inline constexpr size_t kRows = 150, kQueries = 10, kColumns = 8, kFolds = 5;
inline constexpr double kIntercept = -1.5316392731778024;
inline const std::vector<double> kCoefficients = {
    5.539927869067124,
    4.927541055589625,
    -0.18558735833300183,
    9.894331669270573,
    5.986785903295474,
    0.6148900379371692,
    0.4848308471699392,
    -0.5010250557825248,
};
inline const std::vector<double> kDeficient = {
    4.61680443305728,
    9.759742735422105,
    11.494442132796864,
    12.854614071625356,
    9.989948945023126,
    9.356658647374543,
    5.74720599601438,
    14.593855756214461,
    20.901803508761787,
    11.242569000549391,
};
inline const std::vector<double> kFewRows = {
    3.7916714574795725,
    7.6892959819863185,
    9.879071471067398,
    13.298572058994434,
    9.267825395913974,
    8.954002694857456,
    7.463442853131658,
    12.990740248650365,
    18.279592908979183,
    12.269679479946015,
};
inline const std::vector<double> kShallowTree = {
    7.484006404876709,
    8.446352611888539,
    10.720539887746176,
    13.74493153889974,
    12.555160815899189,
    12.555160815899189,
    10.720539887746176,
    20.244283358256023,
    15.947854218659577,
    12.555160815899189,
};
inline const std::vector<double> kShallowImportance = {
    0.0794285033115771,
    0.04865230903676168,
    0.04519450240401518,
    0.569329617039128,
    0.25739506820851793,
    0.0,
    0.0,
    0.0,
};
inline const std::vector<double> kFullTreeOneColumn = {
    17.650257110595703,
    5.778881072998047,
    6.606609344482422,
    14.720935821533203,
    7.502735137939453,
    7.365835189819336,
    16.456989288330078,
    14.175344467163086,
    19.165363311767578,
    7.365835189819336,
};
inline const std::vector<double> kGiniTree = {
    0.043478260869565216,
    0.043478260869565216,
    0.22727272727272727,
    0.22727272727272727,
    0.6590909090909091,
    0.6590909090909091,
    0.22727272727272727,
    0.4666666666666667,
    0.6590909090909091,
    0.6590909090909091,
};
inline constexpr double kTreeMse = 9.133477731684515;
inline constexpr double kTreeR2 = 0.5238769205865074;
inline constexpr double kTreeAccuracy = 0.7133333333333334;
inline const std::vector<double> kTreePrecisionRecallF1 = {
    0.752,
    0.8867924528301887,
    0.8138528138528138,
    0.52,
    0.29545454545454547,
    0.37681159420289856,
};
inline constexpr double kLinearMse = 3.4560351891364536;
inline const std::vector<double> kTreeLossByCount = {
    12.104261997696938,
    10.762086931356551,
    9.4379149422875,
    8.378385042591916,
    8.92621832042214,
    9.133477731684517,
    9.133477731684517,
    9.133477731684517,
};
inline constexpr double kForestMse = 5.094550403544508; // over 20 states: +- 0.1
inline constexpr double kThirdForestMse = 5.511600214871778; // over 20 states: +- 0.14
inline constexpr double kBaggingMse = 5.363639213044534; // over 20 states: +- 0.21
inline constexpr double kAdaBoostMse = 5.372248564022923; // over 20 states: +- 0.2
inline constexpr double kForestAccuracy = 0.818; // over 20 states: +- 0.011
inline const std::vector<double> kForestImportance = {
    0.10900370125454384,
    0.07366480635148484,
    0.0555450638175045,
    0.5198972678202807,
    0.17928896403760092,
    0.028091706208239232,
    0.017801914033983134,
    0.016706576476362877,
};
