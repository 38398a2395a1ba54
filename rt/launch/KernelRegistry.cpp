// KernelRegistry.cpp - learns kernel lists and looks stubs up.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A walk from the head meets the newest node of a stub first, so what it met is stored from its end
// on and the newest stays.
#include "rt/launch/KernelRegistry.h"

#include <vector>

namespace gpusched {

void KernelRegistry::learn(const gpusched_kernel* kernels) {
  std::vector<const gpusched_kernel*> met;
  for (const gpusched_kernel* kernel = kernels; kernel; kernel = kernel->next) {
    if (!seen_.insert(kernel).second)
      break;
    met.push_back(kernel);
  }
  for (size_t i = met.size(); i-- > 0;) {
    byStub_[met[i]->native] = met[i];
    if (met[i]->first)
      pairs_[{met[i]->first, met[i]->second}] = met[i];
  }
}

const gpusched_kernel* KernelRegistry::find(const void* function, const gpusched_kernel* kernels) {
  std::lock_guard<std::mutex> lock(mutex_);
  learn(kernels);
  std::unordered_map<const void*, const gpusched_kernel*>::const_iterator found =
      byStub_.find(function);
  return found == byStub_.end() ? nullptr : found->second;
}

const gpusched_kernel* KernelRegistry::findPair(const void* first, const void* second,
                                                const gpusched_kernel* kernels) {
  std::lock_guard<std::mutex> lock(mutex_);
  learn(kernels);
  const auto found = pairs_.find({first, second});
  return found == pairs_.end() ? nullptr : found->second;
}

bool KernelRegistry::beginsPair(const void* first, const gpusched_kernel* kernels) {
  std::lock_guard<std::mutex> lock(mutex_);
  learn(kernels);
  const auto found = pairs_.lower_bound({first, nullptr});
  return found != pairs_.end() && found->first.first == first;
}

void KernelRegistry::forget() {
  std::lock_guard<std::mutex> lock(mutex_);
  pairs_.clear();
  byStub_.clear();
  seen_.clear();
}

size_t KernelRegistry::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return byStub_.size();
}

} // namespace gpusched
