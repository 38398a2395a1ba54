// LaneGroups.cuh - primitives of cooperative groups, where lanes may have left the body.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   tile.shfl(x, 0)             ->  gpusched_groups.of(tile).shfl(x, 0)
//   cg::reduce(group, x, plus)  ->  gpusched_groups.among(group, [&](const auto& gpusched_group) {
//                                     return cg::reduce(gpusched_group, x, plus); })
//
// In a kernel a lane that has left no longer counts for a tile's primitive, though its mask names
// it. Here the lanes of the tile that are inside meet (LaneDrain.cuh), so that nobody can leave
// before the primitive, and those who are there execute it: a tile's own by a mask of theirs, the
// library's functions as a coalesced group where the tile is no longer whole. What comes from a
// lane that has left is undefined, as in the kernel.
// Groups of more than a warp, or of another kind, in an instantiation that shares the text, are
// what they were. The library is found through the group's type, so no header of it is needed.
#pragma once

#include "LaneDrain.cuh"

// Generic lambdas: not in C++11, where a text that needs one is left to nvcc.
#if __cplusplus >= 201402L
namespace gpusched {

template <class Type> Type unseenValue();

/// What the library makes of lanes of a tile, or of a coalesced group.
template <class Group>
using CoalescedOf = decltype(binary_partition(unseenValue<const Group&>(), true));

/// A coalesced group, which may be made from a mask and asked for it only by classes of its kind.
template <class Group> struct MaskedGroup : Group {
  __device__ __forceinline__ explicit MaskedGroup(unsigned mask) : Group(mask) {}

  static __device__ __forceinline__ unsigned maskOf(const Group& group) {
    unsigned (Group::* const mask)() const = &MaskedGroup::get_mask;
    return (group.*mask)();
  }
};

/// Meets for those of a mask that are inside, or takes all of them to be.
struct LaneMeeting {
  bool drains, anyMask;

  __device__ __forceinline__ unsigned operator()(unsigned mask) const {
    if (drains && mask == 0xffffffffu)
      return LaneDrain::meet();
    return anyMask ? LaneDrain::meet(mask) : mask;
  }
};

/// A tile's primitives, executed by those of its lanes that are inside.
template <unsigned lanes> class LiveTile {
public:
  __device__ __forceinline__ explicit LiveTile(LaneMeeting meeting) : meeting_(meeting) {}

  /// The lanes of the calling thread's tile.
  static __device__ __forceinline__ unsigned mask() {
    return (0xffffffffu >> (32 - lanes)) << first();
  }

  __device__ __forceinline__ void sync() const { ::__syncwarp(here()); }

  template <class Value> __device__ __forceinline__ Value shfl(Value value, int from) const {
    return moved(value, [=](unsigned here, unsigned word) {
      return ::__shfl_sync(here, word, from, lanes);
    });
  }
  template <class Value> __device__ __forceinline__ Value shfl_up(Value value, unsigned by) const {
    return moved(value, [=](unsigned here, unsigned word) {
      return ::__shfl_up_sync(here, word, by, lanes);
    });
  }
  template <class Value>
  __device__ __forceinline__ Value shfl_down(Value value, unsigned by) const {
    return moved(value, [=](unsigned here, unsigned word) {
      return ::__shfl_down_sync(here, word, by, lanes);
    });
  }
  template <class Value>
  __device__ __forceinline__ Value shfl_xor(Value value, unsigned with) const {
    return moved(value, [=](unsigned here, unsigned word) {
      return ::__shfl_xor_sync(here, word, with, lanes);
    });
  }

  __device__ __forceinline__ int any(int question) const {
    return ::__ballot_sync(here(), question) != 0;
  }
  /// Of a lane that has left the answer is no, as in the library.
  __device__ __forceinline__ int all(int question) const {
    return ::__ballot_sync(here(), question) == mask();
  }
  __device__ __forceinline__ unsigned ballot(int question) const {
    return ::__ballot_sync(here(), question) >> first();
  }
  template <class Value> __device__ __forceinline__ unsigned match_any(Value value) const {
    return ::__match_any_sync(here(), value) >> first();
  }
  template <class Value>
  __device__ __forceinline__ unsigned match_all(Value value, int& question) const {
    return ::__match_all_sync(here(), value, &question) >> first();
  }

private:
  __device__ __forceinline__ unsigned here() const { return meeting_(mask()); }

  static __device__ __forceinline__ unsigned first() {
    unsigned lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane & ~(lanes - 1);
  }

  /// Shuffles go by words.
  template <class Value, class Shuffle>
  __device__ __forceinline__ Value moved(const Value& value, const Shuffle& shuffle) const {
    constexpr unsigned count = (sizeof(Value) + sizeof(unsigned) - 1) / sizeof(unsigned);
    unsigned words[count] = {};
    ::memcpy(words, &value, sizeof(Value));
    const unsigned present = here();
    for (unsigned& word : words)
      word = shuffle(present, word);
    Value result = value;
    ::memcpy(&result, words, sizeof(Value));
    return result;
  }

  const LaneMeeting meeting_;
};

/// A parameter or member of bodies and functions that lanes may leave before a group's primitive.
struct LaneGroups {
  bool drains, anyMask;

  template <template <unsigned, class> class Tile, unsigned lanes, class Parent>
  __device__ __forceinline__ auto of(const Tile<lanes, Parent>& tile) const {
    return live(tile, Held<(lanes <= 32)>());
  }
  template <class Group> __device__ __forceinline__ const Group& of(const Group& group) const {
    return group;
  }

  /// Calls the function for the group, or for a coalesced one of its lanes that are inside.
  template <template <unsigned, class> class Tile, unsigned lanes, class Parent, class Function>
  __device__ __forceinline__ auto among(const Tile<lanes, Parent>& tile,
                                        const Function& function) const {
    return amongTile(tile, function, Held<(lanes <= 32)>());
  }
  template <class Group, class Function>
  __device__ __forceinline__ auto among(const Group& group, const Function& function) const {
    return amongOthers(group, function, &group);
  }

private:
  /// Does a warp hold the tile?
  template <bool isHeld> struct Held {};

  __device__ __forceinline__ LaneMeeting meeting() const { return {drains, anyMask}; }

  template <template <unsigned, class> class Tile, unsigned lanes, class Parent>
  __device__ __forceinline__ LiveTile<lanes> live(const Tile<lanes, Parent>&, Held<true>) const {
    return LiveTile<lanes>(meeting());
  }
  template <class Group>
  __device__ __forceinline__ const Group& live(const Group& group, Held<false>) const {
    return group;
  }

  template <template <unsigned, class> class Tile, unsigned lanes, class Parent, class Function>
  __device__ __forceinline__ auto amongTile(const Tile<lanes, Parent>& tile,
                                            const Function& function, Held<true>) const {
    return amongSome<CoalescedOf<Tile<lanes, Parent>>>(tile, LiveTile<lanes>::mask(), function);
  }
  template <class Group, class Function>
  __device__ __forceinline__ auto amongTile(const Group& group, const Function& function,
                                            Held<false>) const {
    return function(group);
  }
  template <class Group, class Function>
  __device__ __forceinline__ auto amongOthers(const Group& group, const Function& function,
                                              const CoalescedOf<Group>*) const {
    return amongSome<Group>(group, MaskedGroup<Group>::maskOf(group), function);
  }
  template <class Group, class Function>
  __device__ __forceinline__ auto amongOthers(const Group& group, const Function& function,
                                              const void*) const {
    return function(group);
  }

  template <class Coalesced, class Group, class Function>
  __device__ __forceinline__ auto amongSome(const Group& group, unsigned named,
                                            const Function& function) const {
    const unsigned here = meeting()(named);
    if (here == named)
      return function(group);
    const MaskedGroup<Coalesced> present(here);
    return function(static_cast<const Coalesced&>(present));
  }
};

} // namespace gpusched
#endif
