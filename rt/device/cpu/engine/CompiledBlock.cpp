// CompiledBlock.cpp - counting, recording and entering blocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/engine/CompiledBlock.h"

#include "rt/device/cpu/engine/LaneValue.h"
#include "rt/device/cpu/engine/Program.h"
#include "rt/device/cpu/engine/Warp.h"
#include "rt/support/Log.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <string_view>

namespace gpusched::cpu {
namespace {

constexpr unsigned kAddressSlot = 7;

std::atomic<uint64_t> compiled{0};

struct Compiler {
  CompileBlock compile = nullptr;
  std::string problem; ///< why there is none
};

/// Beside the object that holds the engine, or where the build puts libraries.
Compiler openCompiler() {
  if (std::string_view(hostIsa().name) == "baseline")
    return {nullptr, "the processor lacks AVX2 (x86-64-v3)"};
  Dl_info self{};
  if (!dladdr(reinterpret_cast<void*>(&openCompiler), &self) || !self.dli_fname)
    return {nullptr, "the folder of the engine is unknown"};
  const std::string path = self.dli_fname;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  Compiler opened;
  for (const std::string& candidate : {folder + kJitLibrary, folder + "../lib/" + kJitLibrary}) {
    void* const library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library)
      opened.compile = reinterpret_cast<CompileBlock>(dlsym(library, kCompileBlockName));
    if (opened.compile)
      return opened;
    if (opened.problem.empty())
      opened.problem = dlerror();
  }
  return opened;
}

const Compiler& compiler() {
  static const Compiler opened = openCompiler();
  return opened;
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

bool isAccess(const OpMeaning& meaning) {
  return meaning.kind == OpMeaning::Kind::Load || meaning.kind == OpMeaning::Kind::Store;
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

/// Interprets the block while noting shapes, then compiles it. An access may be a bad one, which
/// leaves this function at once: what it needs is the block's.
const MicroOp* record(CompiledBlock& block, uint8_t* frame, const MicroOp* first, Warp& warp) {
  prepare(block);
  for (uint32_t i = 0; i < block.count; ++i) {
    const MicroOp* const op = first + i;
    Mask guard;
    std::memcpy(&guard, frame + op->guard, sizeof guard);
    const Mask mask = warp.active & (guard ^ op->guardFlip);
    if (const OpMeaning& meaning = block.source.meanings[i]; isAccess(meaning))
      block.source.shapes[i] = shapeOf(frame, *op, meaning.access);
    const MicroOp* const next = mask ? op->run(frame, op, mask, warp) : op + 1;
    if (next != op + 1) {
      block.runs = 0;
      block.recorded = false;
      return next;
    }
  }
  if (const BlockFunction code = compiler().compile(block.source)) {
    block.code.store(code, std::memory_order_release);
    compiled.fetch_add(1, std::memory_order_relaxed);
  }
  return first + block.count;
}

} // namespace

uint32_t compileAfter() {
  static const uint32_t after = [] {
    const char* asked = std::getenv("GPUSCHED_JIT");
    const uint32_t runs = asked ? static_cast<uint32_t>(std::strtoul(asked, nullptr, 10)) : 0;
    if (runs && !compiler().compile)
      log(LogLevel::Warning, "GPUSCHED_JIT: no blocks are compiled, all are interpreted: %s",
          compiler().problem.c_str());
    return runs && compiler().compile ? runs : 0;
  }();
  return after;
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
  if (block.runs.fetch_add(1, std::memory_order_relaxed) + 1 < compileAfter() ||
      block.recorded.load(std::memory_order_relaxed) || block.recorded.exchange(true))
    return op + 1;
  return record(block, frame, op + 1, warp);
}

} // namespace handlers
} // namespace gpusched::cpu
