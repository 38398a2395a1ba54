// KernelLaunch.h - checks a launch against the device and turns it into an operation.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks are made when the launch is called, not when the stream gets to it, so that the program
// sees cudaErrorInvalidConfiguration where it looks for it.
#pragma once

#include "rt/device/cpu/cudart/Runtime.h"

namespace gpusched::cudart {

struct LaunchShape {
  dim3 grid, block;
  size_t dynamicSharedBytes = 0;
  bool cooperative = false;
  dim3 cluster = dim3(0, 0, 0); // x = 0: the kernel's own, or none
};

/// Blocks of a cluster that any launch may ask for, and those a kernel may that was told to.
inline constexpr uint32_t kPortableClusterBlocks = 8, kMostClusterBlocks = 16;

/// The kernel for a host stub or handle, loaded. Errors are those of cudaLaunchKernel.
cudaError_t kernelFor(Runtime& runtime, const void* function, RegisteredKernel** kernel);

/// Dynamic shared memory that `kernel` may use now, bytes.
size_t maxDynamicShared(const Runtime& runtime, const RegisteredKernel& kernel);

/// What cudaFuncGetAttributes says of a kernel that was told nothing.
cudaFuncAttributes functionAttributes(const DeviceDescription& device,
                                      const cpu::KernelFacts& facts);

/// Resident blocks per SM for a kernel that has been resolved; 0 = does not fit.
uint32_t residentBlocks(const Runtime& runtime, const RegisteredKernel& kernel,
                        uint32_t threadsPerBlock, uint64_t dynamicSharedBytes);

/// Checks the launch and copies the arguments.
cudaError_t prepareLaunch(Runtime& runtime, const void* function, const LaunchShape& shape,
                          void** arguments, OperationBody& body);

/// prepareLaunch, and appends the launch to the stream.
cudaError_t launchKernel(Runtime& runtime, const StreamRef& stream, const void* function,
                         const LaunchShape& shape, void** arguments);

} // namespace gpusched::cudart
