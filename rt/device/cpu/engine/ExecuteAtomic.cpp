// ExecuteAtomic.cpp - atomics as host atomics, lane by lane.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several workers run at once, so device-wide atomicity needs real host atomics. Shared memory of a
// block that has no cluster belongs to one worker: there plain accesses do, at a fraction of the
// cost. Lanes are done in increasing order. What asks and changes nothing is likely to ask again.
#include "rt/device/cpu/engine/AccessCounting.h"
#include "rt/device/cpu/engine/AtomicHandlers.h"
#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/HalfArithmetic.h"
#include "rt/device/cpu/engine/Handlers.h"
#include "rt/device/cpu/engine/Warp.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace gpusched::cpu {
namespace {

using ptx::Type;

template <class T>
using Bits = std::conditional_t<sizeof(T) == 2, uint16_t,
                                std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;

template <class T, class F> T updateAtomically(T* address, F next) {
  using B = Bits<T>;
  B* const bits = reinterpret_cast<B*>(address);
  B seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    const T old = std::bit_cast<T>(seen);
    if (__atomic_compare_exchange_n(bits, &seen, std::bit_cast<B>(next(old)), false,
                                    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      return old;
  }
}

/// The value that the operation leaves.
template <AtomicOp kOp, class T> T after(T old, T value, T swapped) {
  if constexpr (kOp == AtomicOp::Add && std::is_integral_v<T>)
    return T(Bits<T>(old) + Bits<T>(value)); // wraps
  else if constexpr (kOp == AtomicOp::Add)
    return T(old + value);
  else if constexpr (kOp == AtomicOp::And)
    return old & value;
  else if constexpr (kOp == AtomicOp::Or)
    return old | value;
  else if constexpr (kOp == AtomicOp::Xor)
    return old ^ value;
  else if constexpr (kOp == AtomicOp::Exchange)
    return value;
  else if constexpr (kOp == AtomicOp::Cas)
    return old == value ? swapped : old;
  else if constexpr (kOp == AtomicOp::Min)
    return value < old ? value : old;
  else if constexpr (kOp == AtomicOp::Max)
    return value > old ? value : old;
  else if constexpr (kOp == AtomicOp::Inc)
    return old >= value ? T(0) : T(old + 1);
  else
    return old == 0 || old > value ? value : T(old - 1);
}

template <AtomicOp kOp, class T> T apply(T* address, T value, T swapped) {
  if constexpr (kOp == AtomicOp::Add && std::is_integral_v<T>)
    return __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST);
  else if constexpr (kOp == AtomicOp::And)
    return __atomic_fetch_and(address, value, __ATOMIC_SEQ_CST);
  else if constexpr (kOp == AtomicOp::Or)
    return __atomic_fetch_or(address, value, __ATOMIC_SEQ_CST);
  else if constexpr (kOp == AtomicOp::Xor)
    return __atomic_fetch_xor(address, value, __ATOMIC_SEQ_CST);
  else if constexpr (kOp == AtomicOp::Exchange)
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);
  else if constexpr (kOp == AtomicOp::Cas) {
    T seen = value;
    __atomic_compare_exchange_n(address, &seen, swapped, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return seen;
  } else {
    return updateAtomically(address, [&](T old) { return after<kOp>(old, value, swapped); });
  }
}

/// 16-bit floats, alone or in pairs; `element` adds, or takes the smaller or larger of, two.
template <class T, uint16_t (*kElement)(uint16_t, uint16_t)> T applyHalf(T* address, T value) {
  return updateAtomically(address, [&](T old) {
    T result = 0;
    for (unsigned shift = 0; shift < sizeof(T) * 8; shift += 16)
      result |= T(T(kElement(uint16_t(old >> shift), uint16_t(value >> shift))) << shift);
    return result;
  });
}

struct Host {
  using Lane = uint64_t;
};
struct Shared32 {
  using Lane = uint32_t;
};
struct Shared64 {
  using Lane = uint64_t;
};

template <class Space, class T, class Operate>
const MicroOp* eachAddress(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp,
                           Operate operate) {
  using Lane = typename Space::Lane;
  constexpr bool kShared = !std::is_same_v<Space, Host>;
  warp.memoryOp = op;
  warp.budget -= handlers::kAtomicCost;
  if (warp.counting)
    countAccess(warp, op, frame, mask, sizeof(T), AccessCount::Atomic, kShared, sizeof(Lane));
  const Lane* const address = reinterpret_cast<const Lane*>(frame + op->slot[7]);
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned lane = std::countr_zero(rest);
    const Lane at = address[lane] + static_cast<Lane>(op->immediate);
    if (at % sizeof(T) || (kShared && uint64_t(at) + sizeof(T) > warp.sharedBytes))
      return badAccess(warp, op, frame, mask, sizeof(T), kShared, sizeof(Lane));
    uint8_t* const host =
        kShared ? warp.shared + at : reinterpret_cast<uint8_t*>(static_cast<uint64_t>(at));
    operate(reinterpret_cast<T*>(host), lane);
  }
  return op + 1;
}

template <AtomicOp kOp, class T, class Space, bool kResult>
const MicroOp* atomic(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  T* const out = reinterpret_cast<T*>(frame + op->slot[0]);
  const T* const a = reinterpret_cast<const T*>(frame + op->slot[1]);
  const T* const b = reinterpret_cast<const T*>(frame + op->slot[2]);
  bool changed = !kResult;
  const auto exchanged = [&](T old, T now, unsigned lane) {
    changed = changed || now != old;
    if (kResult)
      out[lane] = old;
  };
  const bool plain = !std::is_same_v<Space, Host> && !warp.block->sharesCluster();
  const MicroOp* const next =
      plain ? eachAddress<Space, T>(frame, op, mask, warp,
                                    [&](T* host, unsigned lane) {
                                      const T old = *host, now = after<kOp>(old, a[lane], b[lane]);
                                      *host = now;
                                      exchanged(old, now, lane);
                                    })
            : eachAddress<Space, T>(frame, op, mask, warp, [&](T* host, unsigned lane) {
                const T value = a[lane], swapped = b[lane], old = apply<kOp>(host, value, swapped);
                exchanged(old, after<kOp>(old, value, swapped), lane);
              });
  if (!changed)
    warp.budget -= handlers::kSpinCost;
  return next;
}

template <class T, uint16_t (*kElement)(uint16_t, uint16_t), class Space, bool kResult>
const MicroOp* atomicHalf(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  T* const out = reinterpret_cast<T*>(frame + op->slot[0]);
  const T* const a = reinterpret_cast<const T*>(frame + op->slot[1]);
  return eachAddress<Space, T>(frame, op, mask, warp, [&](T* host, unsigned lane) {
    const T old = applyHalf<T, kElement>(host, a[lane]);
    if (kResult)
      out[lane] = old;
  });
}

using Quad = unsigned __int128;

Quad compareAndSwap(Quad* address, Quad expected, Quad value) {
  return __sync_val_compare_and_swap(address, expected, value);
}

template <bool kCas> Quad applyQuad(Quad* address, Quad value, Quad swapped) {
  if (kCas)
    return compareAndSwap(address, value, swapped);
  Quad seen = *address; // in halves: the swap fails if they do not belong together
  for (;;) {
    const Quad old = compareAndSwap(address, seen, value);
    if (old == seen)
      return old;
    seen = old;
  }
}

template <bool kCas, class Space>
const MicroOp* atomicQuad(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  Quad* const out = reinterpret_cast<Quad*>(frame + op->slot[0]);
  const Quad* const a = reinterpret_cast<const Quad*>(frame + op->slot[1]);
  const Quad* const b = reinterpret_cast<const Quad*>(frame + op->slot[2]);
  return eachAddress<Space, Quad>(frame, op, mask, warp, [&](Quad* host, unsigned lane) {
    out[lane] = applyQuad<kCas>(host, a[lane], b[lane]);
  });
}

template <class Space> Handler quadAtomic(AtomicOp op) {
  if (op == AtomicOp::Cas)
    return atomicQuad<true, Space>;
  return op == AtomicOp::Exchange ? atomicQuad<false, Space> : nullptr;
}

template <AtomicOp kOp, class T, class Space> Handler pick(bool result) {
  return result ? atomic<kOp, T, Space, true> : atomic<kOp, T, Space, false>;
}

template <AtomicOp kOp, class Space> Handler arithmetic(Type type, bool result) {
  switch (type) {
  case Type::U32:
    return pick<kOp, uint32_t, Space>(result);
  case Type::S32:
    return pick<kOp, int32_t, Space>(result);
  case Type::U64:
    return pick<kOp, uint64_t, Space>(result);
  case Type::S64:
    return pick<kOp, int64_t, Space>(result);
  case Type::F32:
    return kOp == AtomicOp::Add ? pick<AtomicOp::Add, float, Space>(result) : nullptr;
  case Type::F64:
    return kOp == AtomicOp::Add ? pick<AtomicOp::Add, double, Space>(result) : nullptr;
  default:
    return nullptr;
  }
}

template <AtomicOp kOp, class Space> Handler bitwise(Type type, bool result) {
  switch (ptx::sizeInBytes(type)) {
  case 2:
    if constexpr (kOp == AtomicOp::Cas || kOp == AtomicOp::Exchange)
      return pick<kOp, uint16_t, Space>(result);
    else
      return nullptr;
  case 4:
    return pick<kOp, uint32_t, Space>(result);
  case 8:
    return pick<kOp, uint64_t, Space>(result);
  default:
    return nullptr;
  }
}

template <class T, uint16_t (*kElement)(uint16_t, uint16_t), class Space>
Handler pickHalf(bool result) {
  return result ? atomicHalf<T, kElement, Space, true> : atomicHalf<T, kElement, Space, false>;
}

template <uint16_t (*kHalf)(uint16_t, uint16_t), uint16_t (*kBrain)(uint16_t, uint16_t),
          class Space>
Handler halfOf(Type type, bool result) {
  switch (type) {
  case Type::F16:
    return pickHalf<uint16_t, kHalf, Space>(result);
  case Type::F16x2:
    return pickHalf<uint32_t, kHalf, Space>(result);
  case Type::BF16:
    return pickHalf<uint16_t, kBrain, Space>(result);
  default:
    return pickHalf<uint32_t, kBrain, Space>(result);
  }
}

template <class Space> Handler halfAtomic(AtomicOp op, Type type, bool result) {
  switch (op) {
  case AtomicOp::Add:
    return halfOf<addHalf, addBrain, Space>(type, result);
  case AtomicOp::Min:
    return halfOf<minHalf, minBrain, Space>(type, result);
  case AtomicOp::Max:
    return halfOf<maxHalf, maxBrain, Space>(type, result);
  default:
    return nullptr;
  }
}

template <class Space> Handler inSpace(AtomicOp op, Type type, bool result) {
  if (type == Type::B128)
    return result ? quadAtomic<Space>(op) : nullptr;
  if (type >= Type::F16 && type <= Type::BF16x2)
    return halfAtomic<Space>(op, type, result);
  switch (op) {
  case AtomicOp::Add:
    return arithmetic<AtomicOp::Add, Space>(type, result);
  case AtomicOp::Min:
    return arithmetic<AtomicOp::Min, Space>(type, result);
  case AtomicOp::Max:
    return arithmetic<AtomicOp::Max, Space>(type, result);
  case AtomicOp::And:
    return bitwise<AtomicOp::And, Space>(type, result);
  case AtomicOp::Or:
    return bitwise<AtomicOp::Or, Space>(type, result);
  case AtomicOp::Xor:
    return bitwise<AtomicOp::Xor, Space>(type, result);
  case AtomicOp::Exchange:
    return bitwise<AtomicOp::Exchange, Space>(type, result);
  case AtomicOp::Cas:
    return bitwise<AtomicOp::Cas, Space>(type, result);
  case AtomicOp::Inc:
    return type == Type::U32 ? pick<AtomicOp::Inc, uint32_t, Space>(result) : nullptr;
  case AtomicOp::Dec:
    return type == Type::U32 ? pick<AtomicOp::Dec, uint32_t, Space>(result) : nullptr;
  }
  return nullptr;
}

} // namespace

Handler atomicHandler(AtomicOp op, Type type, AddressKind address, bool result) {
  switch (address) {
  case AddressKind::Host:
    return inSpace<Host>(op, type, result);
  case AddressKind::Shared32:
    return inSpace<Shared32>(op, type, result);
  case AddressKind::Shared64:
    return inSpace<Shared64>(op, type, result);
  }
  return nullptr;
}

} // namespace gpusched::cpu
