// LaunchPlan.h - everything about a launch configuration that does not change between launches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made once per (stub, block, dynamic shared bytes, device, context) and never freed; the grid is
// not part of it. Making one asks the CUDA runtime for attributes and occupancy and mirrors the
// native kernel's opt-in shared memory and carve-out to its persistent twin, or those of two
// kernels to the one that runs the blocks of both; a steady-state launch finds its plan by one hash
// lookup and asks nothing. Attributes that the program changes after a kernel's first launch of a
// configuration are not seen.
//
// Immutable once published, except `broken`: set when a persistent launch failed, or one of a
// kernel for pairs; from then on the configuration is native, or the two are launched apart.
#pragma once

#include "rt/launch/Cudart.h"
#include "rt/launch/Settings.h"
#include "rt/policy/Policy.h"

#include <atomic>
#include <cstdint>
#include <string>

namespace gpusched {

struct LaunchPlan {
  const gpusched_kernel* kernel = nullptr; ///< null: not one of ours
  const void* function = nullptr;          ///< native stub
  uint32_t nativeOccupancy = 0;            ///< blocks per SM; 0 = unknown
  uint32_t persistentOccupancy = 0;        ///< 0 = there is no usable twin
  std::string whyNative;                   ///< set when there is no usable twin
  uint32_t maxThreads = 0;                 ///< a block of the native form takes
  size_t maxDynamicShared = 0;             ///< bytes that the program may ask for
  std::string whyApart; ///< of a kernel for pairs: set when it cannot stand for launches of both
  uint32_t budget = 0;  ///< that the user gave the kernel, blocks per SM; 0 = none
  const SmMask* mask = nullptr; ///< likewise, of the runtime's settings; null = none
  PolicyKernel policyKernel;
  mutable std::atomic<bool> broken{false};

  /// Resident blocks per SM that the twin's registers or shared memory cost.
  uint32_t lostBlocks() const {
    return nativeOccupancy > persistentOccupancy ? nativeOccupancy - persistentOccupancy : 0;
  }
  /// What the twin's launch asks for: its own words lie behind the kernel's dynamic memory.
  size_t twinSharedBytes(size_t dynamicBytes) const;
  bool hasPersistent() const { return persistentOccupancy > 0 && !broken.load(); }
  /// CUDA would take a native launch of it, as far as attributes tell.
  bool takes(const gpusched_launch_request& request) const {
    return nativeOccupancy > 0 && cudart::count(request.block) <= maxThreads &&
           request.sharedBytes <= maxDynamicShared;
  }
};

/// What identifies a plan.
struct PlanKey {
  const void* function;
  gpusched_dim3 block;
  size_t sharedBytes;
  int device;
  uint64_t context;

  bool operator==(const PlanKey& other) const {
    return function == other.function && block.x == other.block.x && block.y == other.block.y &&
           block.z == other.block.z && sharedBytes == other.sharedBytes && device == other.device &&
           context == other.context;
  }
};

struct PlanKeyHash {
  size_t operator()(const PlanKey& key) const {
    uint64_t hash = reinterpret_cast<uintptr_t>(key.function);
    for (uint64_t part : {uint64_t(key.block.x), uint64_t(key.block.y), uint64_t(key.block.z),
                          uint64_t(key.sharedBytes), uint64_t(key.device), key.context})
      hash = (hash ^ part) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 29);
  }
};

class ProfileStore;

/// Fills `plan`; asks the CUDA runtime. `store` may be null (no policy wants profiles).
void makePlan(LaunchPlan& plan, const gpusched_launch_request& request,
              const gpusched_kernel* kernel, const ProfileStore* store);

/// Of a whole graph: nobody knows what is in it, so it is taken to fill SMs.
void makeGraphPlan(LaunchPlan& plan, const DeviceLimits& limits);

} // namespace gpusched
