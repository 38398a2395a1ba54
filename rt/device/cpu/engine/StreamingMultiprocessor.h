// StreamingMultiprocessor.h - what one SM holds and how much room it has left.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reservations and `incoming` belong to the dispatcher's mutex; `resident` to the worker.
#pragma once

#include "rt/schema/DeviceDescription.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace gpusched::cpu {

class Block;

/// What one block takes from an SM.
struct BlockDemand {
  uint32_t threads = 0, warps = 0, registers = 0;
  uint64_t shared = 0;
};

/// REQUIRES: the launch fits the device at all.
BlockDemand blockDemand(const DeviceDescription& device, uint32_t threads,
                        uint32_t registersPerThread, uint64_t sharedBytes);

class StreamingMultiprocessor {
public:
  StreamingMultiprocessor(const DeviceDescription& device, uint32_t id);
  ~StreamingMultiprocessor();

  bool fits(const BlockDemand& demand) const;
  void reserve(const BlockDemand& demand);
  void unreserve(const BlockDemand& demand);

  const uint32_t id;
  uint32_t blocks = 0;
  std::vector<std::unique_ptr<Block>> incoming;
  std::atomic<bool> hasIncoming{false};
  std::vector<std::unique_ptr<Block>> resident;

private:
  const DeviceDescription& device_;
  BlockDemand used_;
};

} // namespace gpusched::cpu
