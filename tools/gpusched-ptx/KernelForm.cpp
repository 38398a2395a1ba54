// KernelForm.cpp - one fact after the other, over the kernel and all that it may call.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-ptx/KernelForm.h"

#include "tools/gpusched-ptx/BlockWaits.h"
#include "tools/gpusched-ptx/Divergence.h"
#include "tools/gpusched-ptx/FlowGraph.h"
#include "tools/gpusched-ptx/Instructions.h"
#include "tools/gpusched-ptxas/PtxEntries.h"

#include "rt/include/gpusched/LaunchAbi.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace gpusched::twins {
namespace {

using cicc::Drain;
using ptx::Function;
using ptx::Instruction;

constexpr uint64_t kStaticBytes = 48 * 1024; ///< that ptxas takes
constexpr uint64_t kMostAlignment = 1024;    ///< of dynamic memory with a loop in Loops.cu
constexpr uint64_t kLaneBytes =
    uint64_t(GPUSCHED_LANE_UNITS - GPUSCHED_MBARRIER_UNITS) * GPUSCHED_SHARED_UNIT;
constexpr uint64_t kWorkerBytes = uint64_t(GPUSCHED_MBARRIER_UNITS) * GPUSCHED_SHARED_UNIT;

/// What stands in the way wherever it stands; null for nothing.
const char* obstacleIn(const Instruction& instruction) {
  if (instruction.opcode == "setmaxnreg")
    return "it divides registers among its warps";
  if (instruction.opcode == "tcgen05")
    return "it allocates tensor memory";
  if (instruction.opcode == "exit")
    return "it ends its thread";
  if (instruction.opcode == "mapa" || instruction.opcode == "getctarank" ||
      (instruction.opcode == "barrier" && hasModifier(instruction, "cluster")) ||
      readsSpecial(instruction, "cluster") || readsSpecial(instruction, "ncluster") ||
      readsSpecial(instruction, "is_explicit_cluster"))
    return "it is of a cluster";
  if (readsSpecial(instruction, "dynamic_smem_size") ||
      readsSpecial(instruction, "total_smem_size"))
    return "it asks for the size of its shared memory";
  return nullptr;
}

/// A call of a function that may wait.
bool callsUser(const Instruction& instruction) {
  return instruction.opcode == "call" &&
         std::none_of(instruction.operands.begin(), instruction.operands.end(),
                      [](const ptx::Operand& operand) {
                        return operand.kind == ptx::Operand::Kind::Symbol &&
                               ptxas::isSystemCall(operand.name);
                      });
}

struct Facts {
  LoopFacts loops;
  bool barriers = false, questions = false, primitives = false;
  bool mbarriers = false, copies = false, bulkCopies = false, matrices = false;
};

void addInstruction(const Instruction& instruction, Facts& facts) {
  facts.barriers |= isBlockBarrier(instruction);
  facts.questions |= isBlockBarrier(instruction) && hasModifier(instruction, "red");
  facts.primitives |= isWarpPrimitive(instruction);
  facts.mbarriers |= instruction.opcode == "mbarrier";
  facts.matrices |= instruction.opcode == "wgmma";
  if (instruction.opcode == "cp" && hasModifier(instruction, "async")) {
    facts.copies = true;
    facts.bulkCopies |= hasModifier(instruction, "bulk");
  }
}

class KernelReader {
public:
  KernelReader(const ptx::Module& module, const Function& kernel)
      : module_(module), kernel_(kernel) {}

  Result<KernelForm> run() {
    if (kernel_.clusterBlocks != decltype(kernel_.clusterBlocks){})
      return Status::error("it is of a cluster");
    for (size_t i = 0; i < kernel_.parameters.size(); ++i)
      if (kernel_.parameters[i].name != kernel_.name + "_param_" + std::to_string(i))
        return Status::error("its parameter '" + kernel_.parameters[i].name +
                             "' has a name that no compiler gives");
    if (Status read = addFunction(kernel_); !read.ok())
      return read;
    return form();
  }

private:
  /// With all that it may call.
  Status addFunction(const Function& function) {
    if (open_.count(&function))
      return addRecursion(function);
    const auto [known, isNew] = graphs_.try_emplace(&function, function);
    if (!isNew)
      return {};
    open_.insert(&function);
    for (const Instruction& instruction : function.body) {
      if (const char* obstacle = obstacleIn(instruction))
        return Status::error(std::string(obstacle) + " (" + instruction.text + ")");
      addInstruction(instruction, facts_);
      for (const ptx::Operand& operand : instruction.operands)
        addNames(operand);
      if (instruction.opcode != "call")
        continue;
      if (Status read = addCallees(instruction); !read.ok())
        return read;
    }
    const LoopFacts found = loopFacts(function, known->second);
    if (!found.waits.empty())
      return Status::error("a block may wait for another one in a loop (" + found.waits + ")");
    facts_.loops.any |= found.any;
    facts_.loops.onlyCount &= found.onlyCount;
    open_.erase(&function);
    return {};
  }

  /// A loop of calls, which memory may end.
  Status addRecursion(const Function& function) {
    facts_.loops.any = true;
    facts_.loops.onlyCount = false;
    for (const Instruction& instruction : function.body)
      if (polls(instruction) || isDeviceFence(instruction))
        return Status::error("a block may wait for another one where '" + function.name +
                             "' calls itself (" + instruction.text + ")");
    return {};
  }

  void addNames(const ptx::Operand& operand) {
    if (operand.kind == ptx::Operand::Kind::Symbol)
      names_.insert(operand.name);
    for (const ptx::Operand& element : operand.elements)
      addNames(element);
  }

  Status addCallees(const Instruction& call) {
    bool isNamed = false;
    for (const Function& function : module_.functions) {
      const bool isThis =
          std::any_of(call.operands.begin(), call.operands.end(), [&](const ptx::Operand& operand) {
            return operand.kind == ptx::Operand::Kind::Symbol && operand.name == function.name;
          });
      isNamed |= isThis;
      if (isThis && !function.body.empty())
        if (Status read = addFunction(function); !read.ok())
          return read;
    }
    return isNamed ? Status() : Status::error("it calls through a pointer (" + call.text + ")");
  }

  static bool mayWait(const Instruction& instruction) {
    return isBlockBarrier(instruction) || isWarpPrimitive(instruction) || callsUser(instruction);
  }

  template <class Kind>
  static bool holds(const Function& function, const FlowGraph& graph, uint32_t block,
                    const Kind& kind) {
    const BasicBlock& range = graph.blocks()[block];
    return std::any_of(function.body.begin() + range.begin, function.body.begin() + range.end,
                       kind);
  }

  /// Can a thread come from here to the end of the function without a wait?
  static bool endsQuietly(const Function& function, const FlowGraph& graph, uint32_t from) {
    BlockSet seen(graph.blocks().size());
    std::vector<uint32_t> open = {from};
    while (!open.empty()) {
      const uint32_t block = open.back();
      open.pop_back();
      if (block == graph.exit())
        return true;
      if (seen[block] || holds(function, graph, block, mayWait))
        continue;
      seen[block] = true;
      const std::vector<uint32_t>& next = graph.blocks()[block].next;
      open.insert(open.end(), next.begin(), next.end());
    }
    return false;
  }

  /// Does a wait of this kind stand where only some run it? `onlyIfGone`: and may the others be
  /// behind their last one then? A call may hold any.
  template <class Kind>
  static bool waitsApart(const Function& function, const FlowGraph& graph, Among among,
                         const Kind& isOfKind, bool onlyIfGone) {
    const Divergence divergence(function, graph, among);
    const auto waits = [&](const Instruction& instruction) {
      return isOfKind(instruction) || callsUser(instruction);
    };
    for (const uint32_t branch : divergence.branches()) {
      if (onlyIfGone && !endsQuietly(function, graph, graph.meeting(branch)))
        continue;
      const BlockSet between = graph.between(branch);
      for (uint32_t block = 0; block < graph.exit(); ++block)
        if (between[block] && holds(function, graph, block, waits))
          return true;
    }
    return false;
  }

  /// In the kernel or a callee: whoever leaves that early may be gone soon.
  template <class Kind>
  bool anyWaitsApart(Among among, const Kind& isOfKind, bool onlyIfGone) const {
    return std::any_of(graphs_.begin(), graphs_.end(), [&](const auto& known) {
      return waitsApart(*known.first, known.second, among, isOfKind, onlyIfGone);
    });
  }

  /// May lanes be gone at a primitive of their warp? Those that wait behind it are not.
  bool leavesBeforePrimitives(Among among) const {
    return facts_.primitives && anyWaitsApart(among, isWarpPrimitive, true);
  }

  /// May some have left at a barrier of the block? Or have more of them ahead than others?
  bool leavesBeforeBarriers() const {
    return facts_.barriers && anyWaitsApart(Among::Threads, isBlockBarrier, false);
  }

  /// What to drain, and whether that rests on rows of whole warps.
  std::pair<Drain, bool> drain() const {
    if (leavesBeforePrimitives(Among::Lanes))
      return {Drain::AnyLanes, false};
    return {leavesBeforeBarriers() ? Drain::Barriers : Drain::Nothing,
            leavesBeforePrimitives(Among::Threads)};
  }

  /// Of the module's, what the kernel or a callee names, and what they declare themselves.
  uint64_t staticBytes() const {
    uint64_t bytes = 0;
    for (const ptx::Variable& variable : module_.variables)
      if (variable.space == ptx::Space::Shared && names_.count(variable.name))
        bytes += variable.bytes;
    for (const auto& [function, graph] : graphs_)
      for (const ptx::Variable& variable : function->variables)
        bytes += variable.space == ptx::Space::Shared ? variable.bytes : 0;
    return bytes;
  }

  /// 0: it has no dynamic shared memory.
  uint64_t dynamicAlignment() const {
    uint64_t alignment = 0;
    for (const ptx::Variable& variable : module_.variables)
      if (variable.space == ptx::Space::Shared && variable.isExtern && names_.count(variable.name))
        alignment = std::max(alignment, variable.align);
    return alignment;
  }

  Result<KernelForm> form() const {
    KernelForm form;
    const auto [drain, wholeRows] = this->drain();
    form.drain = drain;
    const bool notes = facts_.mbarriers || facts_.bulkCopies;
    const bool tiles = notes || facts_.matrices;
    const uint64_t alignment = dynamicAlignment();
    const uint64_t ours = kWorkerBytes + (form.drain >= Drain::Lanes ? kLaneBytes : 0);
    uint64_t behind = 0;
    if ((alignment != 0 && tiles) || staticBytes() + ours > kStaticBytes)
      behind = alignment <= 16 ? 16 : kMostAlignment;
    if (alignment > kMostAlignment)
      return Status::error("its dynamic shared memory is aligned to " + std::to_string(alignment) +
                           " bytes");
    const bool batches = facts_.loops.onlyCount;
    const bool ahead = batches && !facts_.loops.any && !facts_.copies && !notes;
    form.loop = std::string("gpusched_loop_") +
                (ahead     ? "a"
                 : batches ? "b"
                           : "w") +
                "_" + std::to_string(behind) + "_" +
                (facts_.bulkCopies ? "bm"
                 : notes           ? "am"
                 : facts_.copies   ? "a"
                                   : "n") +
                "_" +
                (!facts_.questions || form.drain == Drain::Nothing ? "p"
                 : form.drain == Drain::Barriers                   ? "c"
                                                                   : "cl");
    form.flags = GPUSCHED_KERNEL_LOOK_BACK_SAFE;
    if (form.drain != Drain::Nothing)
      form.flags |= GPUSCHED_KERNEL_DRAIN_BARRIER;
    if (batches)
      form.flags |= GPUSCHED_KERNEL_BATCHES;
    if (wholeRows)
      form.flags |= GPUSCHED_KERNEL_WHOLE_WARP_ROWS;
    if (!facts_.loops.any)
      form.flags |= GPUSCHED_KERNEL_NO_LOOPS;
    if (behind != 0)
      form.flags |= (form.drain >= Drain::Lanes ? GPUSCHED_LANE_UNITS
                     : notes                    ? GPUSCHED_MBARRIER_UNITS
                                                : GPUSCHED_WORKER_UNITS)
                    << GPUSCHED_KERNEL_SHARED_SHIFT;
    return form;
  }

  const ptx::Module& module_;
  const Function& kernel_;
  std::map<const Function*, FlowGraph> graphs_; ///< of the kernel and all that it may call
  std::set<const Function*> open_;              ///< those that call the one that is read
  std::set<std::string> names_;                 ///< of variables and functions, in those
  Facts facts_;
};

} // namespace

std::string describe(const KernelForm& form) {
  std::string text =
      form.flags & GPUSCHED_KERNEL_BATCHES
          ? form.flags & GPUSCHED_KERNEL_NO_LOOPS ? "claims batches, early" : "claims batches"
          : "claims single blocks";
  if (form.drain == Drain::Barriers)
    text += ", knows at barriers who has left";
  if (form.drain >= Drain::Lanes)
    text += ", knows at all waits who has left";
  if (form.flags & GPUSCHED_KERNEL_WHOLE_WARP_ROWS)
    text += ", wants rows of whole warps";
  if (form.flags >> GPUSCHED_KERNEL_SHARED_SHIFT)
    text += ", has its words behind dynamic shared memory";
  return text;
}

Result<KernelForm> formOf(const ptx::Module& module, const ptx::Function& kernel) {
  return KernelReader(module, kernel).run();
}

} // namespace gpusched::twins
