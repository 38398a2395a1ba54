// NativePairs.h - kernels that gain nothing by budgets run beside each other in their native form.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: of some pairs neither budgets nor one after the other make the most. On an H200 eight of
// twenty pairs, those with dxtc or sgemm, made 0.91 to 1.08 of serial throughput under our
// policies; nvcc's kernels in two streams, the one that is bound by memory with the higher
// priority, made 1.07 to 1.38 (benchmarks/results/h200/2026-11-27, pairs.jsonl). The hardware then
// gives the memory kernel each place that falls free, and the other one what that leaves.
//
// Rule, over any policy's decisions, once two kernels have met:
//   - budgets go first: until a pair that the policy puts together was measured, nothing changes;
//   - a pair that makes less than kTryNatively that way, or of which one waits for the other though
//     nobody else is there, is tried natively, and stays so where that measured better than what
//     it would have had, by kMargin;
//   - a twin with all its workers on the device leaves no room, so a kernel that is alone is
//     launched natively, too, while that is best with the one that it met last, or, if it has met
//     none yet, with all that the history knows;
//   - launches of kernels that are bound by memory are `urgent` then.
// Beside a third kernel all pairs with it have to agree. Kernels without a profile are left alone:
// nobody knows which of them should go first. The no-regret rule holds for native pairs, too.
//
// Reads nothing but its inputs, and notes in the history who has met; where several run, one of
// them at each launch. Cost: kernels that run.
#pragma once

#include "rt/policy/NoRegret.h"

namespace gpusched {

/// Of serial throughput. Where budgets made as much, native kernels made no more in the runs above.
inline constexpr double kTryNatively = 1.2;
inline constexpr double kMargin = 0.02;

/// By what was measured, and by what still has to be.
bool prefersNative(const PairRecord& record);

/// To be called before keepWithoutRegret, which has the last word.
void pairNatively(const PolicyState& state, PairHistory& history, std::vector<Decision>& decisions);

} // namespace gpusched
