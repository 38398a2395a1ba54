// RelaxedCapture.h - calls of ours do not spoil a capture of the program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While any thread captures a graph in the default mode, calls like cudaMalloc and cudaEventQuery
// fail in every thread and spoil the capture. Ours have nothing to do with it. The mode is the
// calling thread's; objects of this class may stand inside each other.
#pragma once

#include "rt/launch/Cudart.h"

namespace gpusched {

class RelaxedCapture {
public:
  /// The table itself is not kept.
  explicit RelaxedCapture(const gpusched_cudart& runtime)
      : exchangeMode_(runtime.threadExchangeStreamCaptureMode), takeError_(runtime.getLastError) {
    exchange();
  }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

private:
  void exchange() {
    if (exchangeMode_(&mode_) != cudart::kSuccess)
      (void)takeError_();
  }

  decltype(gpusched_cudart::threadExchangeStreamCaptureMode) exchangeMode_;
  decltype(gpusched_cudart::getLastError) takeError_;
  int mode_ = cudart::kCaptureModeRelaxed;
};

} // namespace gpusched
