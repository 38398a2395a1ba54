// DeviceDescription.h - the limits and rates of one GPU model, as data.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shipped as JSON in rt/device/descriptions/<name>.json. The cpu device obeys the limits; the model
// uses limits and rates; a decision never reads anything about a GPU from anywhere else.
#pragma once

#include "rt/support/Result.h"

#include <cstdint>
#include <string>

namespace gpusched {

struct DeviceDescription {
  std::string name; // "NVIDIA H200"
  uint32_t computeMajor = 0, computeMinor = 0;
  uint32_t sms = 0;
  uint32_t warpsPerSm = 0;  // 64
  uint32_t blocksPerSm = 0; // 32
  uint32_t threadsPerBlock = 1024;
  uint32_t registersPerSm = 65536; // 32-bit registers
  uint32_t registersPerBlock = 65536;
  uint32_t registerAllocationUnit = 256; // registers per warp are rounded up to this
  uint32_t sharedBytesPerSm = 0;
  uint32_t sharedBytesPerBlock = 49152;  // without opt-in
  uint32_t sharedBytesPerBlockOptin = 0; // with cudaFuncAttributeMaxDynamicSharedMemorySize
  uint32_t sharedReservedPerBlock = 0;   // taken by the driver: 1024 from CC 8.0 on
  uint32_t sharedAllocationUnit = 128;
  uint64_t memoryBytes = 0;
  uint64_t l2Bytes = 0;
  uint64_t l1Bytes = 0;       // per SM, shared memory excluded when it is separate; 0 = not known
  uint32_t memoryBusBits = 0; // 0 = not known
  double clockMhz = 0;
  double dramGbPerSecond = 0;  // peak, 1e9 bytes
  double dramEfficiency = 0.9; // share of the peak that streaming reaches
  double l2GbPerSecond = 0;
  uint32_t schedulersPerSm = 4; // warp instructions issued per cycle and SM
  uint32_t fp32LanesPerSm = 0, fp64LanesPerSm = 0, int32LanesPerSm = 0, sfuLanesPerSm = 0;
  uint32_t aluLatency = 4, sharedLatency = 0, l1Latency = 0, l2Latency = 0,
           dramLatency = 0; // SM cycles
};

/// The description called `name` ("h200"), or read from a path ending in .json.
/// Looks beside the running library or binary first (share/gpusched/devices), then in
/// $GPUSCHED_DEVICES.
Result<DeviceDescription> loadDeviceDescription(const std::string& nameOrPath);

/// A shipped description.
struct ShippedDevice {
  const char* name;
  const char* model; ///< what names of such devices begin with
  uint32_t computeMajor, computeMinor;
};

/// Of one compute capability the most common one is first.
inline constexpr ShippedDevice kShippedDevices[] = {
    {"h200", "NVIDIA H200", 9, 0},
    {"h100", "NVIDIA H100", 9, 0},
    {"b200", "NVIDIA B200", 10, 0},
    {"a100", "NVIDIA A100", 8, 0},
    {"t4", "Tesla T4", 7, 5},
    {"v100", "Tesla V100", 7, 0},
    {"rtx-5090", "NVIDIA GeForce RTX 5090", 12, 0},
    {"rtx-4090", "NVIDIA GeForce RTX 4090", 8, 9},
    {"rtx-3090", "NVIDIA GeForce RTX 3090", 8, 6},
    {"titan-xp", "NVIDIA TITAN Xp", 6, 1},
};

/// The one of this compute capability, and of this model where there are several; where there is
/// none, of the nearest capability: of the same major one if possible, and rather below than above.
const ShippedDevice& nearestShippedDevice(uint32_t computeMajor, uint32_t computeMinor,
                                          const std::string& model = "");

/// The one whose model `device` is, as a driver names it; null where there is none.
const ShippedDevice* shippedModel(const std::string& device);

/// Resident blocks per SM and what limits them ("registers", "shared", "warps", "blocks").
/// The rules are those of NVIDIA's cuda_occupancy.h.
struct Occupancy {
  uint32_t blocksPerSm = 0;
  const char* limiter = "none";
};
Occupancy occupancy(const DeviceDescription& device, uint32_t threadsPerBlock,
                    uint32_t registersPerThread, uint64_t sharedBytesPerBlock);

/// What a block takes of an SM's registers, see WarpRegisters.h.
uint64_t registersOfBlock(const DeviceDescription& device, uint32_t threadsPerBlock,
                          uint32_t registersPerThread);

} // namespace gpusched
