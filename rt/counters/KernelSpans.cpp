// KernelSpans.cpp - a sweep over beginnings and ends.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/counters/KernelSpans.h"

#include <algorithm>

namespace gpusched {
namespace {

struct Edge {
  uint64_t ns = 0;
  bool begins = false;
  size_t span = 0;
};

/// In order of time.
std::vector<Edge> edgesOf(const std::vector<KernelSpan>& spans) {
  std::vector<Edge> edges;
  edges.reserve(2 * spans.size());
  for (size_t i = 0; i < spans.size(); ++i)
    if (spans[i].startNs < spans[i].endNs) {
      edges.push_back({spans[i].startNs, true, i});
      edges.push_back({spans[i].endNs, false, i});
    }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.ns < b.ns; });
  return edges;
}

} // namespace

std::vector<bool> ranBesideOthers(const std::vector<KernelSpan>& spans) {
  std::vector<uint64_t> besideNs(spans.size());
  std::vector<size_t> running;
  uint64_t sinceNs = 0;
  for (const Edge& edge : edgesOf(spans)) {
    if (running.size() > 1)
      for (size_t span : running)
        besideNs[span] += edge.ns - sinceNs;
    sinceNs = edge.ns;
    if (edge.begins)
      running.push_back(edge.span);
    else
      std::erase(running, edge.span);
  }
  std::vector<bool> beside(spans.size());
  for (size_t i = 0; i < spans.size(); ++i)
    beside[i] = double(besideNs[i]) > kLeastBeside * double(spans[i].endNs - spans[i].startNs);
  return beside;
}

KernelSums sumTimes(const std::vector<KernelSpan>& spans) {
  const std::vector<bool> beside = ranBesideOthers(spans);
  KernelSums sums;
  for (size_t i = 0; i < spans.size(); ++i)
    sums.launch(spans[i].shape, double(spans[i].endNs - spans[i].startNs) / 1000, beside[i]);
  return sums;
}

} // namespace gpusched
