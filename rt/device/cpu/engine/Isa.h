// Isa.h - the handlers of one host instruction set, chosen when the program starts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Execute*.cpp files marked so in CMakeLists.txt are compiled once per instruction set, each
// time inside a namespace named GPUSCHED_ISA, and export only their table. The decoder asks the
// table for the handler of an operation at a type; null means the combination does not exist.
#pragma once

#include "rt/device/cpu/engine/MicroOp.h"
#include "rt/device/cpu/ptx/Ir.h"

namespace gpusched::cpu {

enum class IntegerOp : uint8_t {
  Add,
  Sub,
  AddSat,
  SubSat,
  MulLo,
  MulHi,
  MulWide,
  MadLo,
  MadHi,
  MadWide,
  MadHiSat,
  Mul24Lo,
  Mul24Hi,
  Mad24Lo,
  Mad24Hi,
  Mad24HiSat,
  Sad,
  Div,
  Rem,
  Abs,
  Neg,
  Min,
  Max,
  MinRelu,
  MaxRelu,
  And,
  Or,
  Xor,
  Not,
  Cnot,
  Shl,
  Shr,
  FunnelLeftWrap,
  FunnelLeftClamp,
  FunnelRightWrap,
  FunnelRightClamp,
  Bfe,
  Bfi,
  Bfind,
  BfindShift,
  Brev,
  Clz,
  Popc,
  Lop3,
  Dp4a,
  Dp2aLo,
  Dp2aHi,
  Fns,
  SextClamp,
  SextWrap,
  BmskClamp,
  BmskWrap,
  Prmt,
  PrmtF4e,
  PrmtB4e,
  PrmtRc8,
  PrmtEcl,
  PrmtEcr,
  PrmtRc16,
  Mov,
  Select,
  AddOut,
  AddIn,
  AddInOut,
  SubOut,
  SubIn,
  SubInOut,
  MadLoOut,
  MadLoIn,
  MadLoInOut,
  MadHiOut,
  MadHiIn,
  MadHiInOut,
  Slct,
};

enum class PredicateOp : uint8_t { And, Or, Xor, Not, Mov };

enum class FloatOp : uint8_t {
  Add,
  Sub,
  Mul,
  Fma,
  Div,
  Abs,
  Neg,
  Min,
  Max,
  MinNan,
  MaxNan,
  Min3,
  Max3,
  Min3Nan,
  Max3Nan,
  MinXorSign,
  MaxXorSign,
  MinNanXorSign,
  MaxNanXorSign,
  Rcp,
  Sqrt,
  Rsqrt,
  Sin,
  Cos,
  Ex2,
  Lg2,
  Tanh,
  CopySign,
  FmaRelu,
  Slct,
};

enum class Rounding : uint8_t { Nearest, Zero, Down, Up };

struct FloatForm {
  FloatOp op;
  ptx::Type type = ptx::Type::F32;
  Rounding rounding = Rounding::Nearest;
  bool flush = false;    // .ftz
  bool saturate = false; // .sat
  bool approximate = false;
};

enum class Comparison : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan,
};

/// setp: slots 0 p, 1 a, 2 b, 3 q, 4 c. `detail` = BooleanOp | negate c << 4.
enum class BooleanOp : uint8_t { None, And, Or, Xor };

enum class TestOp : uint8_t { Finite, Infinite, Number, NotANumber, Normal, Subnormal };

struct ConvertForm {
  ptx::Type to, from;
  bool integerRounding = false; // .rni .rzi .rmi .rpi: round to an integer
  Rounding rounding = Rounding::Nearest;
  bool flush = false, saturate = false, relu = false;
  bool finite = false;   // .satfinite
  bool tiesAway = false; // .rna
};

enum class AddressKind : uint8_t { Host, Shared32, Shared64 };

struct AccessForm {
  AddressKind address = AddressKind::Host;
  uint8_t memoryBytes = 4; // of one element
  bool isSigned = false;   // extend with the sign
  uint8_t registerBytes = 4;
  uint8_t elements = 1;
};

struct Isa {
  const char* name;
  Handler (*integer)(IntegerOp op, ptx::Type type);
  Handler (*predicate)(PredicateOp op);
  Handler (*compareInteger)(Comparison comparison, ptx::Type type);
  Handler (*compareFloat)(Comparison comparison, ptx::Type type, bool flush);
  Handler (*setMask)(ptx::Type result); // a predicate as all ones, or 1.0f
  Handler (*test)(TestOp op, ptx::Type type);
  Handler (*floating)(const FloatForm& form);
  Handler (*half)(const FloatForm& form);
  Handler (*compareHalf)(Comparison comparison, ptx::Type type, bool flush);
  Handler (*convert)(const ConvertForm& form);
  Handler (*resize)(unsigned toBytes, unsigned fromBytes, bool isSigned);
  Handler (*load)(const AccessForm& form);
  Handler (*store)(const AccessForm& form);
  Handler (*loadParameter)(const AccessForm& form);
};

/// The best table this processor can run.
const Isa& hostIsa();

} // namespace gpusched::cpu
