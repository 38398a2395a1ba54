// DecodeTensor.cpp - mma.sync, wmma, ldmatrix, stmatrix, movmatrix; wgmma is in its own file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Refused (the instruction is then unsupported): sm_100's block scaling and formats.
// Slots: 0..3 registers of ldmatrix and stmatrix; 1 index into LoadedModule::tensorOps, 2 the
// stride of wmma.load and wmma.store; 7 address.
#include "rt/device/cpu/engine/DecodeTensor.h"

#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/TensorPlaces.h"
#include "rt/device/cpu/engine/TensorSparse.h"
#include "rt/device/cpu/engine/WarpModes.h"

#include <bit>
#include <cstdio>

namespace gpusched::cpu {
namespace {

using ptx::Operand;
using ptx::Type;

struct ElementName {
  std::string_view text;
  TensorElement element;
};
constexpr ElementName kElements[] = {
    {"f16", TensorElement::F16},   {"bf16", TensorElement::BF16}, {"tf32", TensorElement::TF32},
    {"f32", TensorElement::F32},   {"f64", TensorElement::F64},   {"s8", TensorElement::S8},
    {"u8", TensorElement::U8},     {"s32", TensorElement::S32},   {"e4m3", TensorElement::E4M3},
    {"e5m2", TensorElement::E5M2}, {"s4", TensorElement::S4},     {"u4", TensorElement::U4},
    {"b1", TensorElement::B1}};

Type registerType(TensorElement element) {
  return element == TensorElement::F64 ? Type::F64 : Type::B32;
}

bool shape(const Decoder& d, TensorOp& op) {
  for (const std::string& modifier : d.instruction().modifiers) {
    unsigned m = 0, n = 0, k = 0;
    if (std::sscanf(modifier.c_str(), "m%un%uk%u", &m, &n, &k) != 3 || !d.has(modifier))
      continue;
    op.m = static_cast<uint16_t>(m), op.n = static_cast<uint16_t>(n);
    op.k = static_cast<uint16_t>(k);
    return m <= 32 && n <= 32 && k <= 256 && m * k <= 16 * 256 && n * k <= 16 * 256 &&
           std::has_single_bit(m) && std::has_single_bit(n) && std::has_single_bit(k);
  }
  return false;
}

/// False if the registers named cannot hold the matrix.
bool fragment(Decoder& d, const Operand& operand, TensorElement element, TensorRole role,
              bool result, const TensorOp& op, TensorPlacement placement, TensorFragment& out) {
  out.role = role;
  out.element = element;
  out.rows = role == TensorRole::B ? op.k : op.m;
  if (op.quads)
    out.rows *= 4;
  out.columns = role == TensorRole::A ? op.k : op.n;
  if (role == TensorRole::A && op.sparse)
    out.columns /= 2;
  const bool vector = operand.kind == Operand::Kind::Vector;
  const size_t count = vector ? operand.elements.size() : 1;
  if (out.element == TensorElement::None || !out.share() || count > TensorFragment::kMostRegisters)
    return false;
  out.registers = static_cast<uint8_t>(count);
  if (placement == TensorPlacement::Wmma ? out.held() % out.share() != 0
                                         : out.held() != out.share())
    return false;
  out.places = tensorPlaces(d.module(), out, placement);
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

/// mma.sp d, a, b, c, metadata, selector
bool sparseOperands(Decoder& d, TensorOp& op, TensorElement a) {
  const Operand& selector = d.operand(5);
  if (d.operandCount() != 6 || selector.kind != Operand::Kind::Integer || selector.bits > 3)
    return false;
  op.a.element = a;
  op.selector = static_cast<uint8_t>(selector.bits);
  op.metadata = d.source(d.operand(4), Type::B32);
  return hasSparseForm(op);
}

bool isFloat(TensorElement element) {
  return element == TensorElement::F16 || element == TensorElement::F32;
}

/// The layouts of A and B, which only Volta's placement depends on.
bool quadPlacements(const Decoder& d, TensorPlacement& a, TensorPlacement& b) {
  std::vector<TensorPlacement> named;
  for (const std::string& modifier : d.instruction().modifiers)
    if (modifier == "row" || modifier == "col")
      named.push_back(modifier == "row" ? TensorPlacement::QuadsByRow
                                        : TensorPlacement::QuadsByColumn);
  if (named.size() != 2)
    return false;
  a = named[0], b = named[1];
  return true;
}

bool multiply(Decoder& d, bool isMma) {
  TensorOp op;
  op.saturate = d.has("satfinite");
  op.sparse = d.has("sp") || d.has("sp::ordered_metadata");
  if (d.has("popc"))
    op.bits = d.has("xor") ? BitProduct::Xor : d.has("and") ? BitProduct::And : BitProduct::None;
  const std::vector<TensorElement> named = tensorElements(d);
  if (!shape(d, op) || op.n < 8 || d.operandCount() < 4 || (named.size() != 4 && named.size() != 2))
    return false;
  const bool four = named.size() == 4;
  const TensorElement result = named.front(), c = named.back();
  const TensorElement a = four ? named[1] : TensorElement::F16;
  const TensorElement b = four ? named[2] : TensorElement::F16;
  if (!four && (!isFloat(result) || !isFloat(c)))
    return false;
  const bool bits = a == TensorElement::B1 || b == TensorElement::B1;
  if (bits != (op.bits != BitProduct::None) || elementBits(a) != elementBits(b))
    return false;
  const bool small = elementBits(a) <= 8 || a == TensorElement::F64; // has shapes of 8 rows
  op.quads = isMma && four && op.m == 8 && op.n == 8 && op.k == 4 && a == TensorElement::F16 &&
             b == a && isFloat(result) && isFloat(c) && !op.sparse;
  if (isMma && !(op.n == 8 && (op.m == 16 || small || op.quads)))
    return false;
  TensorPlacement placeA = isMma ? TensorPlacement::Mma : TensorPlacement::Wmma, placeB = placeA;
  if (op.quads && !quadPlacements(d, placeA, placeB))
    return false;
  const TensorPlacement placeC = placeA;
  if (op.sparse && !sparseOperands(d, op, a))
    return false;
  if (!fragment(d, d.operand(1), a, TensorRole::A, false, op, placeA, op.a) ||
      !fragment(d, d.operand(2), b, TensorRole::B, false, op, placeB, op.b) ||
      !fragment(d, d.operand(3), c, TensorRole::C, false, op, placeC, op.c) ||
      !fragment(d, d.operand(0), result, TensorRole::C, true, op, placeC, op.d))
    return false;
  emitTensor(d, handlers::tensorMultiply, OpClass::Tensor, op);
  return true;
}

bool moveFragment(Decoder& d, bool isLoad) {
  TensorOp op;
  op.rowMajor = d.has("row");
  const std::vector<TensorElement> named = tensorElements(d);
  if (!shape(d, op) || named.size() != 1)
    return false;
  const TensorRole role = d.has("a") ? TensorRole::A : d.has("b") ? TensorRole::B : TensorRole::C;
  const Operand &registers = d.operand(isLoad ? 0 : 1), &where = d.operand(isLoad ? 1 : 0);
  const Decoder::Address address = d.address(where, d.space());
  if (!address.ok ||
      !fragment(d, registers, named[0], role, isLoad, op, TensorPlacement::Wmma, op.d))
    return false;
  // A register of smaller elements is a word of memory only along the inner dimension.
  const bool along = role == TensorRole::A ? op.rowMajor : role == TensorRole::B && !op.rowMajor;
  if (elementBits(named[0]) < 8 && !along)
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

std::vector<TensorElement> tensorElements(const Decoder& d) {
  std::vector<TensorElement> elements;
  for (const std::string& modifier : d.instruction().modifiers)
    for (const ElementName& name : kElements)
      if (name.text == modifier && d.has(modifier))
        elements.push_back(name.element);
  return elements;
}

bool decodeTensor(Decoder& d) {
  const std::string_view opcode = d.opcode();
  if (opcode == "mma")
    return multiply(d, true);
  if (opcode == "movmatrix") {
    if (!d.has("m8n8"))
      return false;
    d.emitSimple(handlers::matrixTranspose, OpClass::Other, Type::B32, {Type::B32});
    return true;
  }
  if (opcode == "ldmatrix" || opcode == "stmatrix")
    return moveMatrices(d, opcode == "ldmatrix");
  if (opcode == "wgmma")
    return decodeGroupMultiply(d);
  if (opcode != "wmma")
    return false;
  return d.has("mma") ? multiply(d, false) : moveFragment(d, d.has("load"));
}

} // namespace gpusched::cpu
