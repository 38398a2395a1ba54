// BlockEmitter.cpp - registers, exits and calls of handlers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/jit/BlockEmitter.h"

#include "rt/device/cpu/engine/AccessAddress.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Verifier.h>

namespace gpusched::cpu::jit {

using llvm::Value;

namespace {

constexpr unsigned kSlotAlign = 64, kMaskAlign = 4;
constexpr uint32_t kNan32 = 0x7fffffff; // the result of f32 arithmetic
constexpr uint64_t kUnlikely = 1, kLikely = 1 << 20;

} // namespace

BlockEmitter::BlockEmitter(llvm::Module& module, const BlockSource& source)
    : module_(module), context_(module.getContext()), builder_(context_), source_(source) {
  for (const ConstantSlot& constant : *source.constants)
    constants_[constant.slot] = constant;
  for (const SlotLife& life : *source.lives)
    lives_.emplace(life.slot, life);
}

bool BlockEmitter::emit(llvm::StringRef name) {
  llvm::Type *pointer = builder_.getPtrTy(), *word = builder_.getInt64Ty();
  llvm::FunctionType* type = llvm::FunctionType::get(
      pointer, {pointer, pointer, pointer, pointer, word, pointer, pointer}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addParamAttr(0, llvm::Attribute::NoAlias); // registers have no address in PTX
  frame_ = function_->getArg(0), first_ = function_->getArg(1), warp_ = function_->getArg(2);
  shared_ = function_->getArg(3), sharedBytes_ = function_->getArg(4);
  memoryOp_ = function_->getArg(5), parameters_ = function_->getArg(6);
  builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "", function_));
  for (now_ = 0; now_ < source_.count; ++now_)
    if (emitOp(now_))
      ++compiled_;
    else
      call(now_);
  // A block may end within an instruction: what follows can be its last op, a barrier.
  flushLive(instructionOf(source_.count));
  builder_.CreateRet(opPointer(source_.count));
  return compiled_ && !llvm::verifyFunction(*function_);
}

bool BlockEmitter::emitOp(uint32_t index) {
  const MicroOp& op = source_.ops[index];
  const OpMeaning& meaning = source_.meanings[index];
  if (isGuarded(op))
    return false;
  switch (meaning.kind) {
  case OpMeaning::Kind::Load:
  case OpMeaning::Kind::Store:
    return emitAccess(index);
  case OpMeaning::Kind::Parameter:
    parameter(op, meaning.access);
    return true;
  default:
    return emitArithmetic(op, meaning);
  }
}

llvm::Type* BlockEmitter::vectorOf(unsigned bytes, bool floating) {
  llvm::Type* element = builder_.getIntNTy(bytes * 8);
  if (floating)
    element = bytes == 4 ? builder_.getFloatTy() : builder_.getDoubleTy();
  return llvm::FixedVectorType::get(element, kLanes);
}

Value* BlockEmitter::slotPointer(unsigned slot) {
  return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), frame_, slot);
}
Value* BlockEmitter::opPointer(uint32_t index) {
  return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), first_, index * sizeof(MicroOp));
}

Value* BlockEmitter::reg(unsigned slot, unsigned bytes) {
  if (const auto constant = constants_.find(slot); constant != constants_.end())
    return splat(builder_.getIntN(bytes * 8, constant->second.bits));
  auto found = held_.find(slot);
  if (found != held_.end() && found->second.bytes != bytes) {
    flush(slot);
    forget(slot);
    found = held_.end();
  }
  if (found == held_.end()) {
    Value* loaded =
        builder_.CreateAlignedLoad(vectorOf(bytes), slotPointer(slot), llvm::Align(kSlotAlign));
    found = held_.emplace(slot, Held{loaded, bytes, now_, false}).first;
  }
  found->second.value = settled(found->second);
  found->second.anyNan = false;
  return found->second.value;
}

Value* BlockEmitter::floats(unsigned slot, unsigned bytes) {
  return builder_.CreateBitCast(reg(slot, bytes), vectorOf(bytes, true));
}

/// Of an operation that does not tell one NaN from another: sums in a row settle theirs once.
Value* BlockEmitter::operand(unsigned slot, unsigned bytes) {
  const auto found = held_.find(slot);
  if (found == held_.end() || !found->second.anyNan || found->second.bytes != bytes)
    return floats(slot, bytes);
  return builder_.CreateBitCast(found->second.value, vectorOf(bytes, true));
}

Value* BlockEmitter::settled(const Held& held) {
  if (!held.anyNan)
    return held.value;
  Value* const value = builder_.CreateBitCast(held.value, vectorOf(4, true));
  return builder_.CreateSelect(builder_.CreateFCmpUNO(value, value),
                               splat(builder_.getInt32(kNan32)), held.value);
}

Value* BlockEmitter::mask(unsigned slot) {
  if (slot == kTrueSlot || slot == kFalseSlot)
    return builder_.getInt32(slot == kTrueSlot ? kAllLanes : 0);
  auto found = held_.find(slot);
  if (found == held_.end()) {
    Value* loaded = builder_.CreateAlignedLoad(builder_.getInt32Ty(), slotPointer(slot),
                                               llvm::Align(kMaskAlign));
    found = held_.emplace(slot, Held{loaded, 0, now_, false}).first;
  }
  return found->second.value;
}

void BlockEmitter::set(unsigned slot, unsigned bytes, Value* value) {
  held_[slot] = {builder_.CreateBitCast(value, vectorOf(bytes)), bytes, now_, true};
}
void BlockEmitter::setMask(unsigned slot, Value* value) {
  if (slot != kSinkMaskSlot)
    held_[slot] = {value, 0, now_, true};
}

Value* BlockEmitter::lanesOf(Value* mask) {
  return builder_.CreateBitCast(mask, llvm::FixedVectorType::get(builder_.getInt1Ty(), kLanes));
}
Value* BlockEmitter::maskOf(Value* lanes) {
  return builder_.CreateBitCast(lanes, builder_.getInt32Ty());
}
Value* BlockEmitter::splat(Value* scalar) {
  return builder_.CreateVectorSplat(kLanes, scalar);
}

void BlockEmitter::store(uint32_t slot, const Held& held) {
  builder_.CreateAlignedStore(settled(held), slotPointer(slot),
                              llvm::Align(held.bytes ? kSlotAlign : kMaskAlign));
}

/// Before `instruction`: does the slot hold a register that is needed there or later?
/// Slots of no register are scratch of one instruction.
bool BlockEmitter::liveAt(uint32_t slot, uint32_t instruction) const {
  const auto [begin, end] = lives_.equal_range(slot);
  if (begin == end)
    return instructionOf(held_.at(slot).writtenBy) == instruction;
  for (auto life = begin; life != end; ++life)
    if (life->second.first <= instruction && life->second.last >= instruction)
      return true;
  return false;
}

void BlockEmitter::flushLive(uint32_t instruction) {
  for (const auto& [slot, held] : held_)
    if (held.dirty && liveAt(slot, instruction))
      store(slot, held);
}

void BlockEmitter::flush(uint32_t slot) {
  const auto found = held_.find(slot);
  if (found == held_.end() || !found->second.dirty)
    return;
  store(slot, found->second);
  found->second.dirty = false;
}
void BlockEmitter::forget(uint32_t slot) {
  held_.erase(slot);
}

/// Goes on only if `condition` holds; else the interpreter continues at `index`.
void BlockEmitter::leaveUnless(Value* condition, uint32_t index) {
  llvm::BasicBlock* leave = llvm::BasicBlock::Create(context_, "leave", function_);
  llvm::BasicBlock* next = llvm::BasicBlock::Create(context_, "", function_, leave);
  builder_.CreateCondBr(condition, next, leave,
                        llvm::MDBuilder(context_).createBranchWeights(kLikely, kUnlikely));
  builder_.SetInsertPoint(leave);
  flushLive(instructionOf(index));
  builder_.CreateRet(opPointer(index));
  builder_.SetInsertPoint(next);
}

/// The handler found in the op, since the opening twin has some of its own.
void BlockEmitter::callHandler(uint32_t index, Value* mask) {
  llvm::Type* pointer = builder_.getPtrTy();
  llvm::FunctionType* type =
      llvm::FunctionType::get(pointer, {pointer, pointer, builder_.getInt32Ty(), pointer}, false);
  Value* const op = opPointer(index);
  Value* const handler = builder_.CreateAlignedLoad(pointer, op, llvm::Align(8));
  Value* const next = builder_.CreateCall(type, handler, {frame_, op, mask, warp_});
  llvm::BasicBlock* leave = llvm::BasicBlock::Create(context_, "stop", function_);
  llvm::BasicBlock* stay = llvm::BasicBlock::Create(context_, "", function_, leave);
  builder_.CreateCondBr(builder_.CreateICmpEQ(next, opPointer(index + 1)), stay, leave,
                        llvm::MDBuilder(context_).createBranchWeights(kLikely, kUnlikely));
  builder_.SetInsertPoint(leave);
  builder_.CreateRet(next);
  builder_.SetInsertPoint(stay);
}

/// Any handler: all registers are in the frame before and after.
void BlockEmitter::call(uint32_t index) {
  const MicroOp& op = source_.ops[index];
  const OpMeaning& meaning = source_.meanings[index];
  const bool guarded = isGuarded(op);
  if (!guarded && meaning.isAccess())
    return callAccess(index);
  Value* lanes = builder_.getInt32(kAllLanes);
  if (guarded)
    lanes = builder_.CreateXor(mask(op.guard), builder_.getInt32(op.guardFlip));
  flushLive(instructionOf(index));
  held_.clear();
  checked_.clear();
  if (!guarded)
    return callHandler(index, lanes);
  llvm::BasicBlock* some = llvm::BasicBlock::Create(context_, "", function_);
  llvm::BasicBlock* join = llvm::BasicBlock::Create(context_, "", function_);
  builder_.CreateCondBr(builder_.CreateIsNotNull(lanes), some, join);
  builder_.SetInsertPoint(some);
  callHandler(index, lanes);
  builder_.CreateBr(join);
  builder_.SetInsertPoint(join);
}

/// A load or store touches its own registers only. If it is a bad one the launch fails.
void BlockEmitter::callAccess(uint32_t index) {
  const MicroOp& op = source_.ops[index];
  const AccessForm& form = source_.meanings[index].access;
  const bool isLoad = source_.meanings[index].kind == OpMeaning::Kind::Load;
  if (!isLoad && form.address == AddressKind::Host)
    flushLive(instructionOf(index)); // the opening twin may stop here
  flush(op.slot[kAddressSlot]);
  for (unsigned k = 0; k < form.elements && !isLoad; ++k)
    flush(op.slot[k]);
  callHandler(index, builder_.getInt32(kAllLanes));
  if (isLoad)
    for (unsigned k = 0; k < form.elements; ++k)
      forget(op.slot[k]);
}

} // namespace gpusched::cpu::jit
