// FaultGuard.cpp - the signal handler.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SA_NODEFER: siglongjmp leaves the handler without restoring the signal mask.
#include "rt/device/cpu/engine/FaultGuard.h"

#include <csignal>
#include <mutex>

namespace gpusched::cpu {

thread_local detail::FaultPoint* detail::faultPoint = nullptr;

namespace {

struct sigaction previousSegv, previousBus;

void forward(const struct sigaction& previous, int signal, siginfo_t* info, void* context) {
  if (previous.sa_flags & SA_SIGINFO) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_IGN) {
    return;
  } else if (previous.sa_handler != SIG_DFL) {
    previous.sa_handler(signal);
  } else {
    // The access is repeated on return and then ends the program as if we were not here.
    sigaction(signal, &previous, nullptr);
  }
}

void onFault(int signal, siginfo_t* info, void* context) {
  if (detail::FaultPoint* point = detail::faultPoint) {
    point->address = reinterpret_cast<uint64_t>(info->si_addr);
    siglongjmp(point->resume, 1);
  }
  forward(signal == SIGSEGV ? previousSegv : previousBus, signal, info, context);
}

} // namespace

void installFaultGuard() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = onFault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previousSegv);
    sigaction(SIGBUS, &action, &previousBus);
  });
}

} // namespace gpusched::cpu
