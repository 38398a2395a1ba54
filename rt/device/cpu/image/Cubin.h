// Cubin.h - what an NVIDIA cubin says about the resources of its kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read from the ELF sections that ptxas writes, without NVIDIA's tools. Spill bytes are not in
// a cubin; they exist only in ptxas' text.
#pragma once

#include "rt/device/cpu/image/ByteView.h"
#include "rt/support/Result.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gpusched::image {

struct KernelParameter {
  uint64_t offset = 0, bytes = 0;
};

struct KernelResources {
  std::string name;                          // mangled
  uint32_t registers = 0;                    // per thread
  uint64_t staticSharedBytes = 0;            // per block, without what the driver reserves
  uint64_t frameBytes = 0;                   // per thread: the kernel's own local memory
  uint64_t stackBytes = 0;                   // per thread: with the functions it calls, if known
  uint32_t barriers = 0;                     // named barriers used: highest number + 1
  uint32_t maxRegisters = 0;                 // -maxrregcount or __maxnreg__; 0 = no limit
  std::array<uint32_t, 3> maxThreads{};      // __launch_bounds__; zeros = none
  std::array<uint32_t, 3> requiredThreads{}; // __block_size__; zeros = none
  std::array<uint32_t, 3> clusterBlocks{};   // __cluster_dims__; zeros = none
  uint64_t parameterBytes = 0;
  std::vector<KernelParameter> parameters; // in declaration order
};

struct Cubin {
  unsigned sm = 0; // 90
  std::vector<KernelResources> kernels;
};

/// True for an ELF file for NVIDIA's machine.
bool isCubin(ByteView bytes);
Result<Cubin> readCubin(ByteView bytes);

} // namespace gpusched::image
