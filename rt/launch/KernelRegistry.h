// KernelRegistry.h - from the host stub that a program launches to what we know of the kernel, and
// from two of them to the kernel that runs the blocks of both.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every program and shared library has its own list of gpusched_kernel, built by static objects
// before its main or its dlopen returns, and passes the list's head with each launch. A list
// only grows at its head, so a walk from a new head stops at the first node already known.
// Lists are looked up by stub and by list, never by name: two libraries may hold kernels of
// the same name. A dlclose leaves dangling entries. Another library may come to lie where the
// closed one was, so everything is forgotten at a library's first launch and learnt anew.
//
// Thread-safe: one mutex. Launches ask once per distinct configuration (LaunchPlan caches), and
// those that may be the first of a pair once each.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"

#include <map>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace gpusched {

class KernelRegistry {
public:
  /// The kernel whose native stub is `function`, learning `kernels` first; null when unknown.
  const gpusched_kernel* find(const void* function, const gpusched_kernel* kernels);
  /// The kernel that runs the blocks of launches of these two stubs, in this order; null: there is
  /// none. Learns `kernels` first.
  const gpusched_kernel* findPair(const void* first, const void* second,
                                  const gpusched_kernel* kernels);
  /// Is it the first of any pair? Learns `kernels` first.
  bool beginsPair(const void* first, const gpusched_kernel* kernels);
  void forget();
  size_t size() const;

private:
  void learn(const gpusched_kernel* kernels);

  mutable std::mutex mutex_;
  std::unordered_map<const void*, const gpusched_kernel*> byStub_;
  std::map<std::pair<const void*, const void*>, const gpusched_kernel*> pairs_;
  std::unordered_set<const gpusched_kernel*> seen_;
};

} // namespace gpusched
