// ModifierRules.cpp - the modifiers that change nothing here.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/ModifierRules.h"

#include "rt/device/cpu/ptx/TypeNames.h"

#include <algorithm>
#include <iterator>

namespace gpusched::cpu {
namespace {

/// Their modifiers say how fast, how soon or for whom, or are read as a whole.
constexpr std::string_view kFreeOpcodes[] = {
    "applypriority", "bar",      "barrier",   "bra",   "brkpt",          "brx",    "call",
    "createpolicy",  "discard",  "exit",      "fence", "griddepcontrol", "membar", "nanosleep",
    "pmevent",       "prefetch", "prefetchu", "ret",   "setmaxnreg",     "suld",   "suq",
    "sured",         "sust",     "tex",       "tld4",  "trap",           "txq"};

constexpr std::string_view kFreeModifiers[] = {
    // what is meant anyway
    "sync", "aligned", "rn", "lo", "r", "l", "wrap", "full", "abs", "idx", "ballot", "any", "max",
    "noftz", "to", "c", "d", "store", "row", "col", "x1", "trans", "shiftamt",
    // memory order, scope and cache: see DecodeMemory.cpp and DecodeAtomic.cpp
    "weak", "relaxed", "acquire", "release", "acq_rel", "sc", "cta", "cluster", "gpu", "sys",
    "volatile", "nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "unified",
    // asynchronous copies: see DecodeAsync.cpp
    "read", "wait_all", "commit_group", "wait_group", "arrive", "noComplete"};

template <size_t kCount> bool among(const std::string_view (&list)[kCount], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

} // namespace

bool maybeIgnored(std::string_view opcode, std::string_view modifier) {
  return among(kFreeOpcodes, opcode) || among(kFreeModifiers, modifier) ||
         modifier.starts_with("L1::") || modifier.starts_with("L2::") ||
         ptx::typeFromName(modifier) != ptx::Type::None ||
         ptx::spaceFromName(modifier.substr(0, modifier.find("::"))) != ptx::Space::None;
}

} // namespace gpusched::cpu
