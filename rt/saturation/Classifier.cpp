// Classifier.cpp - two comparisons.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/saturation/Classifier.h"

namespace gpusched {

KernelClass classify(const DynamicProfile& profile, double thresholdPercent) {
  double all = profile.stallExecution + profile.stallFetch + profile.stallMemory +
               profile.stallSync + profile.stallTexture + profile.stallOther;
  if (all <= 0)
    return KernelClass::Unknown;
  bool memory = profile.stallMemory >= thresholdPercent;
  bool l1 = profile.stallTexture >= thresholdPercent;
  if (memory && l1)
    return profile.stallTexture > profile.stallMemory ? KernelClass::L1 : KernelClass::Memory;
  if (memory || l1)
    return memory ? KernelClass::Memory : KernelClass::L1;
  return KernelClass::Compute;
}

} // namespace gpusched
