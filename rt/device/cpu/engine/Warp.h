// Warp.h - 32 lanes: their registers, where they are, and who runs next.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: lanes of a warp may be at different instructions, and each must make progress.
// Model: a group is a set of lanes with one PC and one frame. One group is current; the
// others are parked. Rules:
//   - the deepest call first, then the lowest PC: groups meet again after an if or a loop;
//   - the current group stops where a parked group of its frame waits, and they merge;
//   - a group waits at a barrier, or until all lanes a warp operation names are in it, or wait at
//     other instructions that do the same (WarpJoin.cpp);
//   - at most every second quantum goes to groups that were parked throughout the last one, in
//     turn, so a lane that spins on another lane of its warp does not starve it;
//   - the warp's turn ends before the first write to global memory of its opening (Opening.h).
// Cost: a converged warp touches none of this; the loop tests one pointer and one predicate.
// Threads: a warp belongs to the worker that owns its SM.
#pragma once

#include "rt/device/cpu/engine/Fault.h"
#include "rt/device/cpu/engine/Frame.h"
#include "rt/device/cpu/engine/MicroOp.h"
#include "rt/device/cpu/memory/ReservedMemory.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gpusched::cpu {

class Block;
class Checker;
class Kernel;

enum class WarpState : uint8_t { Runnable, Blocked, Finished, Faulted };

enum class GroupWait : uint8_t { None, Barrier, Lanes, WarpBarrier };

struct Group {
  const MicroOp* pc = nullptr;
  Frame* frame = nullptr;
  Mask mask = 0;
  GroupWait wait = GroupWait::None;
  uint8_t barrier = 0;
  Mask needed = 0;    // Lanes, WarpBarrier: who must come
  uint64_t since = 0; // the warp's quantum when it came to stand there
};

class Warp {
public:
  /// Places the warp at its kernel's first instruction.
  void start(Block& block, uint32_t index, Mask lanes);
  /// Runs until `quantum` is used up, or nothing can run.
  WarpState run(int64_t quantum, bool count, bool watch = false);

  // What handlers read and write.
  Block* block = nullptr;
  Checker* checker = nullptr;        // null: no checks
  uint8_t* registers = nullptr;      // of the current frame
  const MicroOp* limit = stopHere(); // the current group stops here
  Mask active = 0;                   // lanes of the current group
  Mask live = 0;                     // lanes that have not exited
  int64_t budget = 0;
  uint8_t* shared = nullptr; // the block's shared memory
  uint64_t sharedBytes = 0;
  const uint8_t* parameters = nullptr; // of the launch
  const MicroOp* memoryOp = nullptr;   // last access to memory, for fault messages
  bool counting = false;
  bool sleeping = false;       // all groups wait for another warp
  bool changedMemory = false;  // in a run that was watched
  uint32_t index = 0;          // %warpid
  Mask clusterArrived[2] = {}; // lanes at the cluster's barrier, by parity of its generation
  Frame* frame = nullptr;

  // What control handlers call. Each returns what the handler must return.
  const MicroOp* jump(const MicroOp* from, const MicroOp* target);
  const MicroOp* diverge(const MicroOp* from, const MicroOp* target, Mask taken);
  const MicroOp* call(const MicroOp* op, Mask mask, const DecodedFunction& callee);
  const MicroOp* ret(const MicroOp* op, Mask mask);
  const MicroOp* exit(const MicroOp* op, Mask mask);
  void copyArguments(const MicroOp* op, Mask mask, const Frame& callee);
  const MicroOp* waitForLanes(const MicroOp* op, Mask mask, Mask needed);
  /// Runs `op` in `first` of `mask` now; the others come to it again.
  const MicroOp* runFirst(const MicroOp* op, Mask mask, Mask first);
  const MicroOp* waitAtWarpBarrier(const MicroOp* op, Mask mask, Mask needed);
  const MicroOp* waitAtBarrier(const MicroOp* op, Mask mask, unsigned barrier);
  const MicroOp* stopQuantum(const MicroOp* next);
  /// Goes to `target`, after groups that were split off and are behind it.
  const MicroOp* reschedule(const MicroOp* from, const MicroOp* target);
  const MicroOp* fault(const MicroOp* op, const std::string& what, Fault kind = Fault::Other);
  // The opening (Opening.cpp).
  const MicroOp* stopBeforeWrite(const MicroOp* op, Mask mask);
  /// Begins an opening; returns where a group at `pc` goes on.
  const MicroOp* reopen(const MicroOp* pc);
  bool inTwin(const MicroOp* pc) const { return pc >= twin_; }
  /// The instruction itself, if `pc` is in the twin.
  const MicroOp* steady(const MicroOp* pc) const { return inTwin(pc) ? pc - twinDistance_ : pc; }
  /// The same instruction as `target`, in the copy that `like` is in.
  const MicroOp* sameCopy(const MicroOp* like, const MicroOp* target) const {
    return inTwin(like) ? target + twinDistance_ : target;
  }
  /// Leaves only `mask` in the current group; the others continue after `op`.
  void splitOff(const MicroOp* op, Mask mask);

  /// Lets the groups that wait at `barrier` continue; calls visit(group) for each first.
  template <class Visit> void releaseBarrier(unsigned barrier, Visit visit) {
    for (Group& group : parked_) {
      if (group.wait != GroupWait::Barrier || group.barrier != barrier)
        continue;
      visit(group);
      group.wait = GroupWait::None;
      group.pc = reopen(group.pc);
      sleeping = false;
    }
  }
  /// Host address of byte 0 of the current frame's local area in `lane`.
  uint8_t* localBase(unsigned lane, const Frame& of) const {
    return stack_.get() + lane * stackBytes_ + of.localOffset;
  }
  /// Visits the current group and the parked ones.
  template <class Visit> void eachGroup(Visit visit) const {
    if (active)
      visit(Group{pc_, frame, active});
    for (const Group& group : parked_)
      visit(group);
  }
  /// Equal for equal registers and places of all lanes (Observe.cpp).
  uint64_t stateHash() const;
  bool opening() const { return opening_; }
  /// The barrier instruction that a sleeping warp waits at.
  const MicroOp* barrierOp() const;
  uint64_t stackBytes() const { return stackBytes_; }
  bool ownsLocal(uint64_t address) const {
    uint64_t base = reinterpret_cast<uint64_t>(stack_.get());
    return address >= base && address - base < stackBytes_ * kLanes;
  }

  uint64_t classCounts[kOpClasses] = {};
  uint64_t laneInstructions = 0, flops = 0, divergentBranches = 0;

private:
  template <bool kCount> void interpret();
  void interpretObserved();
  const MicroOp* observe(const MicroOp* op, Mask mask);
  bool pick();
  bool resumeOnly();
  void beFair();
  void parkOthers(Group group);
  void park(GroupWait wait, const MicroOp* pc, Mask needed = 0, uint8_t barrier = 0);
  void mergeParked();
  void releaseWarpBarriers();
  void joinAcrossInstructions();
  bool joinLanes(const MicroOp& like, uint32_t members);
  void leaveOperation(size_t index, Mask lanes);
  bool runnable(const Group& group) const;
  bool endOpening();
  int choose() const;
  WarpState stuck();
  void setLimit(const MicroOp* pc);
  void enter(Frame& frame);
  Frame* frameFor(const MicroOp* op, const DecodedFunction& callee);
  Frame* freeFrame(const DecodedFunction& function);
  void reserveStack(uint64_t bytesPerLane);
  void prepare(Frame& frame);
  void copyResults(const Frame& callee, Mask mask);

  const MicroOp* pc_ = nullptr;
  std::vector<Group> parked_;
  std::vector<std::unique_ptr<Frame>> frames_;
  ReservedBytes stack_;
  uint64_t stackBytes_ = 0, stackCapacity_ = 0;
  bool fair_ = false; // this quantum belongs to the group of fairLane_
  unsigned fairLane_ = 0;
  bool quantumOver_ = false;
  bool faulted_ = false;
  bool opening_ = false;
  const MicroOp* twin_ = stopHere(); // the module's second copy; none for a lone warp
  std::ptrdiff_t twinDistance_ = 0;
  size_t turn_ = 0;
  uint64_t quanta_ = 0;
};

} // namespace gpusched::cpu
