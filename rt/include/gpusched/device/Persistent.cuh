// Persistent.cuh - the loop of a persistent kernel: workers claim logical blocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   for (::gpusched::Worker worker(params); worker.more(); worker.advance())
//     body(worker.block(), worker.grid(), arguments...);
//
// One physical block is one worker. It takes a slot of its SM (or leaves), then runs logical
// blocks that thread 0 claims from control->next, in increasing order. The next id is claimed
// before the current body runs and published after it, so the atomic's latency hides behind the
// body; one barrier per logical block publishes the id and separates the shared memory of two
// bodies. The block index is decoded once per logical block, by thread 0, not by every thread.
//
// Live across the body: the id claimed ahead and one parity bit. Everything else of a worker is
// in 128 bytes of shared memory, so that registers, and with them occupancy, stay the kernel's.
// 128 also keeps the alignment of the dynamic shared memory that follows.
//
// Every claimed id is run: a worker whose budget went away finishes the id it claimed ahead, then
// leaves. Launches are one-dimensional, total < 2^32 - 2^20 (more is launched natively).
// Does not: look at the host, allocate, or use anything newer than sm_70.
#pragma once

#include "../LaunchAbi.h"

namespace gpusched {

/// What `__syncthreads` means inside an outlined body. Draining: threads that have left the body
/// still arrive at the others' barriers, with 0, see Worker::drain.
struct BodyBarrier {
  bool drains;
  __device__ __forceinline__ void operator()() const {
    if (drains)
      ::__syncthreads_or(1);
    else
      ::__syncthreads();
  }
};

/// A worker's state that all its threads, or its thread 0 over time, must see.
struct __align__(128) WorkerShared {
  uint4 block[2]; ///< x, y, z of a logical block and 1; or 0 in w: nothing more to run
  unsigned slot;  ///< this worker's place on its SM; it leaves when slot >= workers_per_sm
  unsigned sm;    ///< %smid when the slot was taken
  unsigned done;  ///< bodies that returned
};

/// One physical block's life. Every member is called by all threads of the block.
class Worker {
public:
  __device__ __forceinline__ explicit Worker(const gpusched_params& params)
      : params_(params), ahead_(kNone), parity_(0) {
    if (leader()) {
      const bool stays = enter();
      publish(0, stays && mayClaim() ? claim() : kNone, stays);
    }
    ::__syncthreads();
  }

  /// Is there a logical block to run? Claims the one after it.
  __device__ __forceinline__ bool more() {
    const uint4 current = shared().block[parity_];
    if (current.w == 0)
      return false;
    block_ = uint3{current.x, current.y, current.z};
    parity_ ^= 1u;
    if (leader())
      ahead_ = mayClaim() ? claim() : kNone;
    return true;
  }

  /// After the body, where every thread of the block returns from it.
  __device__ __forceinline__ void advance() {
    finishBody();
    ::__syncthreads();
  }

  /// After the body, where some threads return while others still have barriers to pass: those
  /// that are out keep arriving, and all leave together once nobody is left inside.
  __device__ __forceinline__ void drain() {
    finishBody();
    while (::__syncthreads_or(0)) {
    }
  }

  __device__ __forceinline__ uint3 block() const { return block_; }
  __device__ __forceinline__ dim3 grid() const {
    return dim3(params_.grid_x, params_.grid_y, params_.grid_z);
  }

private:
  static const unsigned kNone = 0xffffffffu;

  static __device__ __forceinline__ WorkerShared& shared() {
    static __shared__ WorkerShared state;
    return state;
  }
  static __device__ __forceinline__ bool leader() {
    return (::threadIdx.x | ::threadIdx.y | ::threadIdx.z) == 0;
  }
  __device__ __forceinline__ unsigned budget() const {
    return *static_cast<volatile uint32_t*>(&params_.control->workers_per_sm);
  }
  __device__ __forceinline__ bool mayClaim() const { return shared().slot < budget(); }

  /// The low word is enough: total stays below 2^32 - 2^20 and every worker overshoots by one.
  __device__ __forceinline__ unsigned claim() {
    return static_cast<unsigned>(
        ::atomicAdd(reinterpret_cast<unsigned long long*>(&params_.control->next), 1ull));
  }

  __device__ __forceinline__ void publish(unsigned parity, unsigned id, bool entered) {
    const bool runs = id < static_cast<unsigned>(params_.total);
    uint4 next = {id, 0, 0, runs ? 1u : 0u};
    if (params_.grid_y != 1 || params_.grid_z != 1) {
      const unsigned row = id / params_.grid_x;
      next.x = id - row * params_.grid_x;
      next.z = row / params_.grid_y;
      next.y = row - next.z * params_.grid_y;
    }
    shared().block[parity] = next;
    if (!runs && entered)
      leave();
  }

  __device__ __forceinline__ void finishBody() {
    if (!leader())
      return;
    ++shared().done;
    publish(parity_, ahead_, true);
  }

  /// Takes a slot of this SM. False: the SM is not in the mask, or its slots are taken. The last
  /// worker to arrive stays if nobody did, so that every launch with a budget makes progress.
  __device__ __forceinline__ bool enter() {
    gpusched_control* const control = params_.control;
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    shared().sm = sm;
    shared().slot = 0;
    shared().done = 0;
    bool stays = takeSlot(control, sm);
    if (stays)
      ::atomicAdd(&control->accepted, 1u);
    ::__threadfence();
    const bool last = ::atomicAdd(&control->arrived, 1u) + 1 == ::gridDim.x;
    if (!stays && last && budget() != 0 && ::atomicAdd(&control->accepted, 0u) == 0) {
      ::atomicAdd(&control->accepted, 1u);
      if (sm < GPUSCHED_MAX_SMS)
        ::atomicAdd(&control->sm_slots[sm], 1u);
      stays = true;
    }
    return stays;
  }

  __device__ __forceinline__ bool takeSlot(gpusched_control* control, unsigned sm) {
    const unsigned allowed = budget();
    if (allowed == 0 || sm >= GPUSCHED_MAX_SMS ||
        (control->sm_mask[sm / 32] >> (sm % 32) & 1u) == 0)
      return false;
    const unsigned slot = ::atomicAdd(&control->sm_slots[sm], 1u);
    if (slot < allowed) {
      shared().slot = slot;
      return true;
    }
    ::atomicSub(&control->sm_slots[sm], 1u);
    return false;
  }

  /// Runs once per worker that entered, when it publishes that nothing more is to run.
  __device__ __forceinline__ void leave() {
    gpusched_control* const control = params_.control;
    ::__threadfence();
    ::atomicAdd(&control->finished, shared().done);
    if (shared().sm < GPUSCHED_MAX_SMS)
      ::atomicSub(&control->sm_slots[shared().sm], 1u);
  }

  const gpusched_params& params_;
  uint3 block_;
  unsigned ahead_;  ///< thread 0: claimed, not yet published
  unsigned parity_; ///< which of shared().block is read next
};

} // namespace gpusched
