// EmitMemory.cpp - loads and stores at addresses that lie as they did when the block was recorded.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked once for each value that is used as an address: that the lanes lie so, that they are
// aligned, and for shared memory that all that the block accesses through it is inside. What
// remains for each access is one vector load, or one scalar load, a group of lanes. Accesses to
// global memory are volatile: the interpreter makes each exactly once, in order, and notes which
// one it is, so that a bad address is reported with its instruction.
#include "rt/device/cpu/jit/BlockEmitter.h"

#include "rt/device/cpu/engine/AccessAddress.h"

#include <numeric>

namespace gpusched::cpu::jit {

using llvm::Value;

namespace {

unsigned addressBytes(const AccessForm& form) {
  return form.address == AddressKind::Shared32 ? 4 : 8;
}
unsigned bytesOf(const AccessForm& form) {
  return form.memoryBytes * form.elements;
}
bool isShared(const AccessForm& form) {
  return form.address != AddressKind::Host;
}

} // namespace

/// ld.param of a kernel: the same bytes for every lane.
void BlockEmitter::parameter(const MicroOp& op, const AccessForm& form) {
  llvm::Type* const memory = builder_.getIntNTy(form.memoryBytes * 8);
  llvm::Type* const held = builder_.getIntNTy(form.registerBytes * 8);
  for (unsigned k = 0; k < form.elements; ++k) {
    Value* const at =
        builder_.CreateConstGEP1_64(builder_.getInt8Ty(), parameters_,
                                    static_cast<uint64_t>(op.immediate) + k * form.memoryBytes);
    Value* const loaded = builder_.CreateAlignedLoad(memory, at, llvm::Align(1));
    set(op.slot[k], form.registerBytes, splat(extended(loaded, form, held)));
  }
}

Value* BlockEmitter::extended(Value* value, const AccessForm& form, llvm::Type* to) {
  return form.isSigned ? builder_.CreateSExtOrTrunc(value, to)
                       : builder_.CreateZExtOrTrunc(value, to);
}

bool BlockEmitter::compilable(uint32_t index) const {
  const MicroOp& op = source_.ops[index];
  const OpMeaning& meaning = source_.meanings[index];
  return meaning.isAccess() && !isGuarded(op) && source_.shapes[index].group &&
         op.immediate % bytesOf(meaning.access) == 0 &&
         (!isShared(meaning.access) || op.immediate >= 0);
}

bool BlockEmitter::emitAccess(uint32_t index) {
  if (!compilable(index))
    return false;
  const Places places = check(index);
  if (source_.meanings[index].kind == OpMeaning::Kind::Load)
    load(index, places);
  else
    store(index, places);
  return true;
}

/// From a group's first address on, the bytes that must be inside shared memory.
uint64_t BlockEmitter::extentOf(uint32_t index) const {
  const unsigned bytes = bytesOf(source_.meanings[index].access);
  const AddressShape shape = source_.shapes[index];
  return static_cast<uint64_t>(source_.ops[index].immediate) +
         (shape.rises ? bytes * shape.group : bytes);
}

/// The same for all accesses through this register, about until it is written again. Too much
/// would leave the block too early, no more.
uint64_t BlockEmitter::extentAhead(uint32_t index) const {
  const uint32_t slot = source_.ops[index].slot[kAddressSlot];
  uint64_t most = extentOf(index);
  for (uint32_t i = index; i < source_.count; ++i) {
    if (compilable(i) && source_.ops[i].slot[kAddressSlot] == slot)
      most = std::max(most, extentOf(i));
    if (source_.meanings[i].kind != OpMeaning::Kind::Store && source_.ops[i].slot[0] == slot)
      break;
  }
  return most;
}

BlockEmitter::Places BlockEmitter::check(uint32_t index) {
  const MicroOp& op = source_.ops[index];
  const AccessForm& form = source_.meanings[index].access;
  const AddressShape shape = source_.shapes[index];
  const unsigned bytes = bytesOf(form), rise = shape.rises ? bytes : 0;
  Places places{reg(op.slot[kAddressSlot], addressBytes(form)), {}};
  llvm::Type* const word = places.addresses->getType()->getScalarType();
  std::vector<int> firsts(kLanes);
  std::vector<llvm::Constant*> steps;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    firsts[lane] = static_cast<int>(lane / shape.group * shape.group);
    steps.push_back(llvm::ConstantInt::get(word, lane % shape.group * rise));
  }
  std::vector<Value*> bases;
  for (unsigned lane = 0; lane < kLanes; lane += shape.group)
    bases.push_back(builder_.CreateExtractElement(places.addresses, lane));
  Checked& checked = checked_[places.addresses];
  std::vector<Value*> conditions;
  if (checked.shapes.emplace(shape.group, rise).second) {
    Value* const base = builder_.CreateShuffleVector(places.addresses, firsts);
    Value* const expected = builder_.CreateAdd(base, llvm::ConstantVector::get(steps));
    Value* const same = maskOf(builder_.CreateICmpEQ(places.addresses, expected));
    conditions.push_back(builder_.CreateICmpEQ(same, builder_.getInt32(kAllLanes)));
  }
  if (checked.aligned < bytes) {
    checked.aligned = bytes;
    Value* const any =
        std::accumulate(bases.begin() + 1, bases.end(), bases[0],
                        [&](Value* sum, Value* base) { return builder_.CreateOr(sum, base); });
    conditions.push_back(builder_.CreateIsNull(builder_.CreateAnd(any, bytes - 1)));
  }
  if (isShared(form) && checked.extent < extentOf(index)) {
    checked.extent = extentAhead(index);
    Value* const extent = builder_.getInt64(checked.extent);
    conditions.push_back(builder_.CreateICmpUGE(sharedBytes_, extent));
    Value* const last = builder_.CreateSub(sharedBytes_, extent);
    for (Value* base : bases)
      conditions.push_back(
          builder_.CreateICmpULE(builder_.CreateZExt(base, builder_.getInt64Ty()), last));
  }
  if (!conditions.empty())
    leaveUnless(
        std::accumulate(conditions.begin() + 1, conditions.end(), conditions[0],
                        [&](Value* all, Value* one) { return builder_.CreateAnd(all, one); }),
        index);
  for (Value* base : bases) {
    Value* const offset = builder_.CreateZExt(base, builder_.getInt64Ty());
    Value* const from = isShared(form) ? builder_.CreateGEP(builder_.getInt8Ty(), shared_, offset)
                                       : builder_.CreateIntToPtr(offset, builder_.getPtrTy());
    places.pointers.push_back(builder_.CreateConstGEP1_64(builder_.getInt8Ty(), from,
                                                          static_cast<uint64_t>(op.immediate)));
  }
  return places;
}

/// Vectors of the groups, side by side.
Value* BlockEmitter::joined(llvm::ArrayRef<Value*> groups) {
  std::vector<Value*> parts(groups.begin(), groups.end());
  while (parts.size() > 1) {
    const unsigned lanes = llvm::cast<llvm::FixedVectorType>(parts[0]->getType())->getNumElements();
    std::vector<int> both(lanes * 2);
    std::iota(both.begin(), both.end(), 0);
    std::vector<Value*> wider;
    for (size_t i = 0; i < parts.size(); i += 2)
      wider.push_back(builder_.CreateShuffleVector(parts[i], parts[i + 1], both));
    parts = std::move(wider);
  }
  return parts[0];
}

void BlockEmitter::load(uint32_t index, const Places& places) {
  const MicroOp& op = source_.ops[index];
  const AccessForm& form = source_.meanings[index].access;
  const AddressShape shape = source_.shapes[index];
  llvm::Type* const element = builder_.getIntNTy(form.memoryBytes * 8);
  const unsigned lanes = shape.rises ? shape.group : 1;
  llvm::Type* const run = llvm::FixedVectorType::get(element, lanes * form.elements);
  if (!isShared(form))
    builder_.CreateAlignedStore(opPointer(index), memoryOp_, llvm::Align(8), true);
  std::vector<Value*> runs;
  for (Value* pointer : places.pointers)
    runs.push_back(
        builder_.CreateAlignedLoad(run, pointer, llvm::Align(form.memoryBytes), !isShared(form)));
  for (unsigned k = 0; k < form.elements; ++k) {
    std::vector<int> pick(shape.group);
    for (unsigned lane = 0; lane < shape.group; ++lane)
      pick[lane] = static_cast<int>((shape.rises ? lane : 0) * form.elements + k);
    std::vector<Value*> groups;
    for (Value* loaded : runs)
      groups.push_back(builder_.CreateShuffleVector(loaded, pick));
    set(op.slot[k], form.registerBytes,
        extended(joined(groups), form, vectorOf(form.registerBytes)));
  }
}

/// Lanes write in order: of a group with one address the last lane's value stays.
void BlockEmitter::store(uint32_t index, const Places& places) {
  const MicroOp& op = source_.ops[index];
  const AccessForm& form = source_.meanings[index].access;
  const AddressShape shape = source_.shapes[index];
  llvm::Type* const element = builder_.getIntNTy(form.memoryBytes * 8);
  llvm::Type* const narrow = llvm::FixedVectorType::get(element, kLanes);
  std::vector<Value*> values;
  for (unsigned k = 0; k < form.elements; ++k)
    values.push_back(builder_.CreateTrunc(reg(op.slot[k], form.registerBytes), narrow));
  while (values.size() & (values.size() - 1))
    values.push_back(values.back());
  Value* const all = joined(values);
  if (!isShared(form))
    builder_.CreateAlignedStore(opPointer(index), memoryOp_, llvm::Align(8), true);
  for (size_t group = 0; group < places.pointers.size(); ++group) {
    const unsigned first = static_cast<unsigned>(group) * shape.group;
    std::vector<int> pick;
    for (unsigned lane = shape.rises ? 0 : shape.group - 1u; lane < shape.group; ++lane)
      for (unsigned k = 0; k < form.elements; ++k)
        pick.push_back(static_cast<int>(k * kLanes + first + lane));
    builder_.CreateAlignedStore(builder_.CreateShuffleVector(all, pick), places.pointers[group],
                                llvm::Align(form.memoryBytes), !isShared(form));
  }
}

} // namespace gpusched::cpu::jit
