// KernelSpans.cpp - the share of each kernel's time that was another one's, too.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/counters/KernelSpans.h"

#include "rt/support/Sweep.h"

namespace gpusched {

std::vector<bool> ranBesideOthers(const std::vector<KernelSpan>& spans) {
  std::vector<Interval<uint64_t>> lives;
  for (const KernelSpan& span : spans)
    lives.push_back({span.startNs, span.endNs});
  std::vector<uint64_t> besideNs(spans.size());
  sweep(lives, [&](const std::vector<size_t>& running, uint64_t length) {
    for (size_t span : running)
      besideNs[span] += running.size() > 1 ? length : 0;
  });
  std::vector<bool> beside(spans.size());
  for (size_t i = 0; i < spans.size(); ++i)
    beside[i] = double(besideNs[i]) > kLeastBeside * double(spans[i].endNs - spans[i].startNs);
  return beside;
}

KernelSums sumTimes(const std::vector<KernelSpan>& spans) {
  const std::vector<bool> beside = ranBesideOthers(spans);
  KernelSums sums;
  for (size_t i = 0; i < spans.size(); ++i) {
    const KernelSpan& span = spans[i];
    sums.launch(span.shape, double(span.endNs - span.startNs) / 1000, beside[i]);
    if (span.registersPerThread == 0)
      continue;
    sums.value(span.shape, kRegistersPerThread, span.registersPerThread);
    sums.value(span.shape, kStaticSharedBytes, double(span.staticSharedBytes));
  }
  return sums;
}

} // namespace gpusched
