// Sweep.h - what ran at the same time, from when each began and ended.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost: n log n, and one step for each that runs whenever one begins or ends. Pure.
#pragma once

#include <algorithm>
#include <vector>

namespace gpusched {

template <class Time> struct Interval {
  Time begin = {}, end = {};
};

/// Calls `during(indices of those that run, length)` for every time between two moments in which
/// something ran. Intervals that do not end behind their begin take part in nothing.
template <class Time, class During>
void sweep(const std::vector<Interval<Time>>& intervals, const During& during) {
  struct Moment {
    Time time;
    bool begins; // ends come first
    size_t index;
    bool operator<(const Moment& other) const {
      return time != other.time ? time < other.time : begins < other.begins;
    }
  };
  std::vector<Moment> moments;
  for (size_t i = 0; i < intervals.size(); ++i)
    if (intervals[i].begin < intervals[i].end)
      moments.insert(moments.end(), {{intervals[i].begin, true, i}, {intervals[i].end, false, i}});
  std::sort(moments.begin(), moments.end());
  std::vector<size_t> running;
  for (size_t at = 0; at < moments.size(); ++at) {
    if (moments[at].begins)
      running.push_back(moments[at].index);
    else
      std::erase(running, moments[at].index);
    const Time length = at + 1 < moments.size() ? moments[at + 1].time - moments[at].time : Time(0);
    if (!running.empty() && length > 0)
      during(running, length);
  }
}

} // namespace gpusched
