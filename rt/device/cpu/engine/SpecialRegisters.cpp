// SpecialRegisters.cpp - names and values of the fixed special registers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch without clusters looks like clusters of one block.
#include "rt/device/cpu/engine/SpecialRegisters.h"

#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/Dispatcher.h"

namespace gpusched::cpu {
namespace {

struct Name {
  std::string_view text;
  SpecialKind kind;
};

constexpr Name kNames[] = {
    {"tid.x", SpecialKind::TidX},
    {"tid.y", SpecialKind::TidY},
    {"tid.z", SpecialKind::TidZ},
    {"ntid.x", SpecialKind::NtidX},
    {"ntid.y", SpecialKind::NtidY},
    {"ntid.z", SpecialKind::NtidZ},
    {"ctaid.x", SpecialKind::CtaidX},
    {"ctaid.y", SpecialKind::CtaidY},
    {"ctaid.z", SpecialKind::CtaidZ},
    {"nctaid.x", SpecialKind::NctaidX},
    {"nctaid.y", SpecialKind::NctaidY},
    {"nctaid.z", SpecialKind::NctaidZ},
    {"laneid", SpecialKind::LaneId},
    {"warpid", SpecialKind::WarpId},
    {"nwarpid", SpecialKind::NWarpId},
    {"smid", SpecialKind::SmId},
    {"nsmid", SpecialKind::NSmId},
    {"gridid", SpecialKind::GridId},
    {"lanemask_eq", SpecialKind::LaneMaskEq},
    {"lanemask_lt", SpecialKind::LaneMaskLt},
    {"lanemask_le", SpecialKind::LaneMaskLe},
    {"lanemask_gt", SpecialKind::LaneMaskGt},
    {"lanemask_ge", SpecialKind::LaneMaskGe},
    {"dynamic_smem_size", SpecialKind::DynamicSharedSize},
    {"total_smem_size", SpecialKind::TotalSharedSize},
    {"reserved_smem_offset_1", SpecialKind::ReservedShared},
    {"envreg1", SpecialKind::GridWorkspaceHigh},
    {"envreg2", SpecialKind::GridWorkspaceLow},
    {"aggr_smem_size", SpecialKind::TotalSharedSize},
    {"clusterid.x", SpecialKind::ClusterIdX},
    {"clusterid.y", SpecialKind::ClusterIdY},
    {"clusterid.z", SpecialKind::ClusterIdZ},
    {"nclusterid.x", SpecialKind::NclusterIdX},
    {"nclusterid.y", SpecialKind::NclusterIdY},
    {"nclusterid.z", SpecialKind::NclusterIdZ},
    {"cluster_ctaid.x", SpecialKind::ClusterCtaidX},
    {"cluster_ctaid.y", SpecialKind::ClusterCtaidY},
    {"cluster_ctaid.z", SpecialKind::ClusterCtaidZ},
    {"cluster_nctaid.x", SpecialKind::ClusterNctaidX},
    {"cluster_nctaid.y", SpecialKind::ClusterNctaidY},
    {"cluster_nctaid.z", SpecialKind::ClusterNctaidZ},
    {"cluster_ctarank", SpecialKind::ClusterRank},
    {"cluster_nctarank", SpecialKind::ClusterBlocks},
    {"is_explicit_cluster", SpecialKind::ClusterExplicit},
};

/// The part of a position in the grid or of its size that is `kind`, counted from `first`.
unsigned axisOf(SpecialKind kind, SpecialKind first) {
  return static_cast<unsigned>(kind) - static_cast<unsigned>(first);
}

uint64_t clusterValue(const Block& block, SpecialKind kind) {
  const Launch& launch = block.launch.request;
  const uint32_t grid[3] = {launch.grid.x, launch.grid.y, launch.grid.z};
  const uint32_t size[3] = {launch.cluster.x, launch.cluster.y, launch.cluster.z};
  if (kind >= SpecialKind::ClusterRank)
    return kind == SpecialKind::ClusterRank     ? block.clusterRank
           : kind == SpecialKind::ClusterBlocks ? launch.cluster.count()
                                                : launch.explicitCluster;
  if (kind >= SpecialKind::ClusterNctaidX)
    return size[axisOf(kind, SpecialKind::ClusterNctaidX)];
  if (kind >= SpecialKind::ClusterCtaidX) {
    const unsigned axis = axisOf(kind, SpecialKind::ClusterCtaidX);
    return block.index[axis] % size[axis];
  }
  const bool inGrid = kind >= SpecialKind::NclusterIdX;
  const unsigned axis = axisOf(kind, inGrid ? SpecialKind::NclusterIdX : SpecialKind::ClusterIdX);
  return (inGrid ? grid[axis] : block.index[axis]) / size[axis];
}

uint64_t launchValue(const Block& block, SpecialKind kind) {
  const ActiveLaunch& launch = block.launch;
  const Dim3 &grid = launch.request.grid, &size = launch.request.block;
  switch (kind) {
  case SpecialKind::NtidX:
    return size.x;
  case SpecialKind::NtidY:
    return size.y;
  case SpecialKind::NtidZ:
    return size.z;
  case SpecialKind::CtaidX:
    return block.index[0];
  case SpecialKind::CtaidY:
    return block.index[1];
  case SpecialKind::CtaidZ:
    return block.index[2];
  case SpecialKind::NctaidX:
    return grid.x;
  case SpecialKind::NctaidY:
    return grid.y;
  case SpecialKind::NctaidZ:
    return grid.z;
  case SpecialKind::SmId:
    return block.sm;
  case SpecialKind::NSmId:
    return launch.device->sms;
  case SpecialKind::NWarpId:
    return launch.device->warpsPerSm;
  case SpecialKind::GridId:
    return launch.id;
  case SpecialKind::DynamicSharedSize:
    return launch.request.dynamicSharedBytes;
  case SpecialKind::TotalSharedSize:
    return launch.sharedBytes;
  case SpecialKind::ParameterBase:
    return reinterpret_cast<uint64_t>(launch.parameters());
  case SpecialKind::ReservedShared:
    return launch.reservedSharedOffset();
  case SpecialKind::GridWorkspaceHigh:
    return launch.gridWorkspaceAddress() >> 32;
  case SpecialKind::GridWorkspaceLow:
    return launch.gridWorkspaceAddress() & 0xffffffff;
  default:
    return kind >= SpecialKind::ClusterIdX ? clusterValue(block, kind) : 0;
  }
}

uint64_t laneValue(const Warp& warp, const Frame& frame, SpecialKind kind, unsigned lane) {
  switch (kind) {
  case SpecialKind::LaneId:
    return lane;
  case SpecialKind::LaneMaskEq:
    return uint32_t(1) << lane;
  case SpecialKind::LaneMaskLt:
    return (uint32_t(1) << lane) - 1;
  case SpecialKind::LaneMaskLe:
    return (uint64_t(2) << lane) - 1;
  case SpecialKind::LaneMaskGt:
    return uint32_t(~((uint64_t(2) << lane) - 1));
  case SpecialKind::LaneMaskGe:
    return ~((uint32_t(1) << lane) - 1);
  case SpecialKind::LocalBase:
    return reinterpret_cast<uint64_t>(warp.localBase(lane, frame));
  default:
    return 0;
  }
}

/// Counts up instead of dividing in every lane.
void threadIndices(const Warp& warp, SpecialKind kind, uint64_t* values) {
  const Dim3& size = warp.block->launch.request.block;
  const uint32_t thread = warp.index * kLanes;
  uint32_t at[3] = {thread % size.x, thread / size.x % size.y, thread / size.x / size.y};
  const unsigned axis = static_cast<unsigned>(kind) - static_cast<unsigned>(SpecialKind::TidX);
  if (at[0] + kLanes <= size.x) { // all in one row
    const uint64_t step = axis == 0;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      values[lane] = at[axis] + step * lane;
    return;
  }
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    values[lane] = at[axis];
    if (++at[0] < size.x)
      continue;
    at[0] = 0;
    if (++at[1] < size.y)
      continue;
    at[1] = 0;
    ++at[2];
  }
}

bool variesByLane(SpecialKind kind) {
  return kind <= SpecialKind::TidZ || kind == SpecialKind::LaneId ||
         kind == SpecialKind::LocalBase ||
         (kind >= SpecialKind::LaneMaskEq && kind <= SpecialKind::LaneMaskGe);
}

template <class T> void storeLanes(uint8_t* slot, const uint64_t* values) {
  T* const out = reinterpret_cast<T*>(slot);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    out[lane] = static_cast<T>(values[lane]);
}
template <class T> void storeUniform(uint8_t* slot, uint64_t value) {
  T* const out = reinterpret_cast<T*>(slot);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    out[lane] = static_cast<T>(value);
}

void storeLanes(uint8_t* slot, unsigned bytes, const uint64_t* values) {
  bytes == 2   ? storeLanes<uint16_t>(slot, values)
  : bytes == 4 ? storeLanes<uint32_t>(slot, values)
               : storeLanes<uint64_t>(slot, values);
}
void storeUniform(uint8_t* slot, unsigned bytes, uint64_t value) {
  bytes == 2   ? storeUniform<uint16_t>(slot, value)
  : bytes == 4 ? storeUniform<uint32_t>(slot, value)
               : storeUniform<uint64_t>(slot, value);
}

} // namespace

std::optional<SpecialKind> specialKind(std::string_view name) {
  for (const Name& known : kNames)
    if (known.text == name)
      return known.kind;
  return std::nullopt;
}

void fillSpecials(const Warp& warp, Frame& frame) {
  const Block& block = *warp.block;
  for (const SpecialSlot& special : frame.function->specials) {
    uint8_t* const slot = frame.registers.get() + special.offset;
    if (variesByLane(special.kind)) {
      uint64_t values[kLanes];
      if (special.kind <= SpecialKind::TidZ)
        threadIndices(warp, special.kind, values);
      else
        for (unsigned lane = 0; lane < kLanes; ++lane)
          values[lane] = laneValue(warp, frame, special.kind, lane);
      storeLanes(slot, special.bytes, values);
      continue;
    }
    uint64_t value = launchValue(block, special.kind);
    if (special.kind == SpecialKind::WarpId)
      value = warp.index;
    if (special.kind == SpecialKind::SharedSymbol)
      value = block.launch.kernel->sharedOffsets[special.symbol];
    storeUniform(slot, special.bytes, value);
  }
}

} // namespace gpusched::cpu
