// Mbarriers.cuh - ends the mbarriers of a logical block before the next one begins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   const ::gpusched::Mbarriers mbarriers;
//   in the worker's loop:  body(..., MbarrierNotes{true, mbarriers.table()}, ...);
//                          worker.advance(), mbarriers.retire();
//   in the body:           init(gpusched_mbarriers.added(&bar), n)
//
// An mbarrier ends with its block. In the loop it would live on, and PTX leaves undefined what
// mbarrier.init does to a live one, and what other use of its memory does. So the body notes each
// address that it initialises, and behind the barrier that ends the block, when no thread can still
// wait there, one thread invalidates those. An address has one place in the table however often it
// is noted; one that the body has invalidated itself keeps its place and is passed over. A block
// with more of them than the table holds is stopped.
// Does not: wait for what arrives at them later. Copies are waited for with settleCopies().
#pragma once

#include "WorkerMemory.cuh"

namespace gpusched {

/// Addresses of shared memory, in order of arrival: + kLive, or + kEnded; 0 ends the list.
struct __align__(128) MbarrierTable {
  static const unsigned kPlaces = 64, kLive = 2, kEnded = 1;
  /// Behind it: WorkerShared.
  static const unsigned kFromEnd = GPUSCHED_MBARRIER_UNITS * GPUSCHED_SHARED_UNIT;
  unsigned place[kPlaces];

  __device__ void add(unsigned address) {
    for (unsigned index = 0; index < kPlaces; ++index) {
      const unsigned found = ::atomicCAS(&place[index], 0u, address + kLive);
      if (found == address + kEnded)
        place[index] = address + kLive;
      if (found == 0 || found == address + kLive || found == address + kEnded)
        return;
    }
    ::__trap();
  }

  __device__ void end(unsigned address) {
    for (unsigned index = 0; index < kPlaces; ++index)
      if (place[index] == address + kLive)
        place[index] = address + kEnded;
  }
};

/// What a body tells of its mbarriers: each member hands on what it is given. `kept` is false where
/// the body is the native kernel's.
struct MbarrierNotes {
  bool kept;
  MbarrierTable* table; ///< of the block

  /// The operand of mbarrier.init.shared.
  template <class Address> __device__ __forceinline__ Address addedAt(Address address) const {
    if (kept)
      table->add(static_cast<unsigned>(address));
    return address;
  }
  template <class Address> __device__ __forceinline__ Address endedAt(Address address) const {
    if (kept)
      table->end(static_cast<unsigned>(address));
    return address;
  }

  /// A pointer to the 64 bits, or to an object of libcu++, which may be no mbarrier.
  template <class Object> __device__ __forceinline__ Object* added(Object* object) const {
    if (kept && isMbarrier(object, 0) && ::__isShared(object))
      addedAt(::__cvta_generic_to_shared(object));
    return object;
  }
  template <class Object> __device__ __forceinline__ Object* ended(Object* object) const {
    if (kept && isMbarrier(object, 0) && ::__isShared(object))
      endedAt(::__cvta_generic_to_shared(object));
    return object;
  }
  template <class Object> __device__ __forceinline__ Object& endedObject(Object& object) const {
    ended(&object);
    return object;
  }

private:
  /// cuda::barrier says how far it can count: to 2^20 - 1 where it is an mbarrier. Before sm_80
  /// none is.
  template <class Object>
  static __device__ __forceinline__ auto isMbarrier(Object*, int) -> decltype(Object::max() != 0) {
#if __CUDA_ARCH__ >= 800
    return Object::max() == (1 << 20) - 1;
#else
    return false;
#endif
  }
  template <class Object> static __device__ __forceinline__ bool isMbarrier(Object*, long) {
    return !__is_class(Object);
  }
};

template <class Memory> class BasicMbarriers {
public:
  static const bool kNotes = true;

  /// Before the barrier that starts the first body.
  __device__ __forceinline__ BasicMbarriers() {
    const unsigned thread =
        ::threadIdx.x + ::blockDim.x * (::threadIdx.y + ::blockDim.y * ::threadIdx.z);
    const unsigned threads = ::blockDim.x * ::blockDim.y * ::blockDim.z;
    for (unsigned index = thread; index < MbarrierTable::kPlaces; index += threads)
      table()->place[index] = 0;
  }

  __device__ __forceinline__ MbarrierTable* table() const {
    return &Memory::template of<MbarrierTable>();
  }

  /// Behind a barrier that all threads reached after the body.
  __device__ __forceinline__ void retire() const {
    if ((::threadIdx.x | ::threadIdx.y | ::threadIdx.z) == 0)
      retireAll(*table());
    ::__syncthreads();
  }

private:
  static __device__ __forceinline__ void retireAll(MbarrierTable& table) {
    for (unsigned index = 0; index < MbarrierTable::kPlaces && table.place[index]; ++index) {
      const unsigned found = table.place[index];
      table.place[index] = 0;
#if __CUDA_ARCH__ >= 800
      if (found % 8 == MbarrierTable::kLive)
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(found - MbarrierTable::kLive)
                     : "memory");
#endif
    }
  }
};

using Mbarriers = BasicMbarriers<SharedBeside>;
template <unsigned kAlignment> using MbarriersBehind = BasicMbarriers<SharedBehind<kAlignment>>;

/// After the body: what this thread still has on the way would land in the next block's memory.
/// `bulk`: it has bulk copies, which read and write shared memory past the threads' own order.
template <bool kBulk> __device__ __forceinline__ void settleCopies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
#if __CUDA_ARCH__ >= 900
  if (kBulk)
    asm volatile("cp.async.bulk.wait_group.read 0; fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

} // namespace gpusched
