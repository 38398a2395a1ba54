// DecodeBarrier.cpp - barriers of a block, fences and waiting.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bar.warp.sync is with the warp operations, barrier.cluster in DecodeCluster.cpp. `detail` of a
// barrier: reduction, bit 2 set when the barrier does not wait, bit 3 when the predicate is
// negated.
#include "rt/device/cpu/engine/Decoder.h"
#include "rt/device/cpu/engine/Handlers.h"

namespace gpusched::cpu {
namespace {

using ptx::Type;

/// bar.red.op{.type} d, a{, b}, {!}c and bar.sync/arrive a{, b}.
bool barrier(Decoder& d) {
  const bool reduces = d.has("red"), arrives = d.has("arrive");
  size_t next = reduces ? 1 : 0;
  const size_t last = d.operandCount() - (reduces ? 1 : 0);
  const uint32_t id = d.source(d.operand(next++), Type::U32);
  const bool counted = next < last;
  const uint32_t threads = counted ? d.source(d.operand(next), Type::U32) : d.constant(0, 4);
  unsigned detail = arrives ? 4 : 0;
  uint32_t result = kSinkMaskSlot, predicate = kTrueSlot;
  if (reduces) {
    bool negated = false;
    predicate = d.predicate(d.operand(last), negated);
    const bool popc = d.has("popc");
    detail |= popc ? 1 : d.has("and") ? 2 : 3;
    detail |= negated ? 8 : 0;
    result = popc ? d.destination(d.operand(0), Type::U32) : d.predicateDestination(d.operand(0));
  }
  MicroOp& op = d.emit(handlers::barrier, OpClass::Barrier);
  op.slot[0] = result, op.slot[1] = id, op.slot[2] = threads, op.slot[3] = predicate;
  op.detail = static_cast<uint16_t>(detail);
  return true;
}

bool emitPlain(Decoder& d, Handler handler, OpClass opClass) {
  d.emit(handler, opClass);
  return true;
}

} // namespace

bool decodeBarrier(Decoder& d) {
  const std::string_view opcode = d.opcode();
  if (opcode == "bar" || opcode == "barrier")
    return !d.has("warp") && !d.has("cluster") && barrier(d);
  if (opcode == "membar" || opcode == "fence")
    return emitPlain(d, handlers::fence, OpClass::Other);
  if (opcode == "nanosleep")
    return emitPlain(d, handlers::yieldWarp, OpClass::Other);
  if (opcode == "griddepcontrol" || opcode == "setmaxnreg")
    return emitPlain(d, handlers::nothing, OpClass::Other);
  return false;
}

} // namespace gpusched::cpu
