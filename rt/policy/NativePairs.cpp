// NativePairs.cpp - who has met whom, and what follows for the launch at hand.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A native launch keeps the set of the one before it in its stream, so that a queue of them stays
// one entry of the running set.
#include "rt/policy/NativePairs.h"

#include <algorithm>

namespace gpusched {
namespace {

bool waitsFor(const Decision& decision, const RunningKernel& running) {
  return std::find(decision.after.begin(), decision.after.end(), running.lastSequence) !=
         decision.after.end();
}

/// Does it wait for the other's sake, and not because a third one is there? Nor for the form in
/// which the other happens to run: a policy that waits for a native kernel might have given budgets
/// to two twins.
bool isHeld(const PolicyState& state, const WaitingKernel& waiting, const RunningKernel& running) {
  const PolicyKernel &own = *waiting.kernel, &other = *running.kernel;
  return (running.blocksPerSm > 0 || !own.takesBudget() || !other.takesBudget()) &&
         std::all_of(state.running.begin(), state.running.end(), [&](const RunningKernel& each) {
           return each.stream == waiting.stream || each.kernel == &other;
         });
}

void noteWait(const PolicyState& state, const WaitingKernel& waiting, const RunningKernel& running,
              PairHistory& history) {
  const std::string &own = waiting.kernel->name, &other = running.kernel->name;
  const PairRecord* record = history.find(own, other);
  if (!(record && record->held) && isHeld(state, waiting, running))
    history.held(own, other);
  else if (record && isKnown(record->native) && !prefersNative(*record))
    history.keptApart(own, other);
}

bool isUrgent(const PolicyKernel& kernel) {
  return kernel.kernelClass == KernelClass::Memory || kernel.kernelClass == KernelClass::L1;
}

uint64_t setOf(const PolicyState& state, const WaitingKernel& waiting) {
  uint64_t set = waiting.sequence;
  for (const RunningKernel& running : state.running)
    if (running.stream == waiting.stream && running.kernel == waiting.kernel &&
        running.blocksPerSm == 0)
      set = running.set;
  return set;
}

/// "natively beside 'b'", or "natively" when nothing runs beside it.
std::string reasonOf(const PolicyState& state, const WaitingKernel& waiting) {
  for (const RunningKernel& running : state.running)
    if (running.stream != waiting.stream)
      return "natively beside '" + running.kernel->name + "'";
  return "natively, as is best beside whom it met";
}

void makeNative(const PolicyState& state, const WaitingKernel& waiting, Decision& decision) {
  decision.action = Action::Start;
  decision.set = setOf(state, waiting);
  decision.blocksPerSm = decision.blocksPerSmAlone = 0;
  decision.sms.clear();
  decision.after.clear();
  decision.urgent = isUrgent(*waiting.kernel);
  addReason(state, decision, reasonOf(state, waiting));
}

/// Of a kernel that has met none in this run: the other one of a pair that does not want it native,
/// else of any pair with it; "" where there is none.
std::string metBefore(const PolicyKernel& kernel, const PairHistory& history) {
  std::string other;
  for (const PairRecord& record : history.file().pairs) {
    if (record.first != kernel.name && record.second != kernel.name)
      continue;
    other = record.first == kernel.name ? record.second : record.first;
    if (!prefersNative(record))
      break;
  }
  return other;
}

bool isBestNatively(const PolicyKernel& kernel, PairHistory& history) {
  if (!history.latest(kernel))
    history.met(kernel, metBefore(kernel, history));
  const PairRecord* record = history.find(kernel.name, *history.latest(kernel));
  return record && prefersNative(*record);
}

bool mayJoin(const PolicyKernel& waiting, const RunningKernel& running,
             const PairHistory& history) {
  if (running.blocksPerSm != 0 || !running.kernel->profiled)
    return false;
  const PairRecord* record = history.find(waiting.name, running.kernel->name);
  return record && prefersNative(*record);
}

/// Of those that run in other streams one, by turns; null: there is none.
const RunningKernel* someoneBeside(const PolicyState& state, const WaitingKernel& waiting) {
  const auto isBeside = [&](const RunningKernel& running) {
    return running.stream != waiting.stream;
  };
  const auto count = std::count_if(state.running.begin(), state.running.end(), isBeside);
  if (count == 0)
    return nullptr;
  auto found = std::find_if(state.running.begin(), state.running.end(), isBeside);
  for (uint64_t turn = waiting.sequence % uint64_t(count); turn > 0; --turn)
    found = std::find_if(found + 1, state.running.end(), isBeside);
  return &*found;
}

/// Notes whom the kernel meets, and says whether it shall be launched natively.
bool meets(const PolicyState& state, const WaitingKernel& waiting, const Decision& decision,
           PairHistory& history) {
  const PolicyKernel& kernel = *waiting.kernel;
  const RunningKernel* other = someoneBeside(state, waiting);
  if (!other)
    return isBestNatively(kernel, history);
  if (other->kernel->profiled) {
    history.met(kernel, other->kernel->name);
    history.met(*other->kernel, kernel.name);
    if (waitsFor(decision, *other))
      noteWait(state, waiting, *other, history);
  }
  return std::all_of(state.running.begin(), state.running.end(), [&](const RunningKernel& running) {
    return running.stream == waiting.stream || mayJoin(kernel, running, history);
  });
}

} // namespace

bool prefersNative(const PairRecord& record) {
  if (!isKnown(record.budgeted) && !record.held)
    return false;
  // What measured worse than one after the other runs so.
  const double otherwise = isKnown(record.budgeted) ? std::max(1.0, record.budgeted.ratio) : 1.0;
  return isKnown(record.native) ? record.native.ratio >= otherwise + kMargin
                                : otherwise < kTryNatively;
}

void pairNatively(const PolicyState& state, PairHistory& history,
                  std::vector<Decision>& decisions) {
  bool changed = false;
  for (Decision& decision : decisions) {
    const WaitingKernel* waiting = waitingOf(state, decision);
    if (!waiting || !waiting->kernel->profiled || !meets(state, *waiting, decision, history))
      continue;
    makeNative(state, *waiting, decision);
    changed = true;
  }
  if (changed)
    dropBudgetChanges(decisions);
}

} // namespace gpusched
