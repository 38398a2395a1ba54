// Launch.h - what gpusched-cc injects into every CUDA source file (nvcc -include).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   k<<<g,b,s,st>>>(a)  --nvcc-->  cudaLaunchKernel  --driver's -D-->  gpusched_launch (here)
//     GPUSCHED unset, "0" or "native", no runtime found  -> the program's own cudaLaunchKernel
//     else                                               -> gpusched_rt_launch of the runtime
//
// No link-time dependency: the runtime library is opened on the first launch, and only when
// GPUSCHED asks for it; dlopen itself is a weak reference. Everything shared between the objects
// of one program or shared library is weak and hidden, so each of them has exactly one copy and
// its own CUDA runtime. The CUDA functions are reached through assembler names because the
// driver's -D (and any macro of the program) renames only C++ identifiers.
//
// Threads: a launch reads one word; resolving the runtime and registering kernels are atomic.
// Cost without GPUSCHED: one load and one predictable branch per launch.
// C++11 to C++20, silent under -Wall -Wextra. The host part is seen by the device pass too: there
// the registrars' references are what instantiates the twins of kernel templates.
#pragma once

#if defined(__CUDACC__) && defined(__cplusplus)

#include <cuda_runtime.h>

/// A word that only the parse of gpusched-cc needs (passes/analysis/MissingWords.h).
#define GPUSCHED_PREFERRED

#include "LaunchAbi.h"
#include "device/ModuleTwin.cuh"
#include "device/Persistent.cuh"
#include "device/SplicedLoop.cuh"

#include "host/LaunchPair.h"
#include "host/NamedRegistrar.h"
#include "host/PairRegistrar.h"
#include "host/Registrar.h"

#endif // __CUDACC__
