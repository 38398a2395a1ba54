// WorkQueue.cpp - one thread that runs closures in the order they were posted.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/WorkQueue.h"

#include <pthread.h>
#include <signal.h>

#include <thread>

namespace gpusched::cudart {

/// Signals belong to the program's own threads: ours block them all while they start others.
static void startWithSignalsBlocked(std::function<void()> body) {
  sigset_t all, before;
  sigfillset(&all);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    sigdelset(&all, fault);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread(std::move(body)).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void WorkQueue::post(std::function<void()> work) {
  std::lock_guard<std::mutex> lock(mutex_);
  work_.push_back(std::move(work));
  if (!started_) {
    started_ = true;
    startWithSignalsBlocked([this] { loop(); });
  }
  posted_.notify_one();
}

void WorkQueue::loop() {
  while (true) {
    std::function<void()> next;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      posted_.wait(lock, [this] { return !work_.empty(); });
      next = std::move(work_.front());
      work_.pop_front();
    }
    next();
  }
}

} // namespace gpusched::cudart
