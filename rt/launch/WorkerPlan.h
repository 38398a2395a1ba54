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
// A kernel whose twin takes batches claims 2, 4 or 8 ids at once, if each worker has many: with b
// logical blocks a worker, batches of k let the last worker be at most (k - 1) / b of the whole
// later than without. kBlocksPerWorker bounds that to 1/64.
//
// Such a worker claims its next ids before it runs the present one, and keeps them to itself. With
// R residents and more than 2R ids left when a body begins, each of them gets another one anyway,
// for all of them claim ahead; from then on they claim behind the body.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"

#include <algorithm>
#include <cstdint>

namespace gpusched {

inline constexpr uint64_t kMaskedRounds = 2;

/// Least number of logical blocks a worker runs for each that its batch has beyond one.
inline constexpr uint64_t kBlocksPerWorker = 64;

struct WorkerPlan {
  uint64_t workers = 0;     ///< physical blocks to launch
  uint64_t residents = 0;   ///< of them at a time, at most
  uint32_t blocksPerSm = 0; ///< of them on one SM
  uint32_t batchShift = 0;  ///< gpusched_params::batch_shift
};

/// Logical blocks of `claims` claims, each a batch.
inline uint64_t claimedBlocks(uint64_t claims, uint32_t batchShift) {
  return claims << batchShift;
}

/// gpusched_params::early.
inline uint32_t planEarly(uint64_t total, const WorkerPlan& plan) {
  const uint64_t late = claimedBlocks(2 * plan.residents, plan.batchShift);
  return uint32_t(total - std::min(total, late));
}

/// For a twin that takes batches, with `residents` workers at a time. `asked` ids a claim, rounded
/// down to a power of two; 0 = by the rule above.
inline uint32_t planBatchShift(uint64_t total, uint64_t residents, uint32_t asked) {
  const auto fits = [&](uint32_t shift) {
    const uint64_t ids = uint64_t(1) << shift;
    return asked ? ids <= asked : (ids - 1) * kBlocksPerWorker * residents <= total;
  };
  uint32_t shift = 0;
  while (shift < GPUSCHED_MAX_BATCH_SHIFT && fits(shift + 1))
    ++shift;
  return shift;
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
