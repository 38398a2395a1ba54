// LaunchPair.h - stands around two launches that follow each other at once (passes/Fuse.cpp).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   { const ::gpusched::LaunchPair gpusched_pair(false); a<<<...>>>(x); b<<<...>>>(y); }
//
// The runtime may hold the first launch until the second comes, and make one of both
// (rt/launch/PairedLaunch.h). Cost without a runtime: two loads and branches.
#pragma once

#include "Program.h"

namespace gpusched {

class __attribute__((visibility("hidden"))) LaunchPair {
public:
  /// `promised`: the program said that they are independent (gpusched/Independent.h).
  explicit LaunchPair(bool promised) {
    tell(promised ? GPUSCHED_PAIR_PROMISED : GPUSCHED_PAIR_BEGINS);
  }
  ~LaunchPair() { end(); }
  LaunchPair(const LaunchPair&) = delete;
  LaunchPair& operator=(const LaunchPair&) = delete;

  /// Where variables are declared between the two, which are used behind them: the object lives as
  /// long. A second end means nothing.
  void end() const { tell(GPUSCHED_PAIR_ENDS); }

private:
  static void tell(gpusched_pair_mark mark) {
    const gpusched_rt_launch_function launch =
        __atomic_load_n(&gpusched_program.launch, __ATOMIC_ACQUIRE);
    if (__builtin_expect(launch == nullptr, 1))
      return;
    gpusched_launch_request request;
    memset(&request, 0, sizeof request);
    request.abi_version = GPUSCHED_ABI_VERSION;
    request.kernels = __atomic_load_n(&gpusched_program.kernels, __ATOMIC_ACQUIRE);
    request.cudart = &cudart();
    request.pair = static_cast<gpusched_u32>(mark);
    int error = 0;
    launch(&request, &error);
  }
};

} // namespace gpusched
