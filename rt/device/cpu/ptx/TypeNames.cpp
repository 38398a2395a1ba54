// TypeNames - the spellings of PTX types and state spaces, and the types' sizes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table; a type that PTX gains is one line here and one in Ir.h.
#include "rt/device/cpu/ptx/TypeNames.h"

namespace gpusched::ptx {

namespace {

struct TypeEntry {
  Type type;
  std::string_view name;
  unsigned bytes;
};

constexpr TypeEntry kTypes[] = {
    {Type::Pred, "pred", 1},       {Type::B8, "b8", 1},         {Type::B16, "b16", 2},
    {Type::B32, "b32", 4},         {Type::B64, "b64", 8},       {Type::B128, "b128", 16},
    {Type::U8, "u8", 1},           {Type::U16, "u16", 2},       {Type::U32, "u32", 4},
    {Type::U64, "u64", 8},         {Type::S8, "s8", 1},         {Type::S16, "s16", 2},
    {Type::S32, "s32", 4},         {Type::S64, "s64", 8},       {Type::F16, "f16", 2},
    {Type::F16x2, "f16x2", 4},     {Type::BF16, "bf16", 2},     {Type::BF16x2, "bf16x2", 4},
    {Type::F32, "f32", 4},         {Type::F64, "f64", 8},       {Type::TF32, "tf32", 4},
    {Type::E4M3, "e4m3", 1},       {Type::E5M2, "e5m2", 1},     {Type::E4M3x2, "e4m3x2", 2},
    {Type::E5M2x2, "e5m2x2", 2},   {Type::TexRef, "texref", 8}, {Type::SamplerRef, "samplerref", 8},
    {Type::SurfRef, "surfref", 8},
};

} // namespace

unsigned sizeInBytes(Type type) {
  for (const TypeEntry& entry : kTypes)
    if (entry.type == type)
      return entry.bytes;
  return 0;
}

Type typeFromName(std::string_view name) {
  for (const TypeEntry& entry : kTypes)
    if (entry.name == name)
      return entry.type;
  return Type::None;
}

std::string_view typeName(Type type) {
  for (const TypeEntry& entry : kTypes)
    if (entry.type == type)
      return entry.name;
  return "";
}

Space spaceFromName(std::string_view name) {
  if (name == "global")
    return Space::Global;
  if (name == "shared" || name == "shared::cta")
    return Space::Shared;
  if (name == "local")
    return Space::Local;
  if (name == "const")
    return Space::Const;
  if (name == "param")
    return Space::Param;
  if (name == "reg")
    return Space::Reg;
  if (name == "tex") // old spelling: a texture reference in global memory
    return Space::Global;
  return Space::None;
}

} // namespace gpusched::ptx
