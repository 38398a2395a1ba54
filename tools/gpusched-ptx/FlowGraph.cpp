// FlowGraph.cpp - blocks, dominators on both ends, natural loops.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dominators by Cooper, Harvey and Kennedy: intersections along an order in which predecessors come
// first, until nothing changes. Linear for the graphs that compilers make.
#include "tools/gpusched-ptx/FlowGraph.h"

#include <algorithm>
#include <functional>

namespace gpusched::twins {
namespace {

using Edges = std::function<const std::vector<uint32_t>&(uint32_t)>;

/// Blocks that can be reached from `root`, each behind those that it leads to.
std::vector<uint32_t> postOrder(size_t blocks, uint32_t root, const Edges& next) {
  struct Visit {
    uint32_t block;
    size_t edge;
  };
  std::vector<uint32_t> order;
  std::vector<bool> seen(blocks);
  std::vector<Visit> open = {{root, 0}};
  seen[root] = true;
  while (!open.empty()) {
    Visit& visit = open.back();
    const std::vector<uint32_t>& edges = next(visit.block);
    if (visit.edge == edges.size()) {
      order.push_back(visit.block);
      open.pop_back();
    } else if (const uint32_t to = edges[visit.edge++]; !seen[to]) {
      seen[to] = true;
      open.push_back({to, 0});
    }
  }
  return order;
}

/// `none` for what cannot be reached; the root's is the root.
std::vector<uint32_t> immediateDominators(size_t blocks, uint32_t root, uint32_t none,
                                          const Edges& next, const Edges& before) {
  const std::vector<uint32_t> order = postOrder(blocks, root, next);
  std::vector<uint32_t> place(blocks, none), found(blocks, none);
  for (uint32_t i = 0; i < order.size(); ++i)
    place[order[i]] = i;
  found[root] = root;
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = order.size() - 1; i-- > 0;) {
      const uint32_t block = order[i];
      uint32_t common = none;
      for (uint32_t from : before(block)) {
        if (found[from] == none)
          continue;
        for (common = common == none ? from : common; common != from;)
          if (place[common] < place[from])
            common = found[common];
          else
            from = found[from];
      }
      changed |= common != found[block];
      found[block] = common;
    }
  }
  return found;
}

} // namespace

bool endsBlock(const ptx::Instruction& instruction) {
  return instruction.opcode == "bra" || instruction.opcode == "brx" ||
         instruction.opcode == "ret" || instruction.opcode == "exit" ||
         instruction.opcode == "trap";
}

FlowGraph::FlowGraph(const ptx::Function& function) {
  split(function);
  connect(function);
  const Edges next = [&](uint32_t block) -> const auto& { return blocks_[block].next; };
  const Edges before = [&](uint32_t block) -> const auto& { return blocks_[block].before; };
  dominator_ = immediateDominators(blocks_.size(), 0, kNone, next, before);
  postDominator_ = immediateDominators(blocks_.size(), exit(), kNone, before, next);
  findLoops();
}

void FlowGraph::split(const ptx::Function& function) {
  const std::vector<ptx::Instruction>& body = function.body;
  std::vector<bool> begins(body.size() + 1);
  const auto mark = [&](uint32_t instruction) { begins[instruction] = true; };
  begins[0] = true;
  for (uint32_t i = 0; i < body.size(); ++i) {
    if (endsBlock(body[i]))
      begins[i + 1] = true;
    for (const ptx::Operand& operand : body[i].operands)
      if (operand.kind == ptx::Operand::Kind::Label)
        mark(operand.target);
  }
  for (const ptx::BranchTable& table : function.branchTables)
    std::for_each(table.targets.begin(), table.targets.end(), mark);
  blockOf_.resize(body.size());
  for (uint32_t i = 0; i < body.size(); ++i) {
    if (begins[i])
      blocks_.push_back({i, i, {}, {}});
    blocks_.back().end = i + 1;
    blockOf_[i] = static_cast<uint32_t>(blocks_.size() - 1);
  }
  blocks_.emplace_back(); // the exit
}

void FlowGraph::connect(const ptx::Function& function) {
  const auto edge = [&](uint32_t from, uint32_t to) {
    blocks_[from].next.push_back(to);
    blocks_[to].before.push_back(from);
  };
  for (uint32_t block = 0; block < exit(); ++block) {
    const ptx::Instruction& last = function.body[blocks_[block].end - 1];
    const bool goesOn = !endsBlock(last) || last.predicate >= 0;
    if (last.opcode == "ret" || last.opcode == "exit")
      edge(block, exit());
    for (const ptx::Operand& operand : last.operands) {
      if (endsBlock(last) && operand.kind == ptx::Operand::Kind::Label)
        edge(block, blockOf_[operand.target]);
      if (last.opcode == "brx" && operand.kind == ptx::Operand::Kind::Table)
        for (uint32_t target : function.branchTables[operand.target].targets)
          edge(block, blockOf_[target]);
    }
    if (goesOn)
      edge(block, block + 1);
  }
}

bool FlowGraph::isDominated(uint32_t block, uint32_t by) const {
  if (!isReached(block))
    return true;
  while (block != by && block != 0)
    block = dominator_[block];
  return block == by;
}

uint32_t FlowGraph::meeting(uint32_t block) const {
  return postDominator_[block] == kNone ? exit() : postDominator_[block];
}

BlockSet FlowGraph::between(uint32_t block) const {
  BlockSet found(blocks_.size());
  std::vector<uint32_t> open = blocks_[block].next;
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    if (found[at] || at == postDominator_[block] || at == exit())
      continue;
    found[at] = true;
    open.insert(open.end(), blocks_[at].next.begin(), blocks_[at].next.end());
  }
  return found;
}

void FlowGraph::findLoops() {
  const std::vector<uint32_t> order = postOrder(
      blocks_.size(), 0, [&](uint32_t block) -> const auto& { return blocks_[block].next; });
  std::vector<uint32_t> place(blocks_.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    place[order[i]] = i;
  for (const uint32_t header : order) {
    Loop loop{header, BlockSet(blocks_.size())};
    std::vector<uint32_t> open;
    for (const uint32_t from : blocks_[header].before) {
      if (!isReached(from) || place[from] > place[header])
        continue; // forward
      if (isDominated(from, header))
        open.push_back(from);
      else
        hasOtherCycles_ = true;
    }
    if (open.empty())
      continue;
    loop.blocks[header] = true;
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      if (loop.blocks[at] || !isReached(at))
        continue;
      loop.blocks[at] = true;
      open.insert(open.end(), blocks_[at].before.begin(), blocks_[at].before.end());
    }
    loops_.push_back(std::move(loop));
  }
}

} // namespace gpusched::twins
