// Sharing.h - the ways CUDA itself offers to run two kernels at once.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each gives two streams for the two workloads of a pair, and what there is to tune:
//   streams      two plain streams
//   priorities   the first, or the second, stream has the higher priority        2 settings
//   green        two green contexts that divide the SMs 1:3, 1:1 or 3:1          3 settings
//   padding      plain streams, unused shared memory holds blocks per SM down    3 settings
// The driver's functions for green contexts come from cudaGetDriverEntryPoint: nothing is linked.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <vector>

namespace bench {

struct StreamPair {
  cudaStream_t first = nullptr, second = nullptr;
  std::string setting; ///< "high,low", "33+99 SMs", "16384 bytes"; empty for plain streams
};

/// Every setting of `mode`; empty, with `why`, when this machine does not offer it.
std::vector<StreamPair> settingsOf(const std::string& mode, std::string& why);

/// Kernels launched from now on take this much more dynamic shared memory, where they can.
void padLaunches(size_t bytes);
/// The bytes of a "padding" setting, else 0.
size_t paddingOf(const StreamPair& pair);

} // namespace bench
