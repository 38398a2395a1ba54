// Guard.cpp - the waiting parent of a compile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three signals are blocked before the fork and taken with sigwait, together with
// SIGCHLD, so no handler runs and nothing can be missed between two calls. The child gets the
// mask back that we were started with.
#include "tools/gpusched-cc/Guard.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpusched::cc {
namespace {

class BlockedSignals {
public:
  BlockedSignals() {
    ::sigemptyset(&set_);
    ::sigaddset(&set_, SIGCHLD);
    for (int signal : {SIGINT, SIGTERM, SIGHUP})
      if (!isIgnored(signal))
        ::sigaddset(&set_, signal);
    ::sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  ~BlockedSignals() { restore(); }
  void restore() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  int wait() const {
    int signal = 0;
    return ::sigwait(&set_, &signal) == 0 ? signal : SIGCHLD;
  }

private:
  /// As nohup and background jobs of a script want it.
  static bool isIgnored(int signal) {
    struct sigaction action;
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
  }

  sigset_t set_, before_;
};

[[noreturn]] void dieBy(int signal, const BlockedSignals& blocked) {
  std::signal(signal, SIG_DFL);
  blocked.restore();
  ::raise(signal);
  ::_exit(128 + signal);
}

[[noreturn]] void interrupt(pid_t child, int signal, TemporaryFolder& folder,
                            const BlockedSignals& blocked) {
  ::kill(-child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  folder.remove();
  dieBy(signal, blocked);
}

/// Walks over expressions recurse: a sum of 30000 terms, which nvcc takes, needs more than the
/// usual 8 MiB. The main thread's stack may grow this far wherever it began; nvcc, which the child
/// starts, has the same limit.
void allowDeepRecursion() {
  constexpr rlim_t kStackBytes = 64 << 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kStackBytes)
    return;
  limit.rlim_cur = std::min(kStackBytes, limit.rlim_max);
  ::setrlimit(RLIMIT_STACK, &limit);
}

/// nvcc's own exit codes are small; a signal means that the child itself was ended.
GuardResult resultOf(int status) {
  if (WIFSIGNALED(status))
    return {true, WTERMSIG(status)};
  return {false, WEXITSTATUS(status)};
}

} // namespace

GuardResult runGuarded(TemporaryFolder& folder, const std::function<int()>& work) {
  std::fflush(nullptr);
  BlockedSignals blocked;
  std::signal(SIGCHLD, SIG_DFL);
  pid_t child = ::fork();
  if (child < 0)
    return {true, 0};
  if (child == 0) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    blocked.restore();
    allowDeepRecursion();
    int code = work();
    std::fflush(nullptr);
    ::_exit(code);
  }
  ::setpgid(child, child);
  while (true) {
    int status = 0;
    if (::waitpid(child, &status, WNOHANG) == child)
      return resultOf(status);
    if (int signal = blocked.wait(); signal != SIGCHLD)
      interrupt(child, signal, folder, blocked);
  }
}

} // namespace gpusched::cc
