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
      : exchangeMode_(runtime.threadExchangeStreamCaptureMode), takeError_(runtime.getLastError),
        holds_(exchange()) {}
  ~RelaxedCapture() {
    if (holds_)
      (void)exchange();
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;
  /// False: CUDA does not relax the mode. Better not to ask it anything else.
  explicit operator bool() const { return holds_; }

private:
  bool exchange() {
    if (exchangeMode_(&mode_) == cudart::kSuccess)
      return true;
    (void)takeError_();
    return false;
  }

  decltype(gpusched_cudart::threadExchangeStreamCaptureMode) exchangeMode_;
  decltype(gpusched_cudart::getLastError) takeError_;
  int mode_ = cudart::kCaptureModeRelaxed;
  const bool holds_;
};

} // namespace gpusched
