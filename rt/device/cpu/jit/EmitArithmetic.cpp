// EmitArithmetic.cpp - operations that compute each lane alone.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// They are those of ExecuteInteger.cpp, ExecuteFloat.cpp and ExecuteCompare.cpp, with the same
// results, NaNs included. Nothing is contracted or reassociated: no operation carries fast-math
// flags.
#include "rt/device/cpu/jit/BlockEmitter.h"

#include "rt/device/cpu/ptx/TypeKinds.h"

#include <llvm/IR/Intrinsics.h>

namespace gpusched::cpu::jit {

using llvm::Value;
using Kind = OpMeaning::Kind;
namespace {

constexpr uint32_t kExponent32 = 0x7f800000;
constexpr uint64_t kQuiet64 = 0x0008000000000000;

llvm::CmpInst::Predicate integerPredicate(Comparison comparison, bool isSigned) {
  using P = llvm::CmpInst::Predicate;
  switch (comparison) {
  case Comparison::Eq:
    return P::ICMP_EQ;
  case Comparison::Ne:
    return P::ICMP_NE;
  case Comparison::Lt:
    return isSigned ? P::ICMP_SLT : P::ICMP_ULT;
  case Comparison::Le:
    return isSigned ? P::ICMP_SLE : P::ICMP_ULE;
  case Comparison::Gt:
    return isSigned ? P::ICMP_SGT : P::ICMP_UGT;
  default:
    return isSigned ? P::ICMP_SGE : P::ICMP_UGE;
  }
}

llvm::CmpInst::Predicate floatPredicate(Comparison comparison) {
  using P = llvm::CmpInst::Predicate;
  constexpr P kOf[] = {P::FCMP_OEQ, P::FCMP_ONE, P::FCMP_OLT, P::FCMP_OLE, P::FCMP_OGT,
                       P::FCMP_OGE, P::FCMP_UEQ, P::FCMP_UNE, P::FCMP_ULT, P::FCMP_ULE,
                       P::FCMP_UGT, P::FCMP_UGE, P::FCMP_ORD, P::FCMP_UNO};
  return kOf[unsigned(comparison)];
}

unsigned operandsOf(FloatOp op) {
  switch (op) {
  case FloatOp::Fma:
    return 3;
  case FloatOp::Abs:
  case FloatOp::Neg:
  case FloatOp::Rcp:
  case FloatOp::Sqrt:
  case FloatOp::Rsqrt:
    return 1;
  default:
    return 2;
  }
}

/// Of an operand, a NaN's among them.
bool keepsBits(FloatOp op) {
  switch (op) {
  case FloatOp::Abs:
  case FloatOp::Neg:
  case FloatOp::Min:
  case FloatOp::Max:
  case FloatOp::MinNan:
  case FloatOp::MaxNan:
    return true;
  default:
    return false;
  }
}

} // namespace

bool BlockEmitter::emitArithmetic(const MicroOp& op, const OpMeaning& meaning) {
  switch (meaning.kind) {
  case Kind::Integer:
    integer(op, meaning);
    return true;
  case Kind::Shift:
    shift(op, meaning);
    return true;
  case Kind::Select:
    select(op, meaning);
    return true;
  case Kind::Resize:
    resize(op, meaning);
    return true;
  case Kind::Float:
    floating(op, meaning);
    return true;
  case Kind::Predicate:
    predicate(op, meaning);
    return true;
  case Kind::CompareInteger:
    compareIntegers(op, meaning);
    return true;
  case Kind::CompareFloat:
    compareFloats(op, meaning);
    return true;
  default:
    return false;
  }
}

void BlockEmitter::integer(const MicroOp& op, const OpMeaning& meaning) {
  const unsigned bytes = ptx::sizeInBytes(meaning.type);
  const bool sign = ptx::isSigned(meaning.type);
  const auto in = [&](unsigned k) { return reg(op.slot[k], bytes); };
  const auto wide = [&](unsigned k) {
    return sign ? builder_.CreateSExt(in(k), vectorOf(bytes * 2))
                : builder_.CreateZExt(in(k), vectorOf(bytes * 2));
  };
  const auto least = [&](bool greatest) {
    using P = llvm::CmpInst::Predicate;
    const P order =
        greatest ? (sign ? P::ICMP_SGT : P::ICMP_UGT) : (sign ? P::ICMP_SLT : P::ICMP_ULT);
    return builder_.CreateSelect(builder_.CreateICmp(order, in(1), in(2)), in(1), in(2));
  };
  const auto out = [&](Value* value) { set(op.slot[0], bytes, value); };
  switch (meaning.integer) {
  case IntegerOp::Add:
    return out(builder_.CreateAdd(in(1), in(2)));
  case IntegerOp::Sub:
    return out(builder_.CreateSub(in(1), in(2)));
  case IntegerOp::MulLo:
    return out(builder_.CreateMul(in(1), in(2)));
  case IntegerOp::MulHi: {
    Value* const product = builder_.CreateMul(wide(1), wide(2));
    return out(builder_.CreateTrunc(builder_.CreateLShr(product, bytes * 8), vectorOf(bytes)));
  }
  case IntegerOp::MulWide:
    return set(op.slot[0], bytes * 2, builder_.CreateMul(wide(1), wide(2)));
  case IntegerOp::MadLo:
    return out(builder_.CreateAdd(builder_.CreateMul(in(1), in(2)), in(3)));
  case IntegerOp::MadWide:
    return set(
        op.slot[0], bytes * 2,
        builder_.CreateAdd(builder_.CreateMul(wide(1), wide(2)), reg(op.slot[3], bytes * 2)));
  case IntegerOp::Neg:
    return out(builder_.CreateNeg(in(1)));
  case IntegerOp::Abs: {
    Value* const zero = llvm::Constant::getNullValue(vectorOf(bytes));
    Value* const negative = sign ? builder_.CreateICmpSLT(in(1), zero) : nullptr;
    return out(negative ? builder_.CreateSelect(negative, builder_.CreateNeg(in(1)), in(1))
                        : in(1));
  }
  case IntegerOp::Min:
    return out(least(false));
  case IntegerOp::Max:
    return out(least(true));
  case IntegerOp::And:
    return out(builder_.CreateAnd(in(1), in(2)));
  case IntegerOp::Or:
    return out(builder_.CreateOr(in(1), in(2)));
  case IntegerOp::Xor:
    return out(builder_.CreateXor(in(1), in(2)));
  case IntegerOp::Not:
    return out(builder_.CreateNot(in(1)));
  default:
    return out(in(1)); // Mov
  }
}

/// Amounts of 32 bits; from the width on, all bits are shifted out.
void BlockEmitter::shift(const MicroOp& op, const OpMeaning& meaning) {
  const unsigned bytes = ptx::sizeInBytes(meaning.type);
  Value* const value = reg(op.slot[1], bytes);
  Value* const amount = reg(op.slot[2], 4);
  Value* const top = splat(builder_.getInt32(bytes * 8 - 1));
  Value* const inside = builder_.CreateICmpULE(amount, top);
  Value* const clamped =
      builder_.CreateZExtOrTrunc(builder_.CreateSelect(inside, amount, top), vectorOf(bytes));
  if (meaning.integer == IntegerOp::Shr && ptx::isSigned(meaning.type))
    return set(op.slot[0], bytes, builder_.CreateAShr(value, clamped));
  Value* const shifted = meaning.integer == IntegerOp::Shl ? builder_.CreateShl(value, clamped)
                                                           : builder_.CreateLShr(value, clamped);
  set(op.slot[0], bytes,
      builder_.CreateSelect(inside, shifted, llvm::Constant::getNullValue(vectorOf(bytes))));
}

void BlockEmitter::select(const MicroOp& op, const OpMeaning& meaning) {
  const unsigned bytes = ptx::sizeInBytes(meaning.type);
  Value* const chosen =
      builder_.CreateXor(mask(op.slot[3]), builder_.getInt32(op.detail ? kAllLanes : 0));
  set(op.slot[0], bytes,
      builder_.CreateSelect(lanesOf(chosen), reg(op.slot[1], bytes), reg(op.slot[2], bytes)));
}

void BlockEmitter::resize(const MicroOp& op, const OpMeaning& meaning) {
  const unsigned from = meaning.access.memoryBytes, to = meaning.access.registerBytes;
  Value* const value = reg(op.slot[1], from);
  set(op.slot[0], to,
      meaning.access.isSigned ? builder_.CreateSExtOrTrunc(value, vectorOf(to))
                              : builder_.CreateZExtOrTrunc(value, vectorOf(to)));
}

/// .ftz: a subnormal becomes a zero of its sign.
Value* BlockEmitter::flushed(Value* value) {
  Value* const bits = builder_.CreateBitCast(value, vectorOf(4));
  Value* const exponent = builder_.CreateAnd(bits, splat(builder_.getInt32(kExponent32)));
  Value* const normal = builder_.CreateIsNotNull(exponent);
  Value* const zero = builder_.CreateAnd(bits, splat(builder_.getInt32(0x80000000)));
  return builder_.CreateBitCast(builder_.CreateSelect(normal, bits, zero), vectorOf(4, true));
}

/// .sat: to [0, 1]; NaN and -0 become +0.
Value* BlockEmitter::saturated(Value* value) {
  Value* const zero = llvm::ConstantFP::get(value->getType(), 0.0);
  Value* const one = llvm::ConstantFP::get(value->getType(), 1.0);
  Value* const below = builder_.CreateSelect(builder_.CreateFCmpOLT(value, one), value, one);
  return builder_.CreateSelect(builder_.CreateFCmpOGT(value, zero), below, zero);
}

/// All ones where the sign bit is set.
Value* BlockEmitter::signOf(Value* value) {
  const bool isDouble = value->getType()->getScalarType()->isDoubleTy();
  llvm::Type* const bits = vectorOf(isDouble ? 8 : 4);
  return builder_.CreateICmpSLT(builder_.CreateBitCast(value, bits),
                                llvm::Constant::getNullValue(bits));
}

/// One NaN: the other operand, or the NaN where the operation says so. -0 is less than +0.
Value* BlockEmitter::leastOrGreatest(FloatOp op, Value* a, Value* b) {
  const bool greatest = op == FloatOp::Max || op == FloatOp::MaxNan;
  const bool keepsNan = op == FloatOp::MinNan || op == FloatOp::MaxNan;
  const auto before = [&](Value* x, Value* y) {
    return greatest ? builder_.CreateFCmpOGT(x, y) : builder_.CreateFCmpOLT(x, y);
  };
  Value* const equal =
      greatest ? builder_.CreateSelect(signOf(a), b, a) : builder_.CreateSelect(signOf(a), a, b);
  Value* result = builder_.CreateSelect(before(b, a), b, equal);
  result = builder_.CreateSelect(before(a, b), a, result);
  Value* const aNan = builder_.CreateFCmpUNO(a, a);
  result = builder_.CreateSelect(aNan, keepsNan ? a : b, result);
  Value* const bNan = builder_.CreateFCmpUNO(b, b);
  Value* const other = keepsNan ? b : builder_.CreateSelect(aNan, b, a);
  return builder_.CreateSelect(bNan, other, result);
}

/// f64: the first operand that is a NaN, quiet; of two the host would keep either.
Value* BlockEmitter::withNan(Value* result, llvm::ArrayRef<Value*> operands) {
  for (Value* operand : llvm::reverse(operands)) {
    Value* const quiet = builder_.CreateOr(builder_.CreateBitCast(operand, vectorOf(8)),
                                           splat(builder_.getInt64(kQuiet64)));
    result = builder_.CreateSelect(builder_.CreateFCmpUNO(operand, operand),
                                   builder_.CreateBitCast(quiet, vectorOf(8, true)), result);
  }
  return result;
}

Value* BlockEmitter::arithmetic(FloatOp op, llvm::ArrayRef<Value*> in) {
  const auto one = [&] { return llvm::ConstantFP::get(in[0]->getType(), 1.0); };
  const auto root = [&] { return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, in[0]); };
  switch (op) {
  case FloatOp::Add:
    return builder_.CreateFAdd(in[0], in[1]);
  case FloatOp::Sub:
    return builder_.CreateFSub(in[0], in[1]);
  case FloatOp::Mul:
    return builder_.CreateFMul(in[0], in[1]);
  case FloatOp::Fma:
    return builder_.CreateIntrinsic(llvm::Intrinsic::fma, {in[0]->getType()}, in);
  case FloatOp::Div:
    return builder_.CreateFDiv(in[0], in[1]);
  case FloatOp::Rcp:
    return builder_.CreateFDiv(one(), in[0]);
  case FloatOp::Sqrt:
    return root();
  default:
    return builder_.CreateFDiv(one(), root()); // Rsqrt
  }
}

/// Abs, Neg, Min, Max: a NaN keeps its bits.
Value* BlockEmitter::chosen(FloatOp op, llvm::ArrayRef<Value*> in) {
  if (op == FloatOp::Abs)
    return builder_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, in[0]);
  return op == FloatOp::Neg ? builder_.CreateFNeg(in[0]) : leastOrGreatest(op, in[0], in[1]);
}

void BlockEmitter::floating(const MicroOp& op, const OpMeaning& meaning) {
  const FloatForm& form = meaning.floating;
  const unsigned bytes = ptx::sizeInBytes(form.type), operands = operandsOf(form.op);
  const bool computes = !keepsBits(form.op);
  std::vector<Value*> in;
  for (unsigned k = 1; k <= operands; ++k) {
    Value* const value = computes ? operand(op.slot[k], bytes) : floats(op.slot[k], bytes);
    in.push_back(form.flush ? flushed(value) : value);
  }
  Value* result = computes ? arithmetic(form.op, in) : chosen(form.op, in);
  if (computes && bytes == 8 && operands > 1)
    result = withNan(result, {in[0], in[1]});
  if (form.flush)
    result = flushed(result);
  set(op.slot[0], bytes, form.saturate ? saturated(result) : result);
  held_[op.slot[0]].anyNan = computes && bytes == 4 && !form.saturate;
}

void BlockEmitter::predicate(const MicroOp& op, const OpMeaning& meaning) {
  const auto in = [&](unsigned k) {
    return builder_.CreateXor(mask(op.slot[k]), builder_.getInt32(op.detail & k ? kAllLanes : 0));
  };
  switch (meaning.predicate) {
  case PredicateOp::And:
    return setMask(op.slot[0], builder_.CreateAnd(in(1), in(2)));
  case PredicateOp::Or:
    return setMask(op.slot[0], builder_.CreateOr(in(1), in(2)));
  case PredicateOp::Xor:
    return setMask(op.slot[0], builder_.CreateXor(in(1), in(2)));
  case PredicateOp::Not:
    return setMask(op.slot[0], builder_.CreateNot(in(1)));
  case PredicateOp::Mov:
    return setMask(op.slot[0], in(1));
  }
}

void BlockEmitter::compareIntegers(const MicroOp& op, const OpMeaning& meaning) {
  const unsigned bytes = ptx::sizeInBytes(meaning.type);
  storePredicates(
      op, builder_.CreateICmp(integerPredicate(meaning.comparison, ptx::isSigned(meaning.type)),
                              reg(op.slot[1], bytes), reg(op.slot[2], bytes)));
}

void BlockEmitter::compareFloats(const MicroOp& op, const OpMeaning& meaning) {
  const unsigned bytes = ptx::sizeInBytes(meaning.floating.type);
  const auto in = [&](unsigned k) {
    Value* const value = operand(op.slot[k], bytes);
    return meaning.floating.flush && bytes == 4 ? flushed(value) : value;
  };
  storePredicates(op, builder_.CreateFCmp(floatPredicate(meaning.comparison), in(1), in(2)));
}

/// p = (a cmp b) bool c, q = !(a cmp b) bool c.
void BlockEmitter::storePredicates(const MicroOp& op, Value* lanes) {
  Value* const value = maskOf(lanes);
  const auto combined = [&](Value* with, Value* answer) {
    switch (static_cast<BooleanOp>(op.detail & 15)) {
    case BooleanOp::And:
      return builder_.CreateAnd(answer, with);
    case BooleanOp::Or:
      return builder_.CreateOr(answer, with);
    case BooleanOp::Xor:
      return builder_.CreateXor(answer, with);
    default:
      return answer;
    }
  };
  Value* const with =
      builder_.CreateXor(mask(op.slot[4]), builder_.getInt32(op.detail & 16 ? kAllLanes : 0));
  Value* const p = combined(with, value);
  setMask(op.slot[3], combined(with, builder_.CreateNot(value)));
  setMask(op.slot[0], p);
}

} // namespace gpusched::cpu::jit
