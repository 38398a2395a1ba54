// OpMeaning.cpp - the table from handlers back to operations.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that share a handler compute the same; the first that is asked for stays.
#include "rt/device/cpu/engine/OpMeaning.h"

#include <unordered_map>

namespace gpusched::cpu {
namespace {

using Kind = OpMeaning::Kind;
using ptx::Type;

constexpr Type kIntegers[] = {Type::U16, Type::S16, Type::U32, Type::S32, Type::U64, Type::S64};
constexpr IntegerOp kElementwise[] = {
    IntegerOp::Add,     IntegerOp::Sub, IntegerOp::MulLo,   IntegerOp::MulHi,
    IntegerOp::MulWide, IntegerOp::Neg, IntegerOp::MadLo,   IntegerOp::Abs,
    IntegerOp::Min,     IntegerOp::Max, IntegerOp::MadWide, IntegerOp::And,
    IntegerOp::Or,      IntegerOp::Xor, IntegerOp::Not,     IntegerOp::Mov};
constexpr FloatOp kFloats[] = {FloatOp::Add,    FloatOp::Sub,    FloatOp::Mul, FloatOp::Fma,
                               FloatOp::Div,    FloatOp::Abs,    FloatOp::Neg, FloatOp::Min,
                               FloatOp::Max,    FloatOp::MinNan, FloatOp::Rcp, FloatOp::Sqrt,
                               FloatOp::MaxNan, FloatOp::Rsqrt};

class Table {
public:
  Table() {
    addIntegers();
    addFloats();
    addPredicates();
    addResizes();
    for (AddressKind address : {AddressKind::Host, AddressKind::Shared32, AddressKind::Shared64})
      addAccesses(address);
  }

  OpMeaning find(Handler handler) const {
    const auto found = meanings_.find(handler);
    return found == meanings_.end() ? OpMeaning{} : found->second;
  }

private:
  void add(Handler handler, const OpMeaning& meaning) {
    if (handler)
      meanings_.try_emplace(handler, meaning);
  }

  void addIntegers() {
    for (Type type : kIntegers) {
      for (IntegerOp op : kElementwise)
        add(isa_.integer(op, type), {.kind = Kind::Integer, .integer = op, .type = type});
      for (IntegerOp op : {IntegerOp::Shl, IntegerOp::Shr})
        add(isa_.integer(op, type), {.kind = Kind::Shift, .integer = op, .type = type});
      add(isa_.integer(IntegerOp::Select, type), {.kind = Kind::Select, .type = type});
      for (unsigned c = 0; c <= unsigned(Comparison::Ge); ++c)
        add(isa_.compareInteger(Comparison(c), type),
            {.kind = Kind::CompareInteger, .comparison = Comparison(c), .type = type});
    }
  }

  void addFloats() {
    for (Type type : {Type::F32, Type::F64})
      for (bool flush : {false, true}) {
        for (bool saturate : {false, true})
          for (FloatOp op : kFloats) {
            const FloatForm form{.op = op, .type = type, .flush = flush, .saturate = saturate};
            add(isa_.floating(form), {.kind = Kind::Float, .floating = form});
          }
        for (unsigned c = 0; c <= unsigned(Comparison::Nan); ++c)
          add(isa_.compareFloat(Comparison(c), type, flush),
              {.kind = Kind::CompareFloat,
               .comparison = Comparison(c),
               .floating = {.op = FloatOp::Add, .type = type, .flush = flush}});
      }
  }

  void addPredicates() {
    for (unsigned op = 0; op <= unsigned(PredicateOp::Mov); ++op)
      add(isa_.predicate(PredicateOp(op)), {.kind = Kind::Predicate, .predicate = PredicateOp(op)});
  }

  void addResizes() {
    for (uint8_t to : {2, 4, 8})
      for (uint8_t from : {2, 4, 8})
        for (bool isSigned : {false, true})
          add(isa_.resize(to, from, isSigned),
              {.kind = Kind::Resize,
               .access = {.memoryBytes = from, .isSigned = isSigned, .registerBytes = to}});
  }

  void addAccesses(AddressKind address) {
    for (uint8_t memory : {1, 2, 4, 8})
      for (bool isSigned : {false, true})
        for (uint8_t held : {2, 4, 8})
          for (uint8_t elements : {1, 2, 4}) {
            const AccessForm form{address, memory, isSigned, held, elements};
            add(isa_.load(form), {.kind = Kind::Load, .access = form});
            add(isa_.store(form), {.kind = Kind::Store, .access = form});
            add(isa_.loadParameter(form), {.kind = Kind::Parameter, .access = form});
          }
  }

  const Isa& isa_ = hostIsa();
  std::unordered_map<Handler, OpMeaning> meanings_;
};

} // namespace

OpMeaning meaningOf(Handler handler) {
  static const Table table;
  return table.find(handler);
}

} // namespace gpusched::cpu
