// SmDivision.cpp - what fits beside, how fast, how long.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/policy/SmDivision.h"

#include "rt/policy/Predictor.h"

#include <algorithm>
#include <numeric>

namespace gpusched {
namespace {

/// The kernel as L2 and DRAM see it, at `share` of its traffic.
PolicyKernel outsideSms(const PolicyKernel& kernel, double share) {
  PolicyKernel outside = kernel;
  for (size_t r = 0; r < kResources; ++r)
    outside.utilisation[r] =
        r == kL2Bandwidth || r == kDramBandwidth ? kernel.utilisation[r] * share : 0;
  outside.l1Hits = outside.l1BytesPerWarp = 0;
  return outside;
}

/// Of the SMs it could fill, the part that is left to `other`.
double shareOfSms(const PolicyKernel& small, const PolicyKernel& other,
                  const DeviceLimits& limits) {
  const double wanted = leavesSms(other, limits) ? double(other.blocks) : limits.sms;
  return std::min(1.0, (limits.sms - double(small.blocks)) / wanted);
}

/// Speeds beside each other, relative to the native form alone.
std::array<double, 2> speeds(const PolicyKernel& small, const PolicyKernel& other, double share,
                             const DeviceLimits& limits) {
  PolicyKernel first = outsideSms(small, 1);
  first.occupancyBlocksPerSm = 1;
  first.budgetCurve = {1};
  const PolicyKernel second = outsideSms(other, share);
  const Prediction prediction = predict({&first, &second}, {1, bestAlone(second)}, limits);
  if (prediction.count == 0) // they do not use L2 and DRAM
    return {1, share * other.timeUs / bestAloneUs(other)};
  return {std::min(1.0, prediction.progress[0]), share * prediction.progress[1]};
}

} // namespace

bool leavesSms(const PolicyKernel& kernel, const DeviceLimits& limits) {
  return kernel.blocks > 0 && kernel.blocks < limits.sms;
}

std::optional<SmDivision> divideSms(const PolicyKernel& small, const PolicyKernel& other,
                                    const DeviceLimits& limits) {
  if (!leavesSms(small, limits) || !(small.timeUs > 0) || !(other.timeUs > 0) || !small.profiled ||
      !other.profiled)
    return {};
  SmDivision division;
  division.ownSms = fitsTogether({&small, &other}, {1, 1}, limits);
  if (division.ownSms && !(small.takesBudget() && other.takesBudget()))
    return {};
  const auto [smallSpeed, otherSpeed] =
      speeds(small, other, shareOfSms(small, other, limits), limits);
  const double smallUs = small.timeUs / smallSpeed, otherUs = other.timeUs / otherSpeed;
  const double left = std::max(0.0, 1 - smallUs / otherUs); // when the small kernel is over
  division.endUs = {smallUs,
                    division.ownSms || left == 0 ? otherUs : smallUs + left * bestAloneUs(other)};
  division.gain = (small.timeUs + bestAloneUs(other)) / division.timeUs();
  division.slowdown = std::max(1 / smallSpeed, division.endUs[1] / other.timeUs);
  return division;
}

CoRunSet dividedSet(const SmDivision& division, size_t smallIndex, const PolicyKernel& small,
                    size_t otherIndex, const PolicyKernel& other, const DeviceLimits& limits) {
  CoRunSet set = {{.kernel = smallIndex, .blocksPerSm = small.takesBudget() ? 1u : 0u},
                  {.kernel = otherIndex, .blocksPerSm = budgetAlone(other), .lane = 1}};
  if (!division.ownSms)
    return set;
  set[0].sms.resize(small.blocks);
  set[1].sms.resize(limits.sms - small.blocks);
  std::iota(set[0].sms.begin(), set[0].sms.end(), 0u);
  std::iota(set[1].sms.begin(), set[1].sms.end(), uint32_t(small.blocks));
  return set;
}

} // namespace gpusched
