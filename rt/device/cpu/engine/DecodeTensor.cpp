// DecodeTensor.cpp - mma.sync, wmma, ldmatrix, stmatrix.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices of f16, bf16, tf32, f64 and 8-bit integers. Refused (the instruction is then
// unsupported): sparse forms, 8-bit floats, integers below 8 bits, and Volta's mma.m8n8k4 on
// f16, whose placement follows other rules.
// Slots: 0..3 registers of ldmatrix and stmatrix; 1 index into LoadedModule::tensorOps, 2 the
// stride of wmma.load and wmma.store; 7 address.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/TensorPlaces.h"
#include "rt/device/cpu/engine/WarpModes.h"

#include <bit>
#include <cstdio>

namespace gpusched::cpu {
namespace {

using ptx::Operand;
using ptx::Type;

TensorElement elementOf(Type type) {
  switch (type) {
  case Type::F16:
    return TensorElement::F16;
  case Type::BF16:
    return TensorElement::BF16;
  case Type::TF32:
    return TensorElement::TF32;
  case Type::F32:
    return TensorElement::F32;
  case Type::F64:
    return TensorElement::F64;
  case Type::S8:
    return TensorElement::S8;
  case Type::U8:
    return TensorElement::U8;
  case Type::S32:
    return TensorElement::S32;
  default:
    return TensorElement::None;
  }
}

Type registerType(TensorElement element) {
  return element == TensorElement::F64 ? Type::F64 : Type::B32;
}

bool shape(const Decoder& d, TensorOp& op) {
  for (const std::string& modifier : d.instruction().modifiers) {
    unsigned m = 0, n = 0, k = 0;
    if (std::sscanf(modifier.c_str(), "m%un%uk%u", &m, &n, &k) != 3)
      continue;
    op.m = static_cast<uint8_t>(m), op.n = static_cast<uint8_t>(n), op.k = static_cast<uint8_t>(k);
    return m <= 32 && n <= 32 && k <= 32 && std::has_single_bit(m) && std::has_single_bit(n) &&
           std::has_single_bit(k);
  }
  return false;
}

/// False if the registers named cannot hold the matrix.
bool fragment(Decoder& d, const Operand& operand, Type type, TensorRole role, bool result,
              TensorOp& op, TensorFragment& out) {
  out.role = role;
  out.element = elementOf(type);
  out.rows = role == TensorRole::B ? op.k : op.m;
  out.columns = role == TensorRole::A ? op.k : op.n;
  const bool vector = operand.kind == Operand::Kind::Vector;
  const size_t count = vector ? operand.elements.size() : 1;
  if (out.element == TensorElement::None || !out.share() || count > TensorFragment::kMostRegisters)
    return false;
  out.registers = static_cast<uint8_t>(count);
  if (op.isMma ? out.held() != out.share() : out.held() % out.share() != 0)
    return false;
  out.places = tensorPlaces(d.module(), out, op.isMma);
  const Type held32 = registerType(out.element);
  for (size_t i = 0; i < count; ++i) {
    const Operand& element = vector ? operand.elements[i] : operand;
    out.slots[i] = result ? d.destination(element, held32) : d.source(element, held32);
  }
  return true;
}

MicroOp& emitTensor(Decoder& d, Handler handler, OpClass opClass, const TensorOp& op) {
  MicroOp& emitted = d.emit(handler, opClass);
  emitted.slot[1] = static_cast<uint32_t>(d.module().tensorOps.size());
  d.module().tensorOps.push_back(op);
  return emitted;
}

bool multiply(Decoder& d, bool isMma) {
  TensorOp op;
  op.isMma = isMma;
  op.saturate = d.has("satfinite");
  if (!shape(d, op) || op.n < 8 || d.operandCount() < 4)
    return false;
  const bool four = d.type(3) != Type::None;
  const Type result = d.type(0), c = d.type(four ? 3 : 1);
  const Type a = four ? d.type(1) : Type::F16, b = four ? d.type(2) : Type::F16;
  if (!four && ((result != Type::F16 && result != Type::F32) || (c != Type::F16 && c != Type::F32)))
    return false;
  if (isMma && !(op.n == 8 && (op.m == 16 || a == Type::F64)))
    return false;
  if (!fragment(d, d.operand(1), a, TensorRole::A, false, op, op.a) ||
      !fragment(d, d.operand(2), b, TensorRole::B, false, op, op.b) ||
      !fragment(d, d.operand(3), c, TensorRole::C, false, op, op.c) ||
      !fragment(d, d.operand(0), result, TensorRole::C, true, op, op.d))
    return false;
  emitTensor(d, handlers::tensorMultiply, OpClass::Tensor, op);
  return true;
}

bool moveFragment(Decoder& d, bool isLoad) {
  TensorOp op;
  op.rowMajor = d.has("row");
  if (!shape(d, op))
    return false;
  const TensorRole role = d.has("a") ? TensorRole::A : d.has("b") ? TensorRole::B : TensorRole::C;
  const Operand &registers = d.operand(isLoad ? 0 : 1), &where = d.operand(isLoad ? 1 : 0);
  const Decoder::Address address = d.address(where, d.space());
  if (!address.ok || !fragment(d, registers, d.type(), role, isLoad, op, op.d))
    return false;
  const uint32_t stride = d.operandCount() > 2
                              ? d.source(d.operand(2), Type::U32)
                              : d.constant(op.rowMajor ? op.d.columns : op.d.rows, 4);
  MicroOp& emitted =
      emitTensor(d, isLoad ? handlers::tensorLoad : handlers::tensorStore, OpClass::LoadStore, op);
  emitted.slot[2] = stride, emitted.slot[7] = address.slot;
  emitted.immediate = address.offset;
  emitted.detail = static_cast<uint16_t>(address.kind);
  if (!isLoad && address.kind == AddressKind::Host)
    d.endsOpening();
  return true;
}

bool moveMatrices(Decoder& d, bool isLoad) {
  if (!d.has("m8n8") || !d.has("b16"))
    return false;
  const unsigned count = d.has("x4") ? 4 : d.has("x2") ? 2 : 1;
  const Operand &registers = d.operand(isLoad ? 0 : 1), &where = d.operand(isLoad ? 1 : 0);
  const bool vector = registers.kind == Operand::Kind::Vector;
  const Decoder::Address address = d.address(where, d.space());
  if (!address.ok || (vector ? registers.elements.size() : 1) != count)
    return false;
  MicroOp fields;
  for (unsigned i = 0; i < count; ++i) {
    const Operand& element = vector ? registers.elements[i] : registers;
    fields.slot[i] = isLoad ? d.destination(element, Type::B32) : d.source(element, Type::B32);
  }
  MicroOp& op = d.emit(isLoad ? handlers::matrixLoad : handlers::matrixStore, OpClass::LoadStore);
  std::copy(std::begin(fields.slot), std::end(fields.slot), op.slot);
  op.slot[7] = address.slot;
  op.immediate = address.offset;
  op.detail = static_cast<uint16_t>(static_cast<unsigned>(address.kind) | count << kMatrixCount |
                                    (d.has("trans") ? kMatrixTransposed : 0));
  return true;
}

} // namespace

bool decodeTensor(Decoder& d) {
  const std::string_view opcode = d.opcode();
  if (opcode == "mma")
    return !d.has("sp") && !d.has("sp::ordered_metadata") && multiply(d, true);
  if (opcode == "ldmatrix" || opcode == "stmatrix")
    return moveMatrices(d, opcode == "ldmatrix");
  if (opcode != "wmma")
    return false;
  return d.has("mma") ? multiply(d, false) : moveFragment(d, d.has("load"));
}

} // namespace gpusched::cpu
