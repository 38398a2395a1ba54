// DecodeGroupMultiply.cpp - wgmma.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The multiplication is done at once, so fence and commit have nothing left to do; wait_group
// waits until the other warps of the four have come as far. Slot 1: an index into
// LoadedModule::groupMultiplies.
#include "rt/device/cpu/engine/DecodeTensor.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/TensorSparse.h"

#include <cstdio>

namespace gpusched::cpu {
namespace {

using ptx::Operand;
using ptx::Type;

constexpr unsigned kMostColumns = 256, kMostInner = 256;

/// The first operand that is an immediate. Those of sparse A: d, a, b, metadata, selector, adds.
size_t firstFactor(const GroupMultiply& op) {
  return op.isSparse ? 6 : 4;
}

bool shape(const Decoder& d, GroupMultiply& op) {
  for (const std::string& modifier : d.instruction().modifiers) {
    unsigned n = 0, k = 0;
    if (std::sscanf(modifier.c_str(), "m64n%uk%u", &n, &k) != 2 || !d.has(modifier))
      continue;
    op.n = static_cast<uint16_t>(n), op.k = static_cast<uint16_t>(k);
    return n >= 8 && n <= kMostColumns && n % 8 == 0 && k <= kMostInner;
  }
  return false;
}

bool types(const Decoder& d, GroupMultiply& op) {
  const std::vector<TensorElement> named = tensorElements(d);
  if (named.size() != 3)
    return false;
  op.result = named[0], op.a = named[1], op.b = named[2];
  const unsigned bits = elementBits(op.a);
  const bool single = op.a == TensorElement::B1 && !op.isSparse && d.has("and") && d.has("popc");
  const bool integers = op.a == TensorElement::S8 || op.a == TensorElement::U8 || single;
  const bool accumulates = integers
                               ? op.result == TensorElement::S32
                               : op.result == TensorElement::F32 ||
                                     (op.result == TensorElement::F16 &&
                                      op.a != TensorElement::BF16 && op.a != TensorElement::TF32);
  const bool multiplies = bits == 8 || op.a == TensorElement::TF32 || bits == 16 || single;
  return accumulates && multiplies && bits == elementBits(op.b) &&
         bits * op.stored() == GroupMultiply::kInnerBytes * 8;
}

/// The immediates that follow: signs of A and B, then their order in memory.
bool factors(Decoder& d, GroupMultiply& op) {
  const auto integer = [&](size_t index) {
    const Operand& operand = d.operand(index);
    return operand.kind == Operand::Kind::Integer ? static_cast<int64_t>(operand.bits) : 2;
  };
  const size_t first = firstFactor(op), count = d.operandCount() - first;
  if (op.result == TensorElement::S32)
    return count == 0;
  const size_t expected = elementBits(op.a) != 16 ? 2 : op.aInRegisters ? 3 : 4;
  if (count != expected)
    return false;
  for (size_t i = 0; i < 2; ++i) {
    const int64_t factor = integer(first + i);
    if (factor != 1 && factor != -1)
      return false;
    op.negated ^= factor < 0;
  }
  for (size_t i = first + 2; i < d.operandCount(); ++i)
    if (integer(i) != 0 && integer(i) != 1)
      return false;
  op.aByRow = count == 4 && integer(first + 2) == 1;
  op.bByColumn = count >= 3 && integer(d.operandCount() - 1) == 1;
  return true;
}

bool registers(Decoder& d, GroupMultiply& op) {
  const Operand &result = d.operand(0), &a = d.operand(1);
  const size_t held = op.n / (op.result == TensorElement::F16 ? 4u : 2u);
  if (result.kind != Operand::Kind::Vector || result.elements.size() != held)
    return false;
  for (const Operand& element : result.elements)
    op.slots.push_back(d.destination(element, Type::B32));
  if (!op.aInRegisters) {
    op.aPlace = d.source(a, Type::B64);
    return true;
  }
  if (a.elements.size() != std::size(op.aSlots))
    return false;
  for (size_t i = 0; i < a.elements.size(); ++i)
    op.aSlots[i] = d.source(a.elements[i], Type::B32);
  return true;
}

/// REQUIRES: the shape and the types have been read.
bool sparseness(Decoder& d, GroupMultiply& op) {
  if (!op.isSparse)
    return true;
  const Operand& selector = d.operand(4);
  if (selector.kind != Operand::Kind::Integer || selector.bits > 3)
    return false;
  op.sparse.m = GroupMultiply::kRows, op.sparse.n = 8, op.sparse.k = op.k;
  op.sparse.a.element = op.a;
  op.sparse.selector = static_cast<uint8_t>(selector.bits);
  op.sparse.metadata = d.source(d.operand(3), Type::B32);
  return hasSparseForm(op.sparse);
}

bool multiply(Decoder& d) {
  GroupMultiply op;
  op.saturate = d.has("satfinite");
  op.aInRegisters = d.operand(1).kind == Operand::Kind::Vector;
  op.isSparse = d.has("sp");
  if (!shape(d, op) || !types(d, op) || d.operandCount() < firstFactor(op) || !factors(d, op) ||
      !sparseness(d, op) || !registers(d, op))
    return false;
  op.bPlace = d.source(d.operand(2), Type::B64);
  op.adds = d.predicate(d.operand(firstFactor(op) - 1), op.addsIfFalse);
  MicroOp& emitted = d.emit(handlers::groupMultiply, OpClass::Tensor);
  emitted.slot[1] = static_cast<uint32_t>(d.module().groupMultiplies.size());
  d.module().groupMultiplies.push_back(std::move(op));
  return true;
}

} // namespace

bool decodeGroupMultiply(Decoder& d) {
  if (d.has("mma_async"))
    return multiply(d);
  if (d.has("wait_group"))
    return d.emit(handlers::groupMultiplyWait, OpClass::Barrier).run != nullptr;
  if (!d.has("fence") && !d.has("commit_group"))
    return false;
  return d.emit(handlers::nothing, OpClass::Tensor).run != nullptr;
}

} // namespace gpusched::cpu
