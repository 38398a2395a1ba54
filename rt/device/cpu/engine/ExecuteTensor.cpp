// ExecuteTensor.cpp - matrix multiply-accumulate and the moves that feed it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products and sums are done in double and rounded once to the result's type. Every product of
// f16, bf16, tf32 and narrower values is exact in it, so integers are exact and floats at least as
// exact as a tensor core, whose own order and rounding of sums is not documented.
// The whole warp takes part: lanes that arrive apart wait for each other. Where an element is
// is said in TensorOp.h; slots in DecodeTensor.cpp.
#define GPUSCHED_ISA plain
#include "rt/device/cpu/engine/AccessAddress.h"
#include "rt/device/cpu/engine/AccessCounting.h"
#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/Checker.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/LaneValue.h"
#include "rt/device/cpu/engine/MemoryTrace.h"
#include "rt/device/cpu/engine/Program.h"
#include "rt/device/cpu/engine/TensorSparse.h"
#include "rt/device/cpu/engine/TensorValues.h"
#include "rt/device/cpu/engine/WarpModes.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace gpusched::cpu::handlers {
namespace {

constexpr unsigned kMostElements = 16 * 256;
constexpr unsigned kMostSums = 32 * 32;
constexpr unsigned kMatrixRows = 8; // of ldmatrix
constexpr unsigned kMatrixRowBytes = 16;

void write(const TensorOp& op, double value, uint8_t* bytes) {
  const auto put = [&](auto result) { std::memcpy(bytes, &result, sizeof result); };
  switch (op.d.element) {
  case TensorElement::F16:
    return put(plain::Half::fromDouble(value, Rounding::Nearest));
  case TensorElement::F32:
    return put(static_cast<float>(value));
  case TensorElement::F64:
    return put(value);
  case TensorElement::S32:
    return put(toInteger(value, op.saturate));
  default:
    break;
  }
}

/// What moves between memory and registers at once: elements, or words of them if they are
/// smaller than bytes.
unsigned unitBytes(TensorElement element) {
  const unsigned bits = elementBits(element);
  return bits < 8 ? 4 : bits / 8;
}

/// Visits (place of the first element, its bytes in the frame) of every unit that lanes of `mask`
/// hold.
template <class Visit>
void eachElement(const TensorFragment& fragment, uint8_t* frame, Mask mask, Visit visit) {
  const unsigned bytes = unitBytes(fragment.element);
  const unsigned step = bytes * 8 / elementBits(fragment.element);
  const unsigned each = fragment.elementsInRegister() / step;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    const uint16_t* place = fragment.places + lane * fragment.held();
    for (unsigned r = 0; r < fragment.registers; ++r) {
      uint8_t* const held = frame + fragment.slots[r] + lane * fragment.registerBytes();
      for (unsigned i = 0; i < each; ++i)
        visit(*place, held + i * bytes), place += step;
    }
  }
}

template <class T, class Convert>
void gatherAs(const TensorFragment& fragment, uint8_t* frame, Mask mask, double* matrix,
              Convert convert) {
  std::memset(matrix, 0, sizeof(double) * fragment.rows * fragment.columns);
  eachElement(fragment, frame, mask, [&](unsigned place, const uint8_t* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    matrix[place] = convert(value);
  });
}

/// Elements below 8 bits: those of one register follow each other in its place's row or column.
void gatherNarrow(const TensorFragment& fragment, uint8_t* frame, Mask mask, double* matrix) {
  const unsigned bits = elementBits(fragment.element), each = 32 / bits;
  std::memset(matrix, 0, sizeof(double) * fragment.rows * fragment.columns);
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    const uint16_t* place = fragment.places + lane * fragment.held();
    for (unsigned r = 0; r < fragment.registers; ++r) {
      uint32_t word;
      std::memcpy(&word, frame + fragment.slots[r] + lane * 4, sizeof word);
      for (unsigned i = 0; i < each; ++i, word >>= bits % 32) {
        const unsigned value = word & ((1u << bits) - 1);
        const bool negative = fragment.element == TensorElement::S4 && value > 7;
        matrix[*place++] = negative ? int(value) - 16 : int(value);
      }
    }
  }
}

void gather(const TensorFragment& fragment, uint8_t* frame, Mask mask, double* matrix) {
  const auto same = [](auto value) -> double { return value; };
  switch (fragment.element) {
  case TensorElement::F16:
    return gatherAs<uint16_t>(fragment, frame, mask, matrix,
                              [](auto bits) { return fromHalf(bits); });
  case TensorElement::BF16:
    return gatherAs<uint16_t>(fragment, frame, mask, matrix,
                              [](auto bits) { return fromBrain(bits); });
  case TensorElement::TF32:
    return gatherAs<uint32_t>(fragment, frame, mask, matrix,
                              [](auto bits) { return fromTensorFloat(bits); });
  case TensorElement::F32:
    return gatherAs<float>(fragment, frame, mask, matrix, same);
  case TensorElement::F64:
    return gatherAs<double>(fragment, frame, mask, matrix, same);
  case TensorElement::S8:
    return gatherAs<int8_t>(fragment, frame, mask, matrix, same);
  case TensorElement::U8:
    return gatherAs<uint8_t>(fragment, frame, mask, matrix, same);
  case TensorElement::S32:
    return gatherAs<int32_t>(fragment, frame, mask, matrix, same);
  case TensorElement::E4M3:
    return gatherAs<uint8_t>(fragment, frame, mask, matrix,
                             [](uint8_t bits) { return plain::E4M3::toDouble(bits); });
  case TensorElement::E5M2:
    return gatherAs<uint8_t>(fragment, frame, mask, matrix,
                             [](uint8_t bits) { return plain::E5M2::toDouble(bits); });
  case TensorElement::S4:
  case TensorElement::U4:
  case TensorElement::B1:
    return gatherNarrow(fragment, frame, mask, matrix);
  case TensorElement::None:
    break;
  }
}

const TensorOp& tensorOf(const MicroOp* op, const Warp& warp) {
  return warp.frame->function->module->tensorOps[op->slot[1]];
}

/// Eight columns at a time; as a vector type because GCC would vectorise the other loop.
using Columns = double __attribute__((vector_size(64), aligned(8), may_alias));

template <unsigned kColumns>
inline void multiplyColumns(const TensorOp& op, const double* a, const double* b, double* sums) {
  for (unsigned row = 0; row < op.m; ++row)
    for (unsigned first = 0; first < kColumns; first += 8) {
      Columns& out = *reinterpret_cast<Columns*>(sums + row * kColumns + first);
      Columns sum = out;
      for (unsigned inner = 0; inner < op.k; ++inner)
        sum +=
            a[row * op.k + inner] * *reinterpret_cast<const Columns*>(b + inner * kColumns + first);
      out = sum;
    }
}

void multiplyAdd(const TensorOp& op, const double* a, const double* b, double* sums) {
  for (unsigned i = 0; op.quads && i < 3; ++i) {
    multiplyColumns<8>(op, a, b, sums);
    a += op.m * op.k, b += op.k * op.n, sums += op.m * op.n;
  }
  if (op.n == 8)
    return multiplyColumns<8>(op, a, b, sums);
  return op.n == 16 ? multiplyColumns<16>(op, a, b, sums) : multiplyColumns<32>(op, a, b, sums);
}

/// a xor b is b + a * (1 - 2 * b): adds the first part, leaves the factor in `b`.
void exclusive(const TensorOp& op, double* b, double* sums) {
  for (unsigned inner = 0; inner < op.k; ++inner)
    for (unsigned column = 0; column < op.n; ++column) {
      double& bit = b[inner * op.n + column];
      for (unsigned row = 0; row < op.m; ++row)
        sums[row * op.n + column] += bit;
      bit = 1 - 2 * bit;
    }
}

void gatherSparse(const TensorOp& op, uint8_t* frame, Mask mask, double* full) {
  double stored[kMostElements];
  uint32_t metadata[kLanes];
  gather(op.a, frame, mask, stored);
  std::memcpy(metadata, frame + op.metadata, sizeof metadata);
  expandSparse(op, metadata, stored, full);
}

/// Memory that lanes address, shared or not.
struct Target {
  AddressKind kind;
  uint64_t address; // an offset if shared

  bool shared() const { return kind != AddressKind::Host; }
  bool valid(const Warp& warp, uint64_t at, unsigned bytes) const {
    return at % bytes == 0 && (!shared() || (at + bytes <= warp.sharedBytes && at + bytes > at));
  }
  uint8_t* host(const Warp& warp, uint64_t at) const {
    return shared() ? warp.shared + at : reinterpret_cast<uint8_t*>(at);
  }
};

Target target(const uint8_t* frame, const MicroOp* op, unsigned lane) {
  const AddressKind kind = static_cast<AddressKind>(op->detail & kMatrixAddress);
  return {kind, accessAddress(frame, op, lane, kind)};
}

/// The rows or columns that a matrix has in memory, one run each.
void countMatrix(Warp& warp, const TensorOp& tensor, const Target& to, uint64_t stride,
                 AccessKind kind) {
  const TensorFragment& fragment = tensor.d;
  const unsigned bytes = unitBytes(fragment.element);
  const unsigned lines = tensor.rowMajor ? fragment.rows : fragment.columns;
  const unsigned length = tensor.rowMajor ? fragment.columns : fragment.rows;
  const unsigned narrow = unitBytes(fragment.element) * 8 / elementBits(fragment.element);
  const uint64_t arena = reinterpret_cast<uint64_t>(warp.shared);
  const bool inArena = !to.shared() && to.address - arena < warp.sharedBytes;
  AccessRuns runs;
  for (unsigned line = 0; line < lines; ++line)
    runs.add(to.address - (inArena ? arena : 0) + line * stride / narrow * bytes,
             length / narrow * bytes);
  if (to.shared() || inArena)
    warp.block->trace->shared(runs);
  else
    warp.block->trace->global(kind, runs);
}

/// Moves between the matrix at `op`'s address and the registers; move(memory, held, bytes).
template <class Move>
const MicroOp* moveFragment(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp,
                            AccessKind kind, Move move) {
  if (mask != warp.live)
    return warp.waitForLanes(op, mask, warp.live);
  const TensorOp& tensor = tensorOf(op, warp);
  const unsigned narrow = unitBytes(tensor.d.element) * 8 / elementBits(tensor.d.element);
  const unsigned first = std::countr_zero(mask), bytes = unitBytes(tensor.d.element);
  const Target to = target(frame, op, first);
  uint32_t stride;
  std::memcpy(&stride, frame + op->slot[2] + first * sizeof stride, sizeof stride);
  warp.memoryOp = op;
  if (warp.counting)
    countMatrix(warp, tensor, to, stride, kind);
  bool good = true;
  const Access& how = plainAccess(kind == AccessKind::Store);
  eachElement(tensor.d, frame, mask, [&](unsigned place, uint8_t* held) {
    const uint64_t row = tensor.d.row(place), column = tensor.d.column(place);
    const uint64_t index = tensor.rowMajor ? row * stride + column : column * stride + row;
    const uint64_t at = to.address + index / narrow * bytes;
    const Touch touch{op, first, at, bytes, to.shared(), bytes, &how};
    if (warp.checker && !warp.checker->allows(warp, touch))
      return;
    good &= to.valid(warp, at, bytes);
    if (good)
      move(to.host(warp, at), held, bytes);
    if (warp.checker && good)
      warp.checker->made(warp, touch);
  });
  return good ? op + 1
              : warp.fault(op, "the matrix is misaligned or reaches outside the block's shared "
                               "memory; check the pointer and the leading dimension");
}

/// False if the row must not be accessed. The rows are all there before one is moved.
bool touchRow(Warp& warp, const MicroOp* op, unsigned lane, const Target& at, AccessCount kind) {
  return admits(warp, {op, lane, at.address, kMatrixRowBytes, at.shared(), kMatrixRowBytes,
                       &plainAccess(kind == AccessCount::Store)});
}

/// Visits the memory and the register half of every element of ldmatrix and stmatrix.
template <class Move>
const MicroOp* moveMatrices(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp,
                            AccessCount kind, Move move) {
  if (mask != warp.live)
    return warp.waitForLanes(op, mask, warp.live);
  const unsigned count = op->detail >> kMatrixCount & 7;
  const Mask addressing = mask & static_cast<Mask>((uint64_t(1) << (count * kMatrixRows)) - 1);
  const AddressKind addressKind = target(frame, op, 0).kind;
  const bool shared = addressKind != AddressKind::Host;
  const unsigned addressBytes = addressKind == AddressKind::Shared32 ? 4 : 8;
  warp.memoryOp = op;
  if (warp.counting)
    countAccess(warp, op, frame, addressing, kMatrixRowBytes, kind, shared, addressBytes);
  // All addresses first: a result may lie in the register that held them.
  uint8_t* rows[kLanes];
  for (Mask rest = addressing; rest; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    const Target at = target(frame, op, lane);
    if (!touchRow(warp, op, lane, at, kind))
      return op + 1;
    if (!at.valid(warp, at.address, kMatrixRowBytes))
      return badAccess(warp, op, frame, addressing, kMatrixRowBytes, shared, addressBytes);
    rows[lane] = at.host(warp, at.address);
  }
  const bool transposed = op->detail & kMatrixTransposed;
  for (Mask rest = addressing; rest; rest &= rest - 1) {
    const unsigned source = std::countr_zero(rest), row = source % kMatrixRows;
    uint8_t* const held = frame + op->slot[source / kMatrixRows];
    for (unsigned column = 0; column < kMatrixRows; ++column) {
      const unsigned line = transposed ? column : row, within = transposed ? row : column;
      const unsigned lane = line * 4 + within / 2;
      if (mask >> lane & 1)
        move(rows[source] + column * 2, held + lane * 4 + within % 2 * 2);
    }
  }
  return op + 1;
}

} // namespace

const MicroOp* tensorMultiply(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  if (mask != warp.live)
    return warp.waitForLanes(op, mask, warp.live);
  const TensorOp& tensor = tensorOf(op, warp);
  if (warp.counting)
    warp.flops += (tensor.quads ? 8 : 2) * tensor.m * tensor.n * tensor.k;
  double a[kMostElements], b[kMostElements], sums[kMostSums];
  if (tensor.sparse)
    gatherSparse(tensor, frame, mask, a);
  else
    gather(tensor.a, frame, mask, a);
  gather(tensor.b, frame, mask, b);
  gather(tensor.c, frame, mask, sums);
  if (tensor.bits == BitProduct::Xor)
    exclusive(tensor, b, sums);
  multiplyAdd(tensor, a, b, sums);
  eachElement(tensor.d, frame, mask,
              [&](unsigned place, uint8_t* bytes) { write(tensor, sums[place], bytes); });
  return op + 1;
}

const MicroOp* tensorLoad(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  return moveFragment(frame, op, mask, warp, AccessKind::Load,
                      [](const uint8_t* memory, uint8_t* held, unsigned bytes) {
                        std::memcpy(held, memory, bytes);
                      });
}

const MicroOp* tensorStore(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  return moveFragment(frame, op, mask, warp, AccessKind::Store,
                      [](uint8_t* memory, const uint8_t* held, unsigned bytes) {
                        std::memcpy(memory, held, bytes);
                      });
}

/// movmatrix: slot 0 = slot 1 with rows and columns exchanged.
const MicroOp* matrixTranspose(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  if (mask != warp.live)
    return warp.waitForLanes(op, mask, warp.live);
  uint16_t from[2 * kLanes];
  std::memcpy(from, frame + op->slot[1], sizeof from);
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned row = lane / 4, column = lane % 4 * 2 + i;
      std::memcpy(frame + op->slot[0] + lane * 4 + i * 2, &from[column * kMatrixRows + row], 2);
    }
  }
  return op + 1;
}

const MicroOp* matrixLoad(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  return moveMatrices(frame, op, mask, warp, AccessCount::Load,
                      [](const uint8_t* memory, uint8_t* held) { std::memcpy(held, memory, 2); });
}

const MicroOp* matrixStore(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  return moveMatrices(frame, op, mask, warp, AccessCount::Store,
                      [](uint8_t* memory, const uint8_t* held) { std::memcpy(memory, held, 2); });
}

} // namespace gpusched::cpu::handlers
