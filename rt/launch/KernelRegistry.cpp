// KernelRegistry.cpp - learns kernel lists and looks stubs up.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oldest node of a stub is learnt last in a walk from the head, so insertion keeps the
// first one met: the newest.
#include "rt/launch/KernelRegistry.h"

#include <vector>

namespace gpusched {

void KernelRegistry::learn(const gpusched_kernel* kernels) {
  std::unordered_set<const void*> metInThisWalk;
  for (const gpusched_kernel* kernel = kernels; kernel; kernel = kernel->next) {
    if (!seen_.insert(kernel).second)
      break;
    if (metInThisWalk.insert(kernel->native).second)
      byStub_[kernel->native] = kernel;
  }
}

const gpusched_kernel* KernelRegistry::find(const void* function, const gpusched_kernel* kernels) {
  std::lock_guard<std::mutex> lock(mutex_);
  learn(kernels);
  std::unordered_map<const void*, const gpusched_kernel*>::const_iterator found =
      byStub_.find(function);
  return found == byStub_.end() ? nullptr : found->second;
}

void KernelRegistry::forget() {
  std::lock_guard<std::mutex> lock(mutex_);
  byStub_.clear();
  seen_.clear();
}

size_t KernelRegistry::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return byStub_.size();
}

} // namespace gpusched
