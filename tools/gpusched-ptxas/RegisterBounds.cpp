// RegisterBounds.cpp - sets limits to twins, judges what came of them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-ptxas/RegisterBounds.h"

#include "tools/gpusched-ptxas/OurFunctions.h"
#include "tools/gpusched-ptxas/TwinPairs.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

namespace gpusched::ptxas {
namespace {

using cc::PtxasFunction;

constexpr uint32_t kStep = 8;            // registers a thread: 256 a warp, sm_70 to sm_120
constexpr uint32_t kLeastBound = 24;     // ptxas takes no smaller one
constexpr size_t kMany = 64;             // twins of one PTX
constexpr size_t kFew = 2;               // of which all may keep to their kernels' steps
constexpr size_t kLargeText = 64 * 1024; // of PTX with few: ptxas needs a tenth of a second or more
constexpr uint32_t kAll = 255;           // of a thread: more is no limit
constexpr uint64_t kWordBytes = 4;
constexpr uint32_t kMostWarps = 64;  // on an SM of the largest kind
constexpr uint32_t kWarpSteps = 256; // 65536 registers in steps of 256
constexpr uint32_t kPartitions = 4;  // of an SM; a warp's registers are all in one of them
constexpr uint32_t kWarpThreads = 32;
/// What a worker holds while a body runs: two words on their way, a parity, three coordinates.
/// They are used once a logical block, so these are what is spilled first, and cheaply.
constexpr uint64_t kWorkerBytes = 6 * kWordBytes;
constexpr uint64_t kFewBytes = 4 * kWordBytes;
constexpr uint64_t kMostTimes = 2;       // that a place on the stack is stored to, and read from
constexpr size_t kLongText = 512 * 1024; // of PTX: ptxas needs half a second or more
constexpr size_t kLeastPart = 8;         // an eighth of it

uint32_t stepsOf(uint32_t registers) {
  return std::max((registers + kStep - 1) / kStep, 1u);
}

/// As many as registers allow; other limits are the same for both forms.
uint32_t residentWarps(uint32_t registers) {
  return std::min(kMostWarps, kWarpSteps / stepsOf(registers));
}

bool mayBeBound(const std::string& ptx, const Entry& entry, Linkage linkage) {
  const std::string_view own(ptx.data() + entry.parametersEnd, entry.end - entry.parametersEnd);
  if (own.find("maxnreg") != std::string_view::npos)
    return false;
  if (linkage == Linkage::Whole)
    return true;
  const std::set<std::string> callees = calleesOf(ptx, entry);
  return std::all_of(callees.begin(), callees.end(), [](const std::string& callee) {
    return isSystemCall(callee) || isOurs(callee);
  });
}

/// As many as ptxas takes under these launch bounds: those of the fullest partition's warps.
uint32_t mostRegisters(const std::string& ptx, const Entry& entry) {
  const std::string directives =
      ptx.substr(entry.parametersEnd, entry.bodyBegin - entry.parametersEnd);
  const uint32_t threads =
      productBehind(directives, ".maxntid") * productBehind(directives, ".reqntid");
  const uint32_t warps =
      (threads + kWarpThreads - 1) / kWarpThreads * productBehind(directives, ".minnctapersm");
  const uint32_t steps =
      kWarpSteps / kPartitions / std::max((warps + kPartitions - 1) / kPartitions, 1u);
  return steps == 0 ? kAll : std::min(kAll, steps * kStep);
}

std::map<std::string, PtxasFunction> bySymbol(const std::vector<PtxasFunction>& report) {
  std::map<std::string, PtxasFunction> functions;
  for (const PtxasFunction& function : report)
    functions[function.symbol] = function;
  return functions;
}

bool isNextFree(uint32_t bound) {
  return residentWarps(bound + kStep) == residentWarps(bound);
}

/// The native kernel's step. ptxas takes long where it has to spill, and all is compiled again for
/// one twin that does: so a step that costs no warps is given at once among many twins, and all
/// such steps to kernels above the least bound, where they begin at 152 registers.
uint32_t boundFor(uint32_t registers, bool isOneOfMany) {
  uint32_t bound = stepsOf(registers) * kStep;
  if (isOneOfMany && isNextFree(bound))
    bound += kStep;
  while (registers > kLeastBound && isNextFree(bound))
    bound += kStep;
  return std::max(kLeastBound, bound);
}

/// What may be in memory rather than cost warps: what a worker holds itself, or as much as half
/// of the kernel's registers hold. ptxas spills what inner loops use least.
uint64_t allowedBytes(const PtxasFunction& native, uint32_t bound) {
  return isNextFree(bound) ? 0
                           : std::max<uint64_t>(kWorkerBytes, native.registers / 2 * kWordBytes);
}

bool isWorth(const PtxasFunction& native, const PtxasFunction& twin, uint32_t bound) {
  const uint64_t allowed = allowedBytes(native, bound);
  return twin.stackBytes <= native.stackBytes + allowed &&
         twin.spillStoreBytes <= native.spillStoreBytes + kMostTimes * allowed &&
         twin.spillLoadBytes <= native.spillLoadBytes + kMostTimes * allowed;
}

/// Steps that hold what is on the stack for lack of registers, but for what may be; one at least.
uint32_t stepsFor(const PtxasFunction& native, const PtxasFunction& twin, uint32_t bound) {
  constexpr uint64_t kStepBytes = kStep * kWordBytes;
  const uint64_t allowed = native.stackBytes + allowedBytes(native, bound);
  const uint64_t excess = twin.stackBytes > allowed ? twin.stackBytes - allowed : 0;
  return std::max<uint32_t>((excess + kStepBytes - 1) / kStepBytes, 1);
}

} // namespace

Pairs boundablePairs(const std::string& ptx, const std::vector<Entry>& entries, Linkage linkage) {
  const std::map<std::string, std::string> natives = nativesOfTwins(ptx, entries);
  Pairs pairs;
  for (const Entry& entry : entries)
    if (const auto native = natives.find(entry.symbol);
        native != natives.end() && mayBeBound(ptx, entry, linkage))
      pairs[entry.symbol] = {native->second, mostRegisters(ptx, entry)};
  return pairs;
}

Bounds boundsFor(const Pairs& pairs, const std::vector<PtxasFunction>& report) {
  const std::map<std::string, PtxasFunction> functions = bySymbol(report);
  Bounds bounds;
  for (const auto& [twin, pair] : pairs)
    if (const auto found = functions.find(pair.native); found != functions.end())
      if (const uint32_t bound = boundFor(found->second.registers, pairs.size() >= kMany);
          bound < pair.mostRegisters)
        bounds[twin] = bound;
  return bounds;
}

bool areFewAndLarge(const Pairs& pairs, const std::string& ptx) {
  return pairs.size() <= kFew && ptx.size() >= kLargeText;
}

bool areKept(const Bounds& bounds, const std::vector<PtxasFunction>& report) {
  std::map<std::string, PtxasFunction> functions = bySymbol(report);
  return std::all_of(bounds.begin(), bounds.end(), [&](const auto& bound) {
    return functions[bound.first].registers <= bound.second;
  });
}

Bounds lowered(Bounds bounds, const Bounds& some) {
  for (const auto& [twin, bound] : some)
    bounds[twin] = bound - 1;
  return bounds;
}

Bounds withSome(Bounds bounds, const Bounds& some, const Bounds& others) {
  for (const auto& [twin, bound] : some)
    bounds[twin] = others.at(twin);
  return bounds;
}

Bounds spillingTwins(const Bounds& bounds, const Pairs& pairs,
                     const std::vector<PtxasFunction>& natives,
                     const std::vector<PtxasFunction>& report) {
  std::map<std::string, PtxasFunction> kernels = bySymbol(natives), twins = bySymbol(report);
  Bounds spilling = bounds;
  std::erase_if(spilling, [&](const auto& bound) {
    const PtxasFunction &native = kernels[pairs.at(bound.first).native], &twin = twins[bound.first];
    return bound.second == kLeastBound || twin.stackBytes <= native.stackBytes ||
           twin.stackBytes > native.stackBytes + kFewBytes;
  });
  return spilling;
}

bool isLong(const std::string& ptx) {
  return ptx.size() >= kLongText;
}

std::string withBounds(const std::string& ptx, const std::vector<Entry>& entries,
                       const Bounds& bounds) {
  std::string text;
  size_t copied = 0;
  for (const Entry& entry : entries) {
    const auto bound = bounds.find(entry.symbol);
    if (bound == bounds.end())
      continue;
    text += ptx.substr(copied, entry.parametersEnd - copied) + " .maxnreg " +
            std::to_string(bound->second);
    copied = entry.parametersEnd;
  }
  return text + ptx.substr(copied);
}

Bounds raisedBounds(const Bounds& bounds, const std::string& errors) {
  constexpr std::string_view kTarget = "register target of ";
  const size_t at = errors.find(kTarget);
  const unsigned long asked =
      at == std::string::npos ? 0 : std::strtoul(errors.c_str() + at + kTarget.size(), nullptr, 10);
  Bounds raised = bounds;
  for (auto& [twin, bound] : raised)
    bound = std::max(bound, stepsOf(static_cast<uint32_t>(asked)) * kStep);
  return raised;
}

Bounds reviewedBounds(const Bounds& bounds, const Pairs& pairs,
                      const std::vector<PtxasFunction>& report) {
  std::map<std::string, PtxasFunction> functions = bySymbol(report);
  Bounds next;
  for (const auto& [twin, bound] : bounds) {
    const Pair& pair = pairs.at(twin);
    const PtxasFunction &native = functions[pair.native], &made = functions[twin];
    const uint32_t wanted =
        isWorth(native, made, bound) ? bound : bound + stepsFor(native, made, bound) * kStep;
    if (wanted < pair.mostRegisters)
      next[twin] = wanted;
  }
  return next;
}

bool isWorthARun(const Bounds& bounds, const Bounds& next, const Pairs& pairs,
                 const std::vector<PtxasFunction>& report, const std::string& ptx,
                 const std::vector<Entry>& entries) {
  if (!isLong(ptx))
    return next != bounds;
  std::map<std::string, PtxasFunction> functions = bySymbol(report);
  size_t text = 0;
  for (const Entry& entry : entries) {
    const auto bound = bounds.find(entry.symbol), raised = next.find(entry.symbol);
    if (bound == bounds.end() || (raised != next.end() && raised->second == bound->second))
      continue;
    text += entry.end - entry.begin;
    const uint64_t nativeBytes = functions[pairs.at(entry.symbol).native].stackBytes;
    if (functions[entry.symbol].stackBytes > nativeBytes + bound->second * 3 / 4 * kWordBytes)
      return true;
  }
  return text * kLeastPart >= ptx.size();
}

} // namespace gpusched::ptxas
