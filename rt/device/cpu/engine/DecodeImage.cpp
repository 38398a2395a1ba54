// DecodeImage.cpp - tex, tld4, suld, sust, txq, suq.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The unified, bindless forms: the first element of the address is a 64-bit handle. Refused (the
// instruction is then unsupported): .texref and .samplerref variables, texel offsets, depth
// comparison, multisampled images, f16 results, sured and the formatted surface forms (.p).
// Slot 1 is an index into LoadedModule::imageOps.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/ImageOp.h"

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
  return d.operandCount() == operands; // more: an offset or a depth
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
  if (texel.size() != ImageOp::kMostElements)
    return false;
  for (unsigned k = 0; k < ImageOp::kMostElements; ++k)
    op.data[k] = d.destination(texel[k], Type::B32);
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
  if (!isResult(d.type(0)) || !readShape(d, op) ||
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
  if (!isResult(d.type(0)) || d.type(1) != Type::F32 || d.operandCount() != 2 ||
      !readShape(d, op) || !readPlace(d, d.operand(1), Type::F32, op) ||
      !readResults(d, d.operand(0), op))
    return false;
  emitImage(d, handlers::textureGather, op);
  return true;
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
  op.bounds = d.has("clamp")  ? SurfaceBounds::Clamp
              : d.has("zero") ? SurfaceBounds::Zero
                              : SurfaceBounds::Trap;
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
  return (opcode == "txq" || opcode == "suq") && decodeQuery(d);
}

} // namespace gpusched::cpu
