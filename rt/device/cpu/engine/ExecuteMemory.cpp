// ExecuteMemory.cpp - loads and stores.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global, constant, local and generic addresses are host addresses; a shared address is an
// offset into the block's arena and is checked against its size. When the 32 addresses are
// base + lane * size the access is one copy; otherwise it is lane by lane. A bad host
// address faults in hardware and FaultGuard names `memoryOp`.
// Slots: 0..3 the values, 7 the address.
#include "rt/device/cpu/engine/AccessCounting.h"
#include "rt/device/cpu/engine/IsaParts.h"
#include "rt/device/cpu/engine/Lanes.h"

namespace gpusched::cpu::GPUSCHED_ISA {
namespace {

constexpr unsigned kAddressSlot = 7;

/// Reads addresses of one kind; host() turns one into a pointer.
struct HostAddress {
  using Lane = uint64_t;
  static constexpr bool kShared = false;
  static uint8_t* host(Warp&, Lane address) { return reinterpret_cast<uint8_t*>(address); }
};
template <class T> struct SharedAddress {
  using Lane = T;
  static constexpr bool kShared = true;
  static uint8_t* host(Warp& warp, Lane offset) { return warp.shared + offset; }
};

/// address[i] = register + immediate; true if they are first + i * kStride.
template <unsigned kStride, class Lane> inline bool contiguous(const Lane* address) {
  if (address[kLanes - 1] - address[0] != Lane(kStride * (kLanes - 1)))
    return false;
  Lane different = 0;
  const Lane first = address[0];
  for (unsigned i = 0; i < kLanes; ++i)
    different |= address[i] ^ Lane(first + Lane(i * kStride));
  return different == 0;
}

/// address[i] = (first of its eight lanes) + (i mod 8) * stride: what a tile's rows and
/// columns look like. The stride is that of the first two lanes.
constexpr unsigned kGroup = 8;
template <class Lane> inline bool grouped(const Lane* address, Lane stride) {
  Lane different = 0;
  for (unsigned g = 0; g < kLanes; g += kGroup)
    for (unsigned i = 0; i < kGroup; ++i)
      different |= address[g + i] ^ Lane(address[g] + Lane(i) * stride);
  return different == 0;
}

/// Shared accesses must lie inside the arena, all must be aligned.
template <class Address, unsigned kBytes>
inline bool valid(Warp& warp, const typename Address::Lane* address, uint64_t offset, Mask mask) {
  using Lane = typename Address::Lane;
  Lane misaligned = 0, highest = 0;
  if (mask == kAllLanes) {
    for (unsigned i = 0; i < kLanes; ++i) {
      const Lane at = Lane(address[i] + Lane(offset));
      misaligned |= at;
      highest = at > highest ? at : highest;
    }
  } else {
    for (Mask rest = mask; rest; rest &= rest - 1) {
      const Lane at = Lane(address[__builtin_ctz(rest)] + Lane(offset));
      misaligned |= at;
      highest = at > highest ? at : highest;
    }
  }
  if (misaligned & (kBytes - 1))
    return false;
  return !Address::kShared ||
         (uint64_t(highest) + kBytes <= warp.sharedBytes && highest + kBytes > highest);
}

template <class Address, class M, class R, unsigned kCount>
inline void loadGroups(Warp& warp, const typename Address::Lane* address,
                       typename Address::Lane offset, bool contiguousGroups, R* const* out) {
  using Lane = typename Address::Lane;
  for (unsigned g = 0; g < kLanes; g += kGroup) {
    const M* from = reinterpret_cast<const M*>(Address::host(warp, Lane(address[g] + offset)));
    for (unsigned k = 0; k < kCount; ++k) {
      R* to = out[k] + g;
      if (contiguousGroups) {
        GPUSCHED_INDEPENDENT_LANES
        for (unsigned i = 0; i < kGroup; ++i)
          to[i] = R(from[i * kCount + k]);
      } else {
        const R value = R(from[k]);
        for (unsigned i = 0; i < kGroup; ++i)
          to[i] = value;
      }
    }
  }
}

template <class Address, class M, class R, unsigned kCount>
const MicroOp* load(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  using Lane = typename Address::Lane;
  constexpr unsigned kBytes = sizeof(M) * kCount;
  const Lane* address = lanes<const Lane>(frame, op->slot[kAddressSlot]);
  const Lane offset = Lane(op->immediate);
  warp.memoryOp = op;
  if (warp.counting)
    countAccess(warp, op, frame, mask, kBytes, AccessCount::Load, Address::kShared, sizeof(Lane));
  R* out[kCount];
  for (unsigned k = 0; k < kCount; ++k)
    out[k] = lanes<R>(frame, op->slot[k]);
  if (mask == kAllLanes && contiguous<kBytes>(address)) {
    const Lane first = address[0] + offset;
    if (first & (kBytes - 1) ||
        (Address::kShared && uint64_t(first) + kBytes * kLanes > warp.sharedBytes))
      return badAccess(warp, op, frame, mask, kBytes, Address::kShared, sizeof(Lane));
    const M* from = reinterpret_cast<const M*>(Address::host(warp, first));
    for (unsigned k = 0; k < kCount; ++k) {
      R* to = out[k];
      GPUSCHED_INDEPENDENT_LANES
      for (unsigned i = 0; i < kLanes; ++i)
        to[i] = R(from[i * kCount + k]);
    }
    return op + 1;
  }
  if (!valid<Address, kBytes>(warp, address, offset, mask))
    return badAccess(warp, op, frame, mask, kBytes, Address::kShared, sizeof(Lane));
  if (mask == kAllLanes) {
    const Lane stride = address[1] - address[0];
    if ((stride == 0 || stride == kBytes) && grouped(address, stride)) {
      loadGroups<Address, M, R, kCount>(warp, address, offset, stride != 0, out);
      return op + 1;
    }
    for (unsigned i = 0; i < kLanes; ++i) {
      const M* from = reinterpret_cast<const M*>(Address::host(warp, Lane(address[i] + offset)));
      M value[kCount];
      for (unsigned k = 0; k < kCount; ++k)
        value[k] = from[k];
      for (unsigned k = 0; k < kCount; ++k)
        out[k][i] = R(value[k]);
    }
    return op + 1;
  }
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned i = __builtin_ctz(rest);
    const M* from = reinterpret_cast<const M*>(Address::host(warp, Lane(address[i] + offset)));
    M value[kCount];
    for (unsigned k = 0; k < kCount; ++k)
      value[k] = from[k];
    for (unsigned k = 0; k < kCount; ++k)
      out[k][i] = R(value[k]);
  }
  return op + 1;
}

template <class Address, class M, class R, unsigned kCount>
const MicroOp* store(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  using Lane = typename Address::Lane;
  constexpr unsigned kBytes = sizeof(M) * kCount;
  const Lane* address = lanes<const Lane>(frame, op->slot[kAddressSlot]);
  const Lane offset = Lane(op->immediate);
  warp.memoryOp = op;
  if (warp.counting)
    countAccess(warp, op, frame, mask, kBytes, AccessCount::Store, Address::kShared, sizeof(Lane));
  const R* in[kCount];
  for (unsigned k = 0; k < kCount; ++k)
    in[k] = lanes<const R>(frame, op->slot[k]);
  if (mask == kAllLanes && contiguous<kBytes>(address)) {
    const Lane first = address[0] + offset;
    if (first & (kBytes - 1) ||
        (Address::kShared && uint64_t(first) + kBytes * kLanes > warp.sharedBytes))
      return badAccess(warp, op, frame, mask, kBytes, Address::kShared, sizeof(Lane));
    M* to = reinterpret_cast<M*>(Address::host(warp, first));
    for (unsigned k = 0; k < kCount; ++k) {
      const R* from = in[k];
      GPUSCHED_INDEPENDENT_LANES
      for (unsigned i = 0; i < kLanes; ++i)
        to[i * kCount + k] = M(from[i]);
    }
    return op + 1;
  }
  if (!valid<Address, kBytes>(warp, address, offset, mask))
    return badAccess(warp, op, frame, mask, kBytes, Address::kShared, sizeof(Lane));
  for (Mask rest = mask; rest; rest &= rest - 1) {
    const unsigned i = __builtin_ctz(rest);
    M* to = reinterpret_cast<M*>(Address::host(warp, Lane(address[i] + offset)));
    for (unsigned k = 0; k < kCount; ++k)
      to[k] = M(in[k][i]);
  }
  return op + 1;
}

/// ld.param of a kernel: the same bytes for every lane.
template <class M, class R, unsigned kCount>
const MicroOp* loadParameter(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp) {
  M value[kCount];
  std::memcpy(value, warp.parameters + op->immediate, sizeof value);
  for (unsigned k = 0; k < kCount; ++k) {
    alignas(64) R all[kLanes];
    for (unsigned i = 0; i < kLanes; ++i)
      all[i] = R(value[k]);
    R* out = lanes<R>(frame, op->slot[k]);
    if (mask == kAllLanes)
      std::memcpy(out, all, sizeof all);
    else
      blend(out, all, mask);
  }
  return op + 1;
}

enum class Access : uint8_t { Load, Store, Parameter };

template <Access kAccess, class Address, class M, class R, unsigned kCount> Handler one() {
  if constexpr (kAccess == Access::Load)
    return load<Address, M, R, kCount>;
  else if constexpr (kAccess == Access::Store)
    return store<Address, M, R, kCount>;
  else
    return loadParameter<M, R, kCount>;
}

template <Access kAccess, class Address, class M, class R> Handler counted(unsigned count) {
  switch (count) {
  case 1:
    return one<kAccess, Address, M, R, 1>();
  case 2:
    return one<kAccess, Address, M, R, 2>();
  case 4:
    return one<kAccess, Address, M, R, 4>();
  default:
    return nullptr;
  }
}

/// R wider than M extends; for a store it is cut. Only as wide as some register can be.
template <Access kAccess, class Address, class M> Handler extended(const AccessForm& form) {
  switch (form.registerBytes) {
  case 2:
    if constexpr (sizeof(M) <= 2)
      return counted<kAccess, Address, M, uint16_t>(form.elements);
    break;
  case 4:
    if constexpr (sizeof(M) <= 4)
      return counted<kAccess, Address, M, uint32_t>(form.elements);
    break;
  case 8:
    return counted<kAccess, Address, M, uint64_t>(form.elements);
  default:
    break;
  }
  return nullptr;
}

template <Access kAccess, class Address> Handler access(const AccessForm& form) {
  const bool extends =
      form.isSigned && kAccess != Access::Store && form.memoryBytes < form.registerBytes;
  switch (form.memoryBytes) {
  case 1:
    return extends ? extended<kAccess, Address, int8_t>(form)
                   : extended<kAccess, Address, uint8_t>(form);
  case 2:
    return extends ? extended<kAccess, Address, int16_t>(form)
                   : extended<kAccess, Address, uint16_t>(form);
  case 4:
    return extends ? extended<kAccess, Address, int32_t>(form)
                   : extended<kAccess, Address, uint32_t>(form);
  case 8:
    return extended<kAccess, Address, uint64_t>(form);
  default:
    return nullptr;
  }
}

template <Access kAccess> Handler addressed(const AccessForm& form) {
  switch (form.address) {
  case AddressKind::Host:
    return access<kAccess, HostAddress>(form);
  case AddressKind::Shared32:
    return access<kAccess, SharedAddress<uint32_t>>(form);
  case AddressKind::Shared64:
    return access<kAccess, SharedAddress<uint64_t>>(form);
  }
  return nullptr;
}

} // namespace

Handler loadHandler(const AccessForm& form) {
  return addressed<Access::Load>(form);
}
Handler storeHandler(const AccessForm& form) {
  return addressed<Access::Store>(form);
}
Handler loadParameterHandler(const AccessForm& form) {
  return access<Access::Parameter, HostAddress>(form);
}

} // namespace gpusched::cpu::GPUSCHED_ISA
