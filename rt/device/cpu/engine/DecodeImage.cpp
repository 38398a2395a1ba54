// DecodeImage.cpp - tex, tld4, suld, sust, sured, txq, suq.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The unified, bindless forms: the first element of the address is a 64-bit handle. Refused (the
// instruction is then unsupported): .texref and .samplerref variables, depth comparison,
// multisampled images and the formatted surface forms (.p).
// Slot 1 is an index into LoadedModule::imageOps.
#include "rt/device/cpu/engine/AtomicHandlers.h"
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/ImageOp.h"

#include <algorithm>
#include <initializer_list>
#include <span>

namespace gpusched::cpu {
namespace {

using ptx::Operand;
using ptx::Type;

std::span<const Operand> elementsOf(const Operand& operand) {
  if (operand.kind == Operand::Kind::Vector)
    return operand.elements;
  return {&operand, 1};
}

bool readShape(const Decoder& d, ImageOp& op) {
  struct Name {
    const char* text;
    ImageShape shape;
    bool layered;
  };
  static constexpr Name kNames[] = {
      {"1d", ImageShape::Line, false},   {"a1d", ImageShape::Line, true},
      {"2d", ImageShape::Plane, false},  {"a2d", ImageShape::Plane, true},
      {"3d", ImageShape::Volume, false}, {"cube", ImageShape::Cube, false},
      {"acube", ImageShape::Cube, true},
  };
  for (const Name& name : kNames)
    if (d.has(name.text)) {
      op.shape = name.shape;
      op.layered = name.layered;
      return true;
    }
  return false;
}

/// [handle, {layer, x, y, z}]; coordinates past those of the shape are padding.
bool readPlace(Decoder& d, const Operand& address, Type type, ImageOp& op) {
  if (address.kind != Operand::Kind::Address || address.elements.size() != 2 || address.offset ||
      address.elements[0].kind != Operand::Kind::Register)
    return false;
  op.handle = d.source(address.elements[0], Type::U64);
  const std::span<const Operand> given = elementsOf(address.elements[1]);
  const unsigned first = op.layered ? 1 : 0;
  if (given.size() < first + op.dimensions())
    return false;
  if (op.layered)
    op.layer = d.source(given[0], Type::U32);
  for (unsigned k = 0; k < op.dimensions(); ++k)
    op.coordinates[k] = d.source(given[first + k], type);
  return true;
}

bool readGradient(Decoder& d, const Operand& gradient, const ImageOp& op, uint32_t* slots) {
  const std::span<const Operand> given = elementsOf(gradient);
  if (given.size() < op.dimensions())
    return false;
  for (unsigned k = 0; k < op.dimensions(); ++k)
    slots[k] = d.source(given[k], Type::F32);
  return true;
}

/// What may follow the operands that all forms have: texels to move by. A depth to compare with is
/// no vector.
bool readOffset(Decoder& d, size_t index, ImageOp& op) {
  if (d.operandCount() == index)
    return true;
  const Operand& offset = d.operand(index);
  const std::span<const Operand> given = elementsOf(offset);
  if (d.operandCount() != index + 1 || offset.kind != Operand::Kind::Vector ||
      op.shape == ImageShape::Cube || given.size() < op.dimensions())
    return false;
  op.hasOffset = true;
  for (unsigned k = 0; k < op.dimensions(); ++k)
    op.offset[k] = d.source(given[k], Type::S32);
  return true;
}

bool readLevel(Decoder& d, Type coordinateType, ImageOp& op) {
  size_t operands = 2;
  if (d.has("level")) {
    op.level = ImageOp::Level::Given;
    op.levelSlot = d.source(d.operand(2), coordinateType);
    operands = 3;
  } else if (d.has("grad")) {
    op.level = ImageOp::Level::Gradients;
    if (!readGradient(d, d.operand(2), op, op.gradientX) ||
        !readGradient(d, d.operand(3), op, op.gradientY))
      return false;
    operands = 4;
  }
  return readOffset(d, operands, op);
}

void emitImage(Decoder& d, Handler handler, const ImageOp& op) {
  MicroOp& emitted = d.emit(handler, OpClass::LoadStore);
  emitted.slot[1] = static_cast<uint32_t>(d.module().imageOps.size());
  d.module().imageOps.push_back(op);
}

/// The results go last: a destination may be a scratch slot that a source took before.
bool readResults(Decoder& d, const Operand& result, ImageOp& op) {
  const bool pair = result.kind == Operand::Kind::Pair;
  const std::span<const Operand> texel = elementsOf(pair ? result.elements[0] : result);
  const Type type = d.type(0);
  op.elements = type == Type::F16x2 ? 2 : ImageOp::kMostElements;
  op.registerBytes = type == Type::F16 ? 2 : 4;
  if (texel.size() != op.elements)
    return false;
  for (unsigned k = 0; k < op.elements; ++k)
    op.data[k] = d.destination(texel[k], type == Type::F16 ? Type::B16 : Type::B32);
  op.hasResident = pair;
  if (pair)
    op.resident = d.predicateDestination(result.elements[1]);
  return true;
}

bool isResult(Type type) {
  return type == Type::F32 || type == Type::U32 || type == Type::S32;
}

bool decodeTexture(Decoder& d) {
  ImageOp op;
  const Type coordinate = d.type(1);
  const bool halves = d.type(0) == Type::F16 || d.type(0) == Type::F16x2;
  if ((!halves && !isResult(d.type(0))) || !readShape(d, op) ||
      (coordinate != Type::F32 && coordinate != Type::S32))
    return false;
  op.integerCoordinates = coordinate == Type::S32;
  if (!readPlace(d, d.operand(1), coordinate, op) || !readLevel(d, coordinate, op) ||
      !readResults(d, d.operand(0), op))
    return false;
  emitImage(d, handlers::textureSample, op);
  return true;
}

bool decodeGather(Decoder& d) {
  ImageOp op;
  constexpr const char* kChannels[] = {"r", "g", "b", "a"};
  for (unsigned k = 0; k < 4; ++k)
    if (d.has(kChannels[k]))
      op.gathered = static_cast<uint8_t>(k);
  if (!isResult(d.type(0)) || d.type(1) != Type::F32 || !readShape(d, op) ||
      !readPlace(d, d.operand(1), Type::F32, op) || !readOffset(d, 2, op) ||
      !readResults(d, d.operand(0), op))
    return false;
  emitImage(d, handlers::textureGather, op);
  return true;
}

SurfaceBounds boundsOf(const Decoder& d) {
  return d.has("clamp")  ? SurfaceBounds::Clamp
         : d.has("zero") ? SurfaceBounds::Zero
                         : SurfaceBounds::Trap;
}

bool decodeSurface(Decoder& d, bool isLoad) {
  ImageOp op;
  const Type type = d.type();
  const unsigned bytes = ptx::sizeInBytes(type);
  const std::span<const Operand> data = elementsOf(d.operand(isLoad ? 0 : 1));
  if (!d.has("b") || !bytes || bytes > 8 || data.size() > ImageOp::kMostElements ||
      !readShape(d, op) || op.shape == ImageShape::Cube ||
      !readPlace(d, d.operand(isLoad ? 1 : 0), Type::S32, op))
    return false;
  op.bounds = boundsOf(d);
  op.elements = static_cast<uint8_t>(data.size());
  op.elementBytes = static_cast<uint8_t>(bytes);
  op.registerBytes = static_cast<uint8_t>(bytes < 2 ? 2 : bytes);
  const Type held = op.registerBytes == 2   ? Type::B16
                    : op.registerBytes == 4 ? Type::B32
                                            : Type::B64;
  for (size_t k = 0; k < data.size(); ++k)
    op.data[k] = isLoad ? d.destination(data[k], held) : d.source(data[k], held);
  emitImage(d, isLoad ? handlers::surfaceLoad : handlers::surfaceStore, op);
  if (!isLoad)
    d.endsOpening();
  return true;
}

/// The handler of `red` does the reduction, at the addresses that a first micro-op finds.
bool decodeReduction(Decoder& d) {
  struct Name {
    const char* text;
    AtomicOp op;
    std::initializer_list<Type> types;
  };
  static const Name kNames[] = {
      {"add", AtomicOp::Add, {Type::U32, Type::S32, Type::U64}},
      {"min", AtomicOp::Min, {Type::U32, Type::S32, Type::U64, Type::S64}},
      {"max", AtomicOp::Max, {Type::U32, Type::S32, Type::U64, Type::S64}},
      {"and", AtomicOp::And, {Type::B32}},
      {"or", AtomicOp::Or, {Type::B32}},
  };
  const Type type = d.type();
  const auto found = std::find_if(std::begin(kNames), std::end(kNames), [&](const Name& name) {
    return d.has(name.text) &&
           std::find(name.types.begin(), name.types.end(), type) != name.types.end();
  });
  ImageOp op;
  if (found == std::end(kNames) || !d.has("b") || !readShape(d, op) || op.layered ||
      op.shape == ImageShape::Cube || !readPlace(d, d.operand(0), Type::S32, op))
    return false;
  op.bounds = boundsOf(d);
  op.elements = 1;
  op.elementBytes = static_cast<uint8_t>(ptx::sizeInBytes(type));
  const uint32_t value = d.source(d.operand(1), type);
  op.data[0] = d.scratch(8);
  op.resident = d.scratch(4);
  emitImage(d, handlers::surfacePlaces, op);
  MicroOp& reduction =
      d.emit(atomicHandler(found->op, type, AddressKind::Host, false), OpClass::Atomic);
  reduction.slot[0] = reduction.slot[2] = reduction.slot[1] = value;
  reduction.slot[7] = op.data[0];
  reduction.guard = op.resident;
  reduction.guardFlip = 0;
  d.endsOpening();
  return true;
}

bool decodeQuery(Decoder& d) {
  struct Name {
    const char* text;
    ImageQuery query;
  };
  static constexpr Name kNames[] = {
      {"width", ImageQuery::Width},
      {"height", ImageQuery::Height},
      {"depth", ImageQuery::Depth},
      {"array_size", ImageQuery::ArraySize},
      {"num_mipmap_levels", ImageQuery::Levels},
      {"normalized_coords", ImageQuery::NormalizedCoordinates},
  };
  const Operand& address = d.operand(1);
  if (d.has("level") || address.kind != Operand::Kind::Address || address.elements.size() != 1 ||
      address.elements[0].kind != Operand::Kind::Register)
    return false;
  for (const Name& name : kNames)
    if (d.has(name.text)) {
      ImageOp op;
      op.query = name.query;
      op.handle = d.source(address.elements[0], Type::U64);
      op.data[0] = d.destination(d.operand(0), Type::B32);
      emitImage(d, handlers::imageQuery, op);
      return true;
    }
  return false;
}

} // namespace

bool decodeImage(Decoder& d) {
  const std::string_view opcode = d.opcode();
  if (opcode == "tex")
    return decodeTexture(d);
  if (opcode == "tld4")
    return decodeGather(d);
  if (opcode == "suld" || opcode == "sust")
    return decodeSurface(d, opcode == "suld");
  if (opcode == "sured")
    return decodeReduction(d);
  return (opcode == "txq" || opcode == "suq") && decodeQuery(d);
}

} // namespace gpusched::cpu
