// Process.cpp - starts programs with posix_spawn.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads: the parallel form gives each worker thread the next command; a result is written by
// exactly one thread and read after all have been joined.
#include "tools/gpusched-cc/Process.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace gpusched::cc {
namespace {

std::vector<char*> pointersTo(const Command& command) {
  std::vector<char*> pointers;
  for (const std::string& word : command)
    pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

void reportStart(const Command& command, int error) {
  std::fprintf(stderr, "gpusched-cc: cannot start '%s': %s\n", command[0].c_str(),
               std::strerror(error));
}

int waitFor(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// Starts `command`; with a null `actions` it shares our streams. 0 = not started.
pid_t start(const Command& command, const posix_spawn_file_actions_t* actions) {
  pid_t child = 0;
  std::vector<char*> pointers = pointersTo(command);
  int error =
      ::posix_spawnp(&child, command[0].c_str(), actions, nullptr, pointers.data(), environ);
  if (error != 0)
    reportStart(command, error);
  return error == 0 ? child : 0;
}

/// Both ends of one stream of a child.
struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0)
      ends[0] = ends[1] = -1;
  }
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
  void closeEnd(int which) {
    if (ends[which] >= 0)
      ::close(ends[which]);
    ends[which] = -1;
  }
};

/// Reads what is there; closes the end at end of file.
void drain(Pipe& pipe, std::string& text) {
  char buffer[1 << 14];
  ssize_t count = ::read(pipe.ends[0], buffer, sizeof buffer);
  if (count > 0)
    text.append(buffer, static_cast<size_t>(count));
  else if (count == 0 || errno != EINTR)
    pipe.closeEnd(0);
}

void collect(Pipe& output, Pipe& errors, ProcessResult& result, const ErrorsWatcher& watch) {
  while (output.ends[0] >= 0 || errors.ends[0] >= 0) {
    pollfd files[] = {{output.ends[0], POLLIN, 0}, {errors.ends[0], POLLIN, 0}};
    if (::poll(files, 2, -1) < 0 && errno != EINTR)
      return;
    if (files[0].revents)
      drain(output, result.output);
    if (!files[1].revents)
      continue;
    drain(errors, result.errors);
    if (watch)
      watch(result.errors);
  }
}

bool needsQuotes(const std::string& word) {
  return word.empty() || word.find_first_of(" \t\n'\"\\$`*?[](){}<>|&;#!") != std::string::npos;
}

} // namespace

int replaceWith(const Command& command) {
  ::execvp(command[0].c_str(), pointersTo(command).data());
  reportStart(command, errno);
  return 127;
}

int runAttached(const Command& command) {
  pid_t child = start(command, nullptr);
  return child ? waitFor(child) : 127;
}

ProcessResult runCollected(const Command& command, const ErrorsWatcher& watch) {
  ProcessResult result;
  Pipe output, errors;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.ends[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, errors.ends[1], 2);
  pid_t child = start(command, &actions);
  ::posix_spawn_file_actions_destroy(&actions);
  output.closeEnd(1);
  errors.closeEnd(1);
  if (!child) {
    result.exitCode = 127;
    return result;
  }
  collect(output, errors, result, watch);
  result.exitCode = waitFor(child);
  return result;
}

std::vector<ProcessResult> runCollected(const std::vector<Command>& commands, unsigned parallel,
                                        const std::vector<ErrorsWatcher>& watchers) {
  std::vector<ProcessResult> results(commands.size());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i = next++; i < commands.size(); i = next++)
      results[i] = runCollected(commands[i], i < watchers.size() ? watchers[i] : ErrorsWatcher());
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min<size_t>(parallel, commands.size()); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread& thread : threads)
    thread.join();
  return results;
}

std::string quoted(const Command& command) {
  std::string line;
  for (const std::string& word : command) {
    if (!line.empty())
      line += ' ';
    if (!needsQuotes(word)) {
      line += word;
      continue;
    }
    line += '\'';
    for (char c : word)
      line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

} // namespace gpusched::cc
