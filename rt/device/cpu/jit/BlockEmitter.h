// BlockEmitter.h - one block of micro-ops as LLVM IR.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A register is a vector of 32 elements. It is loaded from the frame when the block first reads it,
// kept as a value, and stored where the interpreter could see it: at the end, before a handler
// that is called, and on the way out before a micro-op that the compiled code cannot do. Only
// registers that are still live there are stored.
// An operation with no emitter is a call of its handler.
#pragma once

#include "rt/device/cpu/engine/BlockCode.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>

namespace gpusched::cpu::jit {

class BlockEmitter {
public:
  BlockEmitter(llvm::Module& module, const BlockSource& source);
  /// Makes a BlockFunction of that name; false if not one micro-op could be compiled.
  bool emit(llvm::StringRef name);

private:
  struct Held {
    llvm::Value* value;
    unsigned bytes; // of a lane; 0: a mask
    uint32_t writtenBy;
    bool dirty;
    bool anyNan = false; // f32 whose NaN is not yet the one that PTX names
  };
  /// What has been checked about the lanes' addresses held in one value.
  struct Checked {
    std::set<std::pair<unsigned, unsigned>> shapes; // group, bytes that it rises by
    unsigned aligned = 1;
    uint64_t extent = 0; // shared memory: bytes from the address on that are inside
  };
  struct Places {
    llvm::Value* addresses;
    std::vector<llvm::Value*> pointers; // one a group
  };

  // Registers (BlockEmitter.cpp).
  llvm::Type* vectorOf(unsigned bytes, bool floating = false);
  llvm::Value* reg(unsigned slot, unsigned bytes);
  llvm::Value* floats(unsigned slot, unsigned bytes);
  llvm::Value* operand(unsigned slot, unsigned bytes);
  llvm::Value* settled(const Held& held);
  llvm::Value* mask(unsigned slot);
  void set(unsigned slot, unsigned bytes, llvm::Value* value);
  void setMask(unsigned slot, llvm::Value* value);
  llvm::Value* lanesOf(llvm::Value* mask); // 32 bits as 32 booleans
  llvm::Value* maskOf(llvm::Value* lanes);
  llvm::Value* splat(llvm::Value* scalar);
  llvm::Value* slotPointer(unsigned slot);
  bool liveAt(uint32_t slot, uint32_t instruction) const;
  void store(uint32_t slot, const Held& held);
  void flushLive(uint32_t instruction);
  void flush(uint32_t slot);
  void forget(uint32_t slot);

  // Control (BlockEmitter.cpp).
  bool emitOp(uint32_t index);
  void call(uint32_t index);
  void callHandler(uint32_t index, llvm::Value* mask);
  void callAccess(uint32_t index);
  void leaveUnless(llvm::Value* condition, uint32_t index);
  llvm::Value* opPointer(uint32_t index);
  uint32_t instructionOf(uint32_t index) const { return source_.ops[index].instruction; }

  // Arithmetic (EmitArithmetic.cpp).
  bool emitArithmetic(const MicroOp& op, const OpMeaning& meaning);
  void integer(const MicroOp& op, const OpMeaning& meaning);
  void shift(const MicroOp& op, const OpMeaning& meaning);
  void select(const MicroOp& op, const OpMeaning& meaning);
  void resize(const MicroOp& op, const OpMeaning& meaning);
  void floating(const MicroOp& op, const OpMeaning& meaning);
  void predicate(const MicroOp& op, const OpMeaning& meaning);
  void compareIntegers(const MicroOp& op, const OpMeaning& meaning);
  void compareFloats(const MicroOp& op, const OpMeaning& meaning);
  void storePredicates(const MicroOp& op, llvm::Value* lanes);
  llvm::Value* flushed(llvm::Value* value);
  llvm::Value* saturated(llvm::Value* value);
  llvm::Value* leastOrGreatest(FloatOp op, llvm::Value* a, llvm::Value* b);
  llvm::Value* signOf(llvm::Value* value);
  llvm::Value* withNan(llvm::Value* result, llvm::ArrayRef<llvm::Value*> operands);
  llvm::Value* arithmetic(FloatOp op, llvm::ArrayRef<llvm::Value*> in);
  llvm::Value* chosen(FloatOp op, llvm::ArrayRef<llvm::Value*> in);

  // Memory (EmitMemory.cpp).
  bool emitAccess(uint32_t index);
  void parameter(const MicroOp& op, const AccessForm& form);
  bool compilable(uint32_t index) const;
  Places check(uint32_t index);
  uint64_t extentOf(uint32_t index) const;
  uint64_t extentAhead(uint32_t index) const;
  void load(uint32_t index, const Places& places);
  void store(uint32_t index, const Places& places);
  llvm::Value* extended(llvm::Value* value, const AccessForm& form, llvm::Type* to);
  llvm::Value* joined(llvm::ArrayRef<llvm::Value*> groups);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  const BlockSource& source_;
  std::map<uint32_t, ConstantSlot> constants_;
  std::multimap<uint32_t, SlotLife> lives_;
  std::map<uint32_t, Held> held_;
  std::map<llvm::Value*, Checked> checked_;
  llvm::Function* function_ = nullptr;
  llvm::Value *frame_, *first_, *warp_, *shared_, *sharedBytes_, *memoryOp_, *parameters_;
  uint32_t now_ = 0; // the op being emitted
  unsigned compiled_ = 0;
};

} // namespace gpusched::cpu::jit
