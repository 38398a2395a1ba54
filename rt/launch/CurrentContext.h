// CurrentContext.h - makes the context of a device's launches current for a thread of ours.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Immutable, so any thread may use it. A context that was reset stays gone: whoever uses this asks
// ContextIds first what came of it.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"

namespace gpusched {

class CurrentContext {
public:
  /// The one that is current in the calling thread.
  explicit CurrentContext(const gpusched_cudart& runtime);
  bool make() const;

private:
  void* context_ = nullptr;
  int (*set_)(void* context) = nullptr; ///< null: the driver has none, and needs none
};

} // namespace gpusched
