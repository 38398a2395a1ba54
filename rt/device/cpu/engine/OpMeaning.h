// OpMeaning.h - what a decoded micro-op computes, told from its handler.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A micro-op holds its handler and operands, which is all that the interpreter needs. The block
// compiler needs to know the operation too. The tables of Isa.h turn operations into handlers;
// asked for every operation once, they also say which operation a handler is.
#pragma once

#include "rt/device/cpu/engine/Isa.h"

namespace gpusched::cpu {

struct OpMeaning {
  enum class Kind : uint8_t {
    Other, // the compiler calls the handler
    Integer,
    Select,
    Shift,
    Float,
    CompareInteger,
    CompareFloat,
    Predicate,
    Resize,
    Load,
    Store,
    Parameter,
  };
  Kind kind = Kind::Other;
  IntegerOp integer{};
  PredicateOp predicate{};
  Comparison comparison{};
  FloatForm floating = {};
  ptx::Type type = ptx::Type::None; // Integer, Select, Shift, CompareInteger
  AccessForm access = {};           // Load, Store, Parameter; Resize: from memory to register width

  bool isAccess() const { return kind == Kind::Load || kind == Kind::Store; }
};

/// Does a predicate choose the lanes that execute the op?
inline bool isGuarded(const MicroOp& op) {
  return op.guard != kTrueSlot || op.guardFlip;
}

/// The meaning of a micro-op that runs `handler`; Kind::Other for those not compiled.
OpMeaning meaningOf(Handler handler);

} // namespace gpusched::cpu
