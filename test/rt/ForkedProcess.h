// ForkedProcess.h - another process of a test, which does one thing after the other as told.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made before anything that has threads. Its function gets a Turns: next() waits for the parent's
// step(), which returns when the child has come to its following next() or its end. The child ends
// when the parent lets go of it. What it checked by then counts: a child that was not killed must
// end well.
#pragma once

#include "test/Check.h"

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

class Turns {
public:
  Turns(int from, int to) : from_(from), to_(to) {}
  void next() {
    char word = 0;
    if (write(to_, &word, 1) != 1 || read(from_, &word, 1) != 1)
      _exit(failedChecks() ? 1 : 0);
  }

private:
  int from_, to_;
};

class ForkedProcess {
public:
  template <class Function> explicit ForkedProcess(const Function& function) {
    signal(SIGPIPE, SIG_IGN); // step() of a child that has ended
    int toChild[2], toParent[2];
    if (pipe(toChild) != 0 || pipe(toParent) != 0)
      _exit(1);
    pid_ = fork();
    if (pid_ < 0)
      _exit(1);
    if (pid_ == 0) {
      close(toChild[1]), close(toParent[0]);
      Turns turns(toChild[0], toParent[1]);
      turns.next();
      failedChecks() = 0; // of the parent
      function(turns);
      _exit(failedChecks() ? 1 : 0);
    }
    close(toChild[0]), close(toParent[1]);
    to_ = toChild[1], from_ = toParent[0];
    wait();
  }
  ~ForkedProcess() {
    close(to_), close(from_);
    if (!ended_)
      CHECK_EQUAL(exitCode(), 0);
  }
  ForkedProcess(const ForkedProcess&) = delete;
  ForkedProcess& operator=(const ForkedProcess&) = delete;

  int pid() const { return pid_; }
  /// Waits for its end.
  int exitCode() {
    int status = 0;
    ended_ = waitpid(pid_, &status, 0) == pid_;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void step() {
    const char word = 0;
    if (write(to_, &word, 1) == 1)
      wait();
  }
  void kill(int signal = SIGKILL) {
    ::kill(pid_, signal);
    if (signal == SIGKILL)
      ended_ = waitpid(pid_, nullptr, 0) == pid_;
  }

private:
  void wait() const {
    char word = 0;
    (void)!read(from_, &word, 1); // 0 bytes: it has ended
  }

  int pid_ = 0, to_ = -1, from_ = -1;
  bool ended_ = false;
};
