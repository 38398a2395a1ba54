// DriverCudart.h - the driver as the table of a CUDA runtime that launches are made with.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime library talks to a gpusched_cudart. A program that launches through the driver need
// not have a CUDA runtime, so this one is made of driver functions: results, attributes, flags and
// handles have the same values in both (CUresult and cudaError_t, CUstream and cudaStream_t).
// A function is a CUfunction. There is no last error: driver functions only return theirs.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"
#include "rt/modules/ModuleDriver.h"

namespace gpusched::modules {

/// REQUIRES: driver(kind) is not null. Lives as long as the process.
const gpusched_cudart& driverCudart(DefaultStream kind);

} // namespace gpusched::modules
