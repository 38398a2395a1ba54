// ValueWatcher.h - one thread that polls conditions on memory for stream waits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuStreamWaitValue waits for a word that a kernel or the host writes without telling anybody,
// so it has to be polled. The thread runs only while something is watched. It never blocks:
// `satisfied` reads memory, `finished` hands over to the OperationGraph.
#pragma once

#include "rt/device/cpu/cudart/WorkQueue.h"

#include <functional>
#include <mutex>
#include <vector>

namespace gpusched::cudart {

class ValueWatcher {
public:
  void watch(std::function<bool()> satisfied, std::function<void()> finished);

private:
  struct Watched {
    std::function<bool()> satisfied;
    std::function<void()> finished;
  };
  void poll();
  bool takeSatisfied(std::vector<Watched>& done);

  std::mutex mutex_;
  std::vector<Watched> watched_;
  bool polling_ = false;
  WorkQueue thread_;
};

} // namespace gpusched::cudart
