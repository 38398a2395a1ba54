// Worker.h - a host thread that runs the blocks of its SMs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SM i belongs to worker i mod workers. The worker visits its SMs in turn and gives every
// resident block a slice, so all blocks progress. std::thread, not TBB: workers live as long
// as the GPU, block on a condition variable, and a block must stay on its thread; nothing
// here is a task graph. An idle worker sleeps.
#pragma once

#include "rt/device/cpu/engine/Block.h"
#include "rt/device/cpu/engine/Dispatcher.h"

#include <thread>

namespace gpusched::cpu {

class Worker {
public:
  Worker(Dispatcher& dispatcher, unsigned index, unsigned workers);
  ~Worker() { thread_.join(); } // after Dispatcher::stop()

private:
  void loop();
  bool visit(StreamingMultiprocessor& sm);
  BlockState slice(Block& block);
  void reportRepetition();

  Dispatcher& dispatcher_;
  unsigned index_, workers_;
  BlockPool pool_;
  HangWatch watch_;
  std::thread thread_;
};

} // namespace gpusched::cpu
