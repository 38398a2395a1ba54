// PairedLaunch.h - two launches that stand side by side in the source become one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   LaunchPair begins     the thread is in a pair
//   a<<<..., s1>>>(x)     held: its arguments are copied, the program sees success
//   b<<<..., s2>>>(y)     fused: s1 waits for s2, pairedKernels<..., s1>>>, s2 waits for s1
//                         or apart: a as it would have been, then b
//   LaunchPair ends       what is still held is launched
//
// Nothing of CUDA stands between the two in the source, so nobody can tell when the first one was
// made. Only the launch right behind the beginning is held, and only where all that the first one
// can say allows it (Runtime::mayHold); Runtime::whyApart asks the rest, rt/fusion whether it pays.
// That no block of either waits for another one is needed, for blocks of the second that wait could
// fill the device in front of those of the first.
//
// The default stream. A launch there waits for launches in all other streams and they for it, so it
// is never one of a pair in two streams. What stream 0 is, the program's table decides: objects
// with per-thread default streams pass 0, too, and mean the thread's. Nobody can tell them apart
// here, so 0 counts as the legacy one always; cudaStreamPerThread (2) is a stream like any other.
// Two launches of one stream, whatever it is, are fused where the program promised that neither
// needs the other's results.
//
// A fused launch of two streams waits for what is in front of the second one, too, and what comes
// behind the first one waits for the second's blocks. Waiting longer than necessary is no error
// (Runtime.h); the waits point back in order of submission.
//
// Errors. What a held launch returned was success; if CUDA refuses it when it is made, CUDA keeps
// the error for cudaGetLastError, as for any `<<<>>>`. A fused launch that fails is made as two.
//
// Threads: a thread's held launch is its own. A raw thread-local pointer, since launches come from
// static destructors, too. Plans of pairs are shared, under Runtime::pairsMutex_.
#pragma once

#include "rt/launch/LaunchPlan.h"

#include <memory>
#include <vector>

namespace gpusched {

/// A launch that was promised to the program and is not made yet.
struct HeldLaunch {
  gpusched_launch_request request = {}; ///< its arguments are those below
  const LaunchPlan* plan = nullptr;
  const void* on = nullptr; ///< the PerDevice that was current
  std::vector<char> values;
  std::vector<void*> arguments;

  /// Takes copies of the arguments. REQUIRES: a kernel whose parameters' sizes are known.
  void keep(const gpusched_launch_request& made, const LaunchPlan& itsPlan);
};

/// Of a thread that is between the beginning and the end of a pair.
struct PairedThread {
  bool promised = false;
  bool awaitsFirst = true;
  std::unique_ptr<HeldLaunch> held = nullptr;
};

/// What is known of two configurations once and for all.
struct PairPlan {
  const gpusched_kernel* kernel = nullptr; ///< runs the blocks of both; null: there is none
  const LaunchPlan* plan = nullptr;        ///< of that kernel
  bool fuse = false;
  std::string reason;
};

/// One launch for two, on its way.
struct FusedLaunch {
  gpusched_launch_request request = {};
  gpusched_pair pair = {};
  std::vector<void*> arguments; ///< of both, behind `pair`
  const gpusched_launch_request* second = nullptr;
  const PairPlan* plan = nullptr;
  uint64_t otherStream = 0; ///< streamId of the second's; 0: both are of one stream
  bool joined = false;      ///< the other stream waits for its end
};

/// How the blocks of two launches are mixed. REQUIRES: blocks in each, in all at most 2^31 - 1.
gpusched_pair makePair(const gpusched_dim3& first, const gpusched_dim3& second);

} // namespace gpusched
