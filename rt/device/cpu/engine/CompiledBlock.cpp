// CompiledBlock.cpp - counting, recording and entering blocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/CompiledBlock.h"

#include "rt/device/cpu/engine/AccessAddress.h"
#include "rt/device/cpu/engine/LaneValue.h"
#include "rt/device/cpu/engine/Program.h"
#include "rt/device/cpu/engine/Warp.h"
#include "rt/support/Environment.h"
#include "rt/support/Log.h"

#include <dlfcn.h>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>

namespace gpusched::cpu {
namespace {

std::atomic<uint64_t> compiled{0};

/// A compile takes some milliseconds, and a tenth of one for each op; an interpreted op six to ten
/// nanoseconds, of which compiling often saves no more than half.
constexpr uint64_t kOpsOfCompile = 800'000, kOpsOfCompiledOp = 30'000;
/// Opening the compiler takes ten milliseconds, once.
constexpr uint64_t kOpsOfOpening = 4'000'000;

struct Compiler {
  std::string path;
  std::string problem; ///< why there is none
};

/// Beside the object that holds the engine, or where the build puts libraries.
Compiler findCompiler() {
  if (std::string_view(hostIsa().name) == "baseline")
    return {"", "the processor lacks AVX2 (x86-64-v3)"};
  Dl_info self{};
  if (!dladdr(reinterpret_cast<void*>(&findCompiler), &self) || !self.dli_fname)
    return {"", "the folder of the engine is unknown"};
  const std::string path = self.dli_fname;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (const std::string& candidate : {folder + kJitLibrary, folder + "../lib/" + kJitLibrary})
    if (access(candidate.c_str(), R_OK) == 0)
      return {candidate, ""};
  return {"", "there is no " + folder + kJitLibrary};
}

/// Opened when the first block is hot: it is large. Null after a warning if that fails.
CompileBlock compiler() {
  static const CompileBlock opened = [] {
    void* const library = dlopen(findCompiler().path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const compile = library ? dlsym(library, kCompileBlockName) : nullptr;
    if (!compile)
      log(LogLevel::Warning, "no blocks are compiled, all are interpreted: %s", dlerror());
    return reinterpret_cast<CompileBlock>(compile);
  }();
  return opened;
}

/// GPUSCHED_JIT; nothing if it is unset.
std::optional<uint32_t> askedRuns() {
  static const std::optional<uint32_t> asked = [] {
    const bool isSet = !environment("GPUSCHED_JIT").empty();
    return isSet ? std::optional<uint32_t>(environmentNumber("GPUSCHED_JIT", UINT32_MAX))
                 : std::nullopt;
  }();
  return asked;
}

bool follows(const uint64_t* address, unsigned group, uint64_t step) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (address[lane] != address[lane / group * group] + lane % group * step)
      return false;
  return true;
}

/// The largest groups that fit.
AddressShape shapeOf(const uint8_t* frame, const MicroOp& op, const AccessForm& form) {
  uint64_t address[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    address[lane] = form.address == AddressKind::Shared32
                        ? laneValue<uint32_t>(frame, op.slot[kAddressSlot], lane)
                        : laneValue<uint64_t>(frame, op.slot[kAddressSlot], lane);
  for (uint8_t group : {32, 16, 8})
    for (bool rises : {false, true})
      if (follows(address, group, rises ? form.memoryBytes * form.elements : 0))
        return {group, rises};
  return {};
}

void prepare(CompiledBlock& block) {
  BlockSource& source = block.source;
  source.ops = block.function->module->code.data() + block.firstOp;
  source.count = block.count;
  source.lives = &block.function->slotLives;
  source.constants = &block.function->constantSlots;
  source.shapes.assign(block.count, {});
  source.meanings.clear();
  for (uint32_t i = 0; i < block.count; ++i)
    source.meanings.push_back(meaningOf(source.ops[i].run));
}

/// Nothing happens if another worker compiles: the block is still hot when it comes again.
void compile(CompiledBlock& block) {
  static std::mutex one;
  const std::unique_lock lock(one, std::try_to_lock);
  if (!lock) {
    block.runs = block.hotAfter / 2;
    block.recorded = false;
    return;
  }
  const BlockFunction code = compiler() ? compiler()(block.source) : nullptr;
  if (code)
    compiled.fetch_add(1, std::memory_order_relaxed);
  block.code.store(code, std::memory_order_release);
}

/// Of a block that is hot: have such blocks run enough to open the compiler? If not it counts as
/// half as hot.
bool worthOpening(CompiledBlock& block) {
  static std::atomic<uint64_t> ops{0};
  if (askedRuns() || ops.load(std::memory_order_relaxed) >= kOpsOfOpening)
    return true;
  const uint32_t half = block.hotAfter / 2;
  ops.fetch_add(uint64_t(block.count) * half, std::memory_order_relaxed);
  block.runs.store(half, std::memory_order_relaxed);
  return false;
}

/// Interprets the block while noting shapes, then compiles it. An access may be a bad one, which
/// leaves this function at once: what it needs is the block's.
const MicroOp* record(CompiledBlock& block, uint8_t* frame, const MicroOp* first, Warp& warp) {
  prepare(block);
  for (uint32_t i = 0; i < block.count; ++i) {
    const MicroOp* const op = first + i;
    Mask guard;
    std::memcpy(&guard, frame + op->guard, sizeof guard);
    const Mask mask = warp.active & (guard ^ op->guardFlip);
    if (const OpMeaning& meaning = block.source.meanings[i]; meaning.isAccess())
      block.source.shapes[i] = shapeOf(frame, *op, meaning.access);
    const MicroOp* const next = mask ? op->run(frame, op, mask, warp) : op + 1;
    if (next != op + 1) {
      block.runs = 0;
      block.recorded = false;
      return next;
    }
  }
  compile(block);
  return first + block.count;
}

} // namespace

bool compilesBlocks() {
  static const bool can = [] {
    if (askedRuns() == 0)
      return false;
    const Compiler found = findCompiler();
    if (found.path.empty() && askedRuns())
      log(LogLevel::Warning, "GPUSCHED_JIT: no blocks are compiled, all are interpreted: %s",
          found.problem.c_str());
    return !found.path.empty();
  }();
  return can;
}

uint32_t hotAfter(uint32_t ops) {
  return askedRuns().value_or(
      static_cast<uint32_t>((kOpsOfCompile + kOpsOfCompiledOp * ops) / ops));
}

uint64_t compiledBlocks() {
  return compiled.load(std::memory_order_relaxed);
}

namespace handlers {

const MicroOp* enterBlock(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  CompiledBlock& block = *reinterpret_cast<CompiledBlock*>(op->immediate);
  if (mask != kAllLanes || (block.writesGlobal && warp.inTwin(op)))
    return op + 1;
  if (const BlockFunction code = block.code.load(std::memory_order_acquire))
    return code(frame, op + 1, &warp, warp.shared, warp.sharedBytes, &warp.memoryOp,
                warp.parameters);
  if (block.recorded.load(std::memory_order_relaxed))
    return op + 1;
  // Counts of two workers may be lost; an atomic sum would cost more than some ops.
  const uint32_t runs = block.runs.load(std::memory_order_relaxed) + 1;
  block.runs.store(runs, std::memory_order_relaxed);
  if (runs < block.hotAfter || !worthOpening(block) || block.recorded.exchange(true))
    return op + 1;
  return record(block, frame, op + 1, warp);
}

} // namespace handlers
} // namespace gpusched::cpu
