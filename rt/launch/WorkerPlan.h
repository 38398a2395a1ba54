// WorkerPlan.h - how many physical blocks a persistent launch gets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. A worker learns its SM only when it runs, and leaves at once if that SM is not in
// the mask or already has `budget` workers. Enough workers must be launched that every allowed
// SM ends up with its budget; every surplus worker costs a start and an exit (about 1 us of
// one block slot) and, while it is queued, holds up blocks of later kernels.
//
// Model. S SMs, R blocks of this kernel fit on an empty one (occupancy limit), A SMs allowed.
// The hardware places blocks on the SM with most room, so on an idle device S*R blocks put
// exactly R on each SM, whatever the order: each SM keeps `budget` of them, the rest leave.
// When other kernels hold part of the SMs, those S*R blocks still visit every SM that has
// room; the others wait in the queue and take a slot when room appears.
//
//   no mask       S*R, but never more than there are logical blocks: a worker without an id
//                 to claim has nothing to do.
//   mask, A < S   an allowed SM needs no more workers than its share r of the logical blocks, so
//                 S*r blocks would do; but a forbidden SM empties again and attracts the next
//                 blocks, so some of them go round in circles. kMaskedRounds * S*r covers it in
//                 the runs made so far. Not bounded by the number of logical blocks: four
//                 logical blocks on one allowed SM still need a worker that finds this SM.
//
// Not a correctness matter: the device code lets the last worker to arrive stay when no other
// did, so the work is done even if every placement was unlucky.
//
// A kernel of which no block waits for another one may claim several ids at once: all claims of a
// launch go to one word, which an H200 answers every 0.74 ns, and short blocks ask faster than
// that. Blocks that follow each other are then no longer in flight at the same time, and what they
// read of the same lines and pages comes twice: a lattice-Boltzmann step took 1.16 of the kernel's
// time with batches of four and 0.93 without (benchmarks/results/h200/2026-11-27). So batches are
// for launches of kBlocksPerWorker blocks a worker and more; and, as a worker looks at its budget
// when it claims, for kernels without loops only where the budget may change. So that the last
// worker is not late, they get smaller towards the end: with R residents the last R << s ids go in
// batches of half of the largest, R claims of each size, then one by one.
//
// Where nothing but claims holds ids back (GPUSCHED_ALONE), worker i has claim i without asking: it
// is where the kernel's own block i would be, and neighbours, which often cost the same, are on
// different SMs as they would be.
//
// Workers whose bodies have no loop claim their next ids before they run the present one. With R
// residents and more than 2R ids left when a body begins, each of them gets another one anyway,
// for all of them claim ahead; from then on they claim behind the body.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"

#include <algorithm>
#include <cstdint>

namespace gpusched {

inline constexpr uint64_t kMaskedRounds = 2;

/// Least number of logical blocks a worker runs where it claims several at once.
inline constexpr uint64_t kBlocksPerWorker = 64;

/// How many ids claims are for: the first `claims` for 1 << shift each, `step` for half as many,
/// and so on; the others for one.
struct Batches {
  uint32_t shift = 0, claims = 0, step = 0;
};

struct WorkerPlan {
  uint64_t workers = 0;     ///< physical blocks to launch
  uint64_t residents = 0;   ///< of them at a time, at most
  uint32_t blocksPerSm = 0; ///< of them on one SM
  Batches batches;
};

/// Logical blocks of the first `claims` claims, as if there were no end.
inline uint64_t claimedBlocks(uint64_t claims, const Batches& batches) {
  uint64_t blocks = 0, here = batches.claims;
  for (uint32_t shift = batches.shift; shift > 0; --shift, here = batches.step) {
    const uint64_t taken = std::min(claims, here);
    blocks += taken << shift;
    claims -= taken;
  }
  return blocks + claims;
}

/// Claims that cover `total` logical blocks.
inline uint64_t claimsFor(uint64_t total, const Batches& batches) {
  uint64_t claims = 0, here = batches.claims;
  for (uint32_t shift = batches.shift; shift > 0 && total > 0; --shift, here = batches.step) {
    const uint64_t wanted = (total + (uint64_t(1) << shift) - 1) >> shift;
    const uint64_t made = std::min(wanted, here);
    claims += made;
    total -= std::min(total, made << shift);
  }
  return claims + total;
}

/// The largest batches, for launches with many blocks a worker; all single otherwise. `asked`: that
/// many ids a claim from first to last, rounded down to a power of two; 0 = by that rule.
inline Batches planBatches(uint64_t total, uint64_t residents, uint32_t asked) {
  Batches batches;
  if (asked) {
    while (batches.shift < GPUSCHED_MAX_BATCH_SHIFT && uint64_t(2) << batches.shift <= asked)
      ++batches.shift;
    batches.claims = uint32_t((total + (1u << batches.shift) - 1) >> batches.shift);
    return batches;
  }
  batches.shift = residents * kBlocksPerWorker <= total ? GPUSCHED_MAX_BATCH_SHIFT : 0;
  const uint64_t late = batches.shift > 0 ? residents : 2 * residents;
  const uint64_t claims = total >> batches.shift;
  batches.claims = uint32_t(claims - std::min(claims, late));
  batches.step = batches.shift > 0 ? uint32_t(residents) : 0;
  return batches;
}

/// `budget` 0 = the occupancy limit; `allowed` SMs, all of them without a mask. REQUIRES: sms,
/// occupancy and total > 0.
inline WorkerPlan planWorkers(uint64_t total, uint32_t sms, uint32_t occupancy, uint32_t budget,
                              uint32_t allowed) {
  WorkerPlan plan;
  plan.blocksPerSm = budget == 0 ? occupancy : std::min(budget, occupancy);
  const uint64_t places = std::max(allowed, 1u), share = (total + places - 1) / places;
  plan.workers = allowed < sms ? kMaskedRounds * sms * std::min<uint64_t>(occupancy, share)
                               : std::min(uint64_t(sms) * occupancy, total);
  plan.workers = std::min<uint64_t>(plan.workers, INT32_MAX);
  plan.residents = std::min<uint64_t>(places, sms) * plan.blocksPerSm;
  return plan;
}

} // namespace gpusched
