// Persistent.cuh - the loop of a persistent kernel: workers claim logical blocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   ::gpusched::Worker worker(params);
//   if (::gpusched::never()) goto after;
//   if (worker.more()) do {
//     worker.begin();
//     body(worker.block(), worker.grid(), arguments...);
//   after:
//     worker.advance();
//   } while (worker.more());
//   worker.end();
//
// One physical block is one worker. It takes a slot of its SM (or leaves), then runs logical
// blocks that thread 0 claims from control->next, in increasing order. One barrier per logical
// block publishes the id and separates the shared memory of two bodies. The block index is decoded
// once per logical block, by thread 0, without a division.
//
// A Worker keeps nothing in registers while a body runs but, in a uniform one, which of two places
// holds the next block: everything is in 128 bytes of shared memory (WorkerMemory.cuh), and whether
// a thread is thread 0 is asked anew (isLeader). What lives across the body would not cost
// registers alone. ptxas puts as many loads in flight as it has registers and predicates for: with
// one predicate and two registers less a stencil waited for its neighbours one after the other. So
// the id is claimed and the budget read behind the body, together; the answer is waited for while
// the other workers of the SM go on. Nor does a worker keep a block for itself while others have
// nothing to do.
//
// Where no block waits for another one, a worker may hold ids back. A BatchWorker claims up to
// eight that follow each other at once, fewer towards the end (gpusched_params::batches), so that
// it waits for few answers. Bodies without a loop may be over sooner than an answer comes; an
// AheadWorker, which they get, asks for the next batch before the last body of this one runs. One
// or two words are on their way across that body then. In smaller batches it claims behind the
// body, too.
//
// Where a launch has no budget, no mask and nobody who pauses or helps it, workers take no slots: a
// claim is all that they do (GPUSCHED_ALONE), and with a worker for each block not even that
// (GPUSCHED_FITS). They are as many as fit at once and begin in the order of their numbers, so that
// worker i may run what the kernel's block i would have run. With GPUSCHED_ALONE those that hold
// ids back do so first of all; others claim that, too, for whoever waits must find the lower ids
// with workers that run. A worker with one block whose threads need no barrier behind it
// (`mayEnd`) is as short as that block: no shared words, and it ends with the body.
//
// Where the warps of a block share nothing (Drain::Apart of SplicedLoop.cuh), they need no barrier
// within a batch: thread 0 publishes where it begins and ends (BatchPlace.cuh), and each thread
// decodes its own indices. It keeps a register for its id while a body runs, and a uniform one for
// the place.
// A warp is at most a batch ahead of another one.
//
// Every claimed id is run: a worker whose budget went away finishes the id it claimed ahead, then
// leaves. Workers of a helping launch (GPUSCHED_HELPS) run blocks of a launch in flight: its last
// worker waits until the blocks claimed by others have returned, so that its end is the end of all
// blocks. Whoever claimed one is running, so the wait ends, however late the help came. Help that
// comes before the launch has claimed, which may wait for anything yet, finds nothing.
// Launches are one-dimensional, but with GPUSCHED_FITS, which have the kernel's own grid; total <
// 2^32 - 2^20 (more is launched natively).
// Does not: look at the host, allocate, or use anything newer than sm_70.
#pragma once

#include "../LaunchAbi.h"
#include "ArgumentBits.cuh"
#include "BatchPlace.cuh"
#include "BlockDrain.cuh"
#include "ControlWords.cuh"
#include "CountingBarriers.cuh"
#include "CountingDrain.cuh"
#include "LaneDrain.cuh"
#include "LaneGroups.cuh"
#include "LogicalBlock.cuh"
#include "LogicalGrid.cuh"
#include "Mbarriers.cuh"
#include "NativeBlock.cuh"
#include "Overloads.cuh"
#include "ToldCall.cuh"
#include "WorkerMemory.cuh"
#ifdef GPUSCHED_TELEMETRY
#include "Telemetry.cuh"
#endif

#include <stddef.h>

/// The body of a twin of which nvcc's host pass makes a stub, while its device code comes from
/// another text: that no device pass sees this one was concluded for the architectures known then.
#ifdef __CUDA_ARCH__
#define GPUSCHED_HOST_PASS_ONLY static_assert(false, "a device pass compiles a host-only twin");
#else
#define GPUSCHED_HOST_PASS_ONLY
#endif

namespace gpusched {

/// What `__syncthreads` means inside an outlined body. Draining: threads that have left the body
/// still arrive at the others' barriers, with 0, see Worker::drain; with `lanes`, LaneDrain::leave.
/// With `counts`, a kernel that asks its barriers questions, see CountingDrain.cuh.
struct BodyBarrier {
  bool drains;
  bool lanes;
  bool counts;
  __device__ __forceinline__ void operator()() const {
    if (!meets())
      ::__syncthreads();
  }
  /// thread_block::sync(), which lanes of one warp may call at different places.
  __device__ __forceinline__ void ofGroup() const {
    if (!meets())
      ::__barrier_sync(0);
  }

private:
  /// False where a plain barrier will do.
  __device__ __forceinline__ bool meets() const {
    if (lanes)
      LaneDrain::meetForBarrier();
    if (counts)
      CountingDrain::countApart(1);
    else if (drains)
      BlockDrain::meet(1);
    return counts || drains;
  }
};

/// False, which nvcc's optimiser cannot tell and ptxas can. A way into the middle of a loop that
/// depends on it makes the loop one that the optimiser leaves alone, so that it compiles the body
/// as in the kernel. In a loop that it knows, it moves what depends on parameters, constants and
/// threadIdx alone to the front and keeps all of it in registers, and unrolls the body's own loops
/// by other rules. ptxas sees a plain loop.
__device__ __forceinline__ bool never() {
  unsigned no;
  asm volatile("mov.u32 %0, 0;" : "=r"(no));
  return no != 0;
}

/// A worker's state that all its threads, or its thread 0 over time, must see.
struct __align__(128) WorkerShared {
  static const unsigned kFromEnd = GPUSCHED_WORKER_UNITS * GPUSCHED_SHARED_UNIT;
  uint4 block[2];    ///< x, y, z of a logical block and 1; or 0 in w: nothing more to run. Where
                     ///< warps are apart, the first for a BatchPlace
  unsigned slot;     ///< this worker's place on its SM, or none; it leaves when slot >= budget
  unsigned sm;       ///< %smid when the slot was taken
  unsigned done;     ///< bodies that returned
  unsigned budget;   ///< as it was at the last claim
  unsigned id;       ///< the last that was published
  unsigned batchEnd; ///< behind the last id of its claim
  unsigned zero;
#ifdef GPUSCHED_TELEMETRY
  WorkerMoment began;
#endif
};
static_assert(sizeof(WorkerShared) <= WorkerShared::kFromEnd &&
                  WorkerShared::kFromEnd + sizeof(MbarrierTable) <= MbarrierTable::kFromEnd &&
                  MbarrierTable::kFromEnd + sizeof(LaneState) <= LaneState::kFromEnd &&
                  LaneState::kFromEnd + sizeof(LaneWaits) <= LaneWaits::kFromEnd,
              "words behind the dynamic memory overlap");

/// How a worker claims: one id behind each body, a batch behind its last body, or in front of that.
enum class Claims { Single, Batches, Ahead };

/// One physical block's life. Every public member is called by all threads of the block. `mayEnd`,
/// known when compiled and the same in all calls: threads wait for nobody once their body is over.
/// `kApart`: nor for anybody inside the body, or for what somebody wrote to shared memory there.
template <Claims kClaims, class Memory = SharedBeside, bool kApart = false> class BasicWorker {
public:
  /// Which worker a body may have whose warps share nothing.
  static const bool kMayBeApart = kClaims == Claims::Ahead;
  typedef BasicWorker<kClaims, Memory, true> Apart;

  __device__ __forceinline__ explicit BasicWorker(const gpusched_params& params,
                                                  bool mayEnd = false)
      : params_(params), ahead_(kNone), limit_(0), parity_(0),
        batch_(kApart ? shared().block : nullptr), id_(0), end_(0) {
    if (mayEnd && isOnly()) {
      block_ = uint3{::blockIdx.x, ::blockIdx.y, ::blockIdx.z};
      return;
    }
    if ((::threadIdx.x | ::threadIdx.y | ::threadIdx.z) == 0) {
      shared().zero = 0;
      shared().done = 0;
      if (kApart)
        shared().batchEnd = 0; // of no batch, which begins behind
      publish(enter());
    }
    ::__syncthreads();
  }

  /// Is there a first block to run?
  __device__ __forceinline__ bool starts(bool mayEnd) { return (mayEnd && isOnly()) || more(); }

  /// Is there a logical block to run?
  __device__ __forceinline__ bool more() {
    if (kApart)
      return begins(batch_.read());
    const uint4 current = shared().block[parity_];
    block_ = uint3{current.x, current.y, current.z};
    return current.w != 0;
  }

  /// After the body: does this thread go on with the next block of the batch? Its end is read anew,
  /// which keeps it out of the registers of the body.
  __device__ __forceinline__ bool stays() {
    if (!kApart)
      return false;
    return begins(uint2{id_ + 1, batch_.end()});
  }

  /// Does this worker run the block of its own number and no other? Read anew each time, in a way
  /// that the optimiser does not see through: it would make two loops of one, and copy the body.
  __device__ __forceinline__ bool isOnly() const {
    unsigned role;
    asm volatile("mov.u32 %0, %1;" : "=r"(role) : "r"(unsigned(params_.role)));
    return role == GPUSCHED_FITS;
  }

  /// In front of the body.
  __device__ __forceinline__ void begin(bool mayEnd = false) {
    // A declaration in the PTX, nothing in the machine code: the cpu device's checks tell one
    // logical block from the next by it.
    asm volatile("{ .reg .b32 gpusched_block; }");
    if (!kApart)
      parity_ ^= 1u;
    if (kClaims == Claims::Ahead && !(mayEnd && isOnly()) && (!kApart || id_ + 1 == end_) &&
        isLeader())
      claimAhead();
    // Every warp begins a block with its lanes together, as those of a new block do.
    ::__syncwarp();
  }

  /// When there is nothing more to run.
  __device__ __forceinline__ void end(bool mayEnd = false) {
    if (!(mayEnd && isOnly()) && isLeader() && shared().slot != kNone)
      leave();
  }

  /// After the body, where every thread of the block returns from it.
  __device__ __forceinline__ void advance() {
    if (kApart)
      batch_.turn();
    finishBody();
    ::__syncthreads();
  }

  /// After the body, where some threads return while others still have barriers to pass: those
  /// that are out keep arriving, and all leave together once nobody is left inside.
  __device__ __forceinline__ void drain() {
    finishBody();
    while (BlockDrain::meet(0) != 0) {
    }
  }

  /// The same in a kernel that asks its barriers questions.
  __device__ __forceinline__ void drainCounting() {
    finishBody();
    while (CountingDrain::outside()) {
    }
  }

  __device__ __forceinline__ uint3 block() const { return block_; }
  __device__ __forceinline__ dim3 grid() const {
    return dim3(params_.grid_x, params_.grid_y, params_.grid_z);
  }

private:
  static const unsigned kNone = 0xffffffffu;
  static const unsigned kFits = 0xfffffffeu; ///< slot of a worker that claims nothing

  static __device__ __forceinline__ WorkerShared& shared() {
    return Memory::template of<WorkerShared>();
  }

  /// Apart: the first of these ids, if there is one. Most launches have one dimension.
  __device__ __forceinline__ bool begins(uint2 ids) {
    id_ = ids.x;
    end_ = ids.y;
    if (id_ >= end_)
      return false;
    block_ = params_.grid_x == params_.total ? uint3{id_, 0, 0} : blockIndex(id_, params_);
    return true;
  }

  /// Is this thread 0? Asked of memory, so that ptxas does not keep the answer from block to block;
  /// what it may keep is the left side, one register.
  static __device__ __forceinline__ bool isLeader() {
    return (::threadIdx.x | ::threadIdx.y | ::threadIdx.z) ==
           static_cast<volatile WorkerShared&>(shared()).zero;
  }
  // From here on: thread 0 only.

  /// May somebody change the budget?
  __device__ __forceinline__ bool hasBudget() const { return params_.role < GPUSCHED_ALONE; }

  /// Does a claim find something to run where `next` stands?
  __device__ __forceinline__ bool isLeft(unsigned next) const { return next < params_.end; }

  /// The same, for a worker that has not begun. A helper may come while the launch still waits in
  /// its stream, and the control block is as the launch before has left it: `next` is not above
  /// `base` until this one claims.
  __device__ __forceinline__ bool findsWork(unsigned next) const {
    return isLeft(next) && (params_.role != GPUSCHED_HELPS || next > params_.base);
  }

  /// The ids of the claim-th claim, from the first to behind the last.
  __device__ __forceinline__ uint2 batchOf(unsigned claim) const {
    if (kClaims == Claims::Single)
      return uint2{claim, claim + 1};
    unsigned first = 0, shift = params_.batch_shift;
    for (unsigned here = params_.batches; shift != 0 && claim >= here; here = params_.step) {
      claim -= here;
      first += here << shift--;
    }
    first += claim << shift;
    return uint2{first, first + (1u << shift)};
  }

  /// Of a claim's answer; not in front of a body, which would wait for the answer there.
  __device__ __forceinline__ unsigned taken(unsigned claim) const {
    const uint2 batch = batchOf(claim);
    if (kClaims != Claims::Single)
      shared().batchEnd = batch.y < params_.total ? batch.y : params_.total;
    return batch.x;
  }

  /// Is what follows this id claimed before the body runs?
  __device__ __forceinline__ bool isAhead(unsigned id) const {
    return kClaims == Claims::Ahead && id < params_.batches << params_.batch_shift;
  }
  /// Is the id another one of this batch? Not behind the last of all: every worker claims until it
  /// finds nothing, see leaveAlone().
  __device__ __forceinline__ bool isInBatch(unsigned id) const {
    return kClaims != Claims::Single && id < shared().batchEnd;
  }

  /// Of the block that runs, or ran last.
  __device__ __forceinline__ unsigned ownId() const {
    return kApart ? shared().batchEnd - 1 : shared().id;
  }

  /// Asks for the budget with the claim, for the next time.
  __device__ __forceinline__ void claimAhead() {
    const unsigned id = ownId();
    if (isInBatch(id + 1) || !isAhead(id))
      return;
    const ControlWords control(params_.control);
    ahead_ = shared().slot < shared().budget ? control.claim() : kNone;
    if (hasBudget())
      limit_ = control.budget();
  }

  /// The same behind the body.
  __device__ __forceinline__ unsigned claimBehind() const {
    const unsigned slot = shared().slot;
    if (slot == kFits || slot >= shared().budget)
      return kNone;
    const ControlWords control(params_.control);
    const unsigned claim = control.claim();
    if (hasBudget())
      shared().budget = control.budget();
    return taken(claim - params_.base);
  }

  __device__ __forceinline__ unsigned nextId() const {
    const unsigned id = ownId();
    if (isInBatch(id + 1))
      return id + 1;
    if (!isAhead(id))
      return claimBehind();
    if (hasBudget())
      shared().budget = limit_;
    return ahead_ == kNone ? kNone : taken(ahead_ - params_.base);
  }

  /// Word by word, since one store of four wants four registers in a row, whatever the body holds.
  /// Where warps are apart, the batch: an id behind the grid is behind the end of its batch, too.
  __device__ __forceinline__ void publish(unsigned id) {
    if (kApart) {
      shared().id = id;
      batch_.write(id, shared().batchEnd);
      return;
    }
    volatile uint4& next = shared().block[parity_];
    const uint3 block = blockIndex(id, params_);
    next.w = id < params_.total ? 1u : 0u;
    shared().id = id;
    next.x = block.x;
    next.y = block.y;
    next.z = block.z;
  }

  __device__ __forceinline__ void finishBody() {
    if (!isLeader())
      return;
    shared().done += kApart ? shared().batchEnd - shared().id : 1;
    publish(nextId());
  }

  /// Takes a slot and claims, or neither. Where every worker has one, the claim is all.
  __device__ __forceinline__ unsigned enter() {
    unsigned slot = 0, id = kNone;
    shared().budget = GPUSCHED_NO_BUDGET;
    if (params_.role < GPUSCHED_ALONE)
      slot = findSlot();
    if (params_.role == GPUSCHED_FITS)
      slot = kFits;
    if (params_.role == GPUSCHED_FITS)
      id = taken((::blockIdx.z * ::gridDim.y + ::blockIdx.y) * ::gridDim.x + ::blockIdx.x);
    else if (kClaims != Claims::Single && params_.role == GPUSCHED_ALONE)
      id = taken(::blockIdx.x);
    else if (slot != kNone) {
      // A helper's grid may be older than the launch, and so may be what its SM keeps of memory.
      if (params_.role == GPUSCHED_HELPS)
        ::__threadfence();
      id = taken(ControlWords(params_.control).claim() - params_.base);
    }
    shared().slot = slot;
#ifdef GPUSCHED_TELEMETRY
    shared().began = WorkerMoment::now();
#endif
    return id;
  }

  /// None: nothing is left to claim, the SM is not in the mask, or its slots are taken. What does
  /// not depend on another answer is asked for with it: two rounds through memory.
  __device__ __forceinline__ unsigned findSlot() {
    const ControlWords control = ControlWords::inRegisters(params_.control);
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    shared().sm = sm;
    const unsigned next = control.next();
    const unsigned budget = control.budget();
    const unsigned allowed =
        sm < GPUSCHED_MAX_SMS ? control.maskWord(sm / 32) >> (sm % 32) & 1u : 0;
    const unsigned limit = findsWork(next) ? budget : 0;
    shared().budget = limit;
    const unsigned slot = allowed != 0 ? takeSlot(control, sm, limit) : kNone;
    return slot == kNone && isLastToLeave(control) ? stayOrClose(control, sm, limit) : slot;
  }

  __device__ __forceinline__ unsigned takeSlot(const ControlWords& control, unsigned sm,
                                               unsigned limit) const {
    if (limit == 0)
      return kNone;
    const unsigned slot = control.enterSm(sm);
    if (slot < limit)
      return slot;
    control.leaveSm(sm);
    return kNone;
  }

  /// Every worker of a launch asks once, but helpers.
  __device__ __forceinline__ bool isLastToLeave(const ControlWords& control) const {
    return params_.role != GPUSCHED_HELPS && control.countLeft() == ::gridDim.x - 1;
  }

  /// A worker without a slot behind which all others have left stays when there is something to
  /// run, so that every launch with a budget makes progress.
  __device__ __forceinline__ unsigned stayOrClose(const ControlWords& control, unsigned sm,
                                                  unsigned limit) const {
    if (limit == 0) {
      close(control);
      return kNone;
    }
    if (sm < GPUSCHED_MAX_SMS)
      control.enterSm(sm);
    control.setLeft(::gridDim.x - 1);
    return 0;
  }

  /// After a barrier behind the last body, so that what all threads wrote is counted as finished.
  __device__ __forceinline__ void leave() const {
    if (params_.role >= GPUSCHED_ALONE)
      return leaveAlone();
    const ControlWords control = ControlWords::inRegisters(params_.control);
#ifdef GPUSCHED_TELEMETRY
    // Before the fence, since the launch may end once these blocks count as finished.
    writeWorkerRecord(control.telemetry(), shared().began, shared().sm, shared().done,
                      shared().id != kNone);
#endif
    ::__threadfence();
    control.addFinished(shared().done);
    if (shared().sm < GPUSCHED_MAX_SMS)
      control.leaveSm(shared().sm);
    if (isLastToLeave(control))
      close(control);
  }

  /// Each worker's last claim finds nothing, so the launch makes one a worker more than it needs.
  __device__ __forceinline__ void leaveAlone() const {
    if (params_.role == GPUSCHED_ALONE &&
        shared().id == batchOf(params_.end - params_.base + ::gridDim.x - 1).x)
      *static_cast<volatile gpusched_u32*>(params_.ended) = 1;
  }

  /// The last worker of the launch.
  __device__ __forceinline__ void close(const ControlWords& control) const {
    if (!isLeft(control.next())) {
      while (control.finished() - params_.finished_before < params_.total)
#if __CUDA_ARCH__ >= 700 // older code is compiled, but never launched
        ::__nanosleep(200);
#else
        ;
#endif
      control.setNext(params_.end);
    }
    ::__threadfence();
    control.setLeft(0);
  }

  const gpusched_params& params_;
  uint3 block_;
  unsigned ahead_;  ///< thread 0: a claim's answer that is on its way, or kNone
  unsigned limit_;  ///< thread 0: the budget, on its way with the claim
  unsigned parity_; ///< which of shared().block is written and read next
  // Where warps are apart, this thread's:
  BatchPlace batch_; ///< the one that it is in or, behind its last body, the next
  unsigned id_;
  unsigned end_; ///< between two bodies
};

using Worker = BasicWorker<Claims::Single>;
using BatchWorker = BasicWorker<Claims::Batches>;
using AheadWorker = BasicWorker<Claims::Ahead>;
template <unsigned kAlignment>
using WorkerBehind = BasicWorker<Claims::Single, SharedBehind<kAlignment>>;
template <unsigned kAlignment>
using BatchWorkerBehind = BasicWorker<Claims::Batches, SharedBehind<kAlignment>>;
template <unsigned kAlignment>
using AheadWorkerBehind = BasicWorker<Claims::Ahead, SharedBehind<kAlignment>>;

} // namespace gpusched
