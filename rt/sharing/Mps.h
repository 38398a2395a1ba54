// Mps.h - does an MPS daemon run here?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without one, the GPU runs one process at a time, each for a slice, and a budget that one takes
// for the sake of another is lost. Looks at files only; the daemon is the administrator's.
#pragma once

#include <string>

namespace gpusched {

/// The daemon's folder of pipes ($CUDA_MPS_PIPE_DIRECTORY); "" = none runs.
std::string mpsFolder();

} // namespace gpusched
