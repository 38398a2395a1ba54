// PairFusion.cpp - the mix at which both end together, and the comparison.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/fusion/PairFusion.h"

#include "rt/policy/Predictor.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace gpusched {
namespace {

/// What a fused launch must gain. Measured times of one kernel differ by as much from run to run,
/// and the model is no better: below it, fusing would be guesswork that only costs flexibility, for
/// a fused launch takes no budget.
constexpr double kMargin = 0.02;

using Pair = std::array<PolicyKernel, 2>;
/// Parts of the grids per microsecond.
using Rates = std::array<double, 2>;

/// Blocks of its grid for an SM; 0 = not known.
uint64_t blocksForSm(const PolicyKernel& kernel, const DeviceLimits& limits) {
  return limits.sms > 0 ? (kernel.blocks + limits.sms - 1) / limits.sms : 0;
}

/// As its blocks run in the pair's kernel: natively, and no more of them than there are.
PolicyKernel asFused(const PolicyKernel& kernel, const DeviceLimits& limits) {
  PolicyKernel fused = kernel;
  fused.persistentTimeUs = 0;
  if (const uint64_t blocks = blocksForSm(kernel, limits); blocks > 0)
    fused.occupancyBlocksPerSm = uint32_t(std::min<uint64_t>(blocks, fused.occupancyBlocksPerSm));
  return fused;
}

bool allFitAtOnce(const FusionQuestion& question) {
  uint64_t all = 0;
  for (const PolicyKernel* kernel : {question.first, question.second}) {
    const uint64_t blocks = blocksForSm(*kernel, question.limits);
    if (blocks == 0 || blocks > kernel->occupancyBlocksPerSm)
      return false;
    all += blocks;
  }
  return all <= question.residentBlocks;
}

/// With so many blocks of each on an SM, 0 for none of it; zeros when nothing is known.
Rates ratesAt(const Pair& pair, const std::array<uint32_t, 2>& blocks, const DeviceLimits& limits) {
  KernelList kernels;
  Budgets budgets;
  for (size_t k = 0; k < 2; ++k)
    if (const uint32_t fit = std::min(blocks[k], pair[k].occupancyBlocksPerSm); fit > 0) {
      kernels.push_back(&pair[k]);
      budgets.push_back(fit);
    }
  Rates rates = {};
  if (kernels.empty())
    return rates;
  const Prediction prediction = predict(kernels, budgets, limits);
  for (size_t i = 0; i < prediction.count; ++i)
    rates[kernels[i] == &pair[0] ? 0 : 1] = prediction.progress[i] / kernels[i]->timeUs;
  return rates;
}

/// The largest rate of both at the mixes between two.
double commonRate(const Rates& a, const Rates& b) {
  const double best = std::max(std::min(a[0], a[1]), std::min(b[0], b[1]));
  const double before = a[0] - a[1], behind = b[0] - b[1];
  if (before * behind >= 0)
    return best;
  const double part = before / (before - behind);
  return std::max(best, a[0] + part * (b[0] - a[0]));
}

/// Both from the beginning; who is left is alone.
double allAtOnceUs(const Pair& pair, const DeviceLimits& limits) {
  const Rates rates =
      ratesAt(pair, {pair[0].occupancyBlocksPerSm, pair[1].occupancyBlocksPerSm}, limits);
  if (rates[0] <= 0 || rates[1] <= 0)
    return 0;
  const size_t last = rates[0] < rates[1] ? 0 : 1;
  const double shorter = 1 / rates[1 - last];
  return shorter + (1 - shorter * rates[last]) * pair[last].timeUs;
}

double mixedUs(const Pair& pair, uint32_t resident, const DeviceLimits& limits) {
  double best = 0;
  Rates before = ratesAt(pair, {0, resident}, limits);
  for (uint32_t x = 1; x <= resident; ++x) {
    const Rates here = ratesAt(pair, {x, resident - x}, limits);
    best = std::max(best, commonRate(before, here));
    before = here;
  }
  return best > 0 ? 1 / best : 0;
}

double predictFusedUs(const FusionQuestion& question) {
  const Pair pair = {asFused(*question.first, question.limits),
                     asFused(*question.second, question.limits)};
  return allFitAtOnce(question) ? allAtOnceUs(pair, question.limits)
                                : mixedUs(pair, question.residentBlocks, question.limits);
}

double otherwiseUs(const FusionQuestion& question) {
  const double sum = bestAloneUs(*question.first) + bestAloneUs(*question.second);
  if (question.oneStream || !question.first->takesBudget() || !question.second->takesBudget())
    return sum;
  Prediction beside;
  (void)bestBudgets({question.first, question.second}, question.limits, {}, Goal{.once = true},
                    beside);
  return beside.count > 0 ? std::min(sum, beside.timeUs) : sum;
}

std::string text(double us) {
  char buffer[40];
  (void)std::snprintf(buffer, sizeof buffer, "%.1f us", us);
  return buffer;
}

} // namespace

FusionAnswer decideFusion(const FusionQuestion& question) {
  FusionAnswer answer;
  for (const PolicyKernel* kernel : {question.first, question.second})
    if (!kernel->profiled || kernel->timeUs <= 0) {
      answer.reason = "'" + kernel->name + "' is not profiled";
      return answer;
    }
  const bool measured = question.pair && question.pair->profiled && question.pair->timeUs > 0;
  answer.fusedUs = measured ? question.pair->timeUs : predictFusedUs(question);
  answer.otherwiseUs = otherwiseUs(question);
  if (answer.fusedUs <= 0) {
    answer.reason = "the profiles do not say what limits the two";
    return answer;
  }
  answer.fuse = answer.fusedUs < answer.otherwiseUs * (1 - kMargin);
  answer.reason = std::string(measured ? "measured " : "predicted ") + text(answer.fusedUs) +
                  " as one launch, " + text(answer.otherwiseUs) +
                  (question.oneStream ? " one after the other" : " as two");
  return answer;
}

} // namespace gpusched
