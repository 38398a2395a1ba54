// Handlers.h - the handlers that do not depend on the host's instruction set.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each is a Handler of MicroOp.h; the operand slots it uses are said where it is defined.
#pragma once

#include "rt/device/cpu/engine/MicroOp.h"

namespace gpusched::cpu::handlers {

#define GPUSCHED_HANDLER(name)                                                                     \
  const MicroOp* name(uint8_t* frame, const MicroOp* op, Mask mask, Warp& warp)

// ExecuteControl.cpp
GPUSCHED_HANDLER(branch);
GPUSCHED_HANDLER(branchIndexed);
GPUSCHED_HANDLER(call);
GPUSCHED_HANDLER(callIndirect);
GPUSCHED_HANDLER(ret);
GPUSCHED_HANDLER(exit);
GPUSCHED_HANDLER(trap);
GPUSCHED_HANDLER(unsupported);
GPUSCHED_HANDLER(nothing);
GPUSCHED_HANDLER(barrier);
GPUSCHED_HANDLER(fence);
GPUSCHED_HANDLER(yieldWarp);
GPUSCHED_HANDLER(strongAccess);
GPUSCHED_HANDLER(logicalBlock);

// ExecuteCluster.cpp
GPUSCHED_HANDLER(clusterArrive);
GPUSCHED_HANDLER(clusterWait);
GPUSCHED_HANDLER(clusterToHost);
GPUSCHED_HANDLER(mapRank);
GPUSCHED_HANDLER(rankOfAddress);

// ExecuteMove.cpp
GPUSCHED_HANDLER(pack);
GPUSCHED_HANDLER(unpack);
GPUSCHED_HANDLER(setPair);
GPUSCHED_HANDLER(clock);
GPUSCHED_HANDLER(clockHigh);
GPUSCHED_HANDLER(globalTimer);
GPUSCHED_HANDLER(globalTimerHigh);
GPUSCHED_HANDLER(genericToShared);
GPUSCHED_HANDLER(sharedToGeneric);
GPUSCHED_HANDLER(isSpace);

// ExecuteEighth.cpp
GPUSCHED_HANDLER(eighthFromFloats);
GPUSCHED_HANDLER(eighthFromHalves);
GPUSCHED_HANDLER(halvesFromEighth);
GPUSCHED_HANDLER(convertPack);

// ExecuteWarp.cpp
GPUSCHED_HANDLER(shuffle);
GPUSCHED_HANDLER(vote);
GPUSCHED_HANDLER(match);
GPUSCHED_HANDLER(reduce);
GPUSCHED_HANDLER(activeMask);
GPUSCHED_HANDLER(elect);
GPUSCHED_HANDLER(warpBarrier);

// ExecuteAsync.cpp
GPUSCHED_HANDLER(asyncCopy);
GPUSCHED_HANDLER(mbarrierInit);
GPUSCHED_HANDLER(mbarrierArrive);
GPUSCHED_HANDLER(mbarrierDrop);
GPUSCHED_HANDLER(mbarrierTest);
GPUSCHED_HANDLER(mbarrierPending);

// ExecuteBulk.cpp
GPUSCHED_HANDLER(bulkCopy);

// ExecuteTensorCopy.cpp
GPUSCHED_HANDLER(tensorCopy);
GPUSCHED_HANDLER(tensorMapReplace);
GPUSCHED_HANDLER(tensorMapCopy);

// ExecuteTensor.cpp
GPUSCHED_HANDLER(tensorMultiply);
GPUSCHED_HANDLER(tensorLoad);
GPUSCHED_HANDLER(tensorStore);
GPUSCHED_HANDLER(matrixLoad);
GPUSCHED_HANDLER(matrixTranspose);
GPUSCHED_HANDLER(matrixStore);

// ExecuteGroupMultiply.cpp
GPUSCHED_HANDLER(groupMultiply);
GPUSCHED_HANDLER(groupMultiplyWait);

// ExecuteImage.cpp
GPUSCHED_HANDLER(textureSample);
GPUSCHED_HANDLER(textureGather);
GPUSCHED_HANDLER(surfaceLoad);
GPUSCHED_HANDLER(surfaceStore);
GPUSCHED_HANDLER(surfacePlaces);
GPUSCHED_HANDLER(imageQuery);

#undef GPUSCHED_HANDLER

/// What a spin loop's accesses take from the quantum, in micro-ops.
inline constexpr int64_t kSpinCost = 512;
inline constexpr int64_t kAtomicCost = 16;
/// MicroOp::detail of mapa and getctarank.
inline constexpr uint16_t kClusterWide = 1, kClusterGeneric = 2;

} // namespace gpusched::cpu::handlers
