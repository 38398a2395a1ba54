// ChildProcess.cpp - fork, exec and wait.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched/ChildProcess.h"

#include "tools/gpusched/Subcommand.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace gpusched::tool {

int become(std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  int error = errno;
  std::string message = "cannot run " + words[0] + ": " + std::strerror(error);
  if (error == ENOENT && words[0].find('/') == std::string::npos)
    message += "; it is not in PATH (write ./" + words[0] + " for the current folder)";
  return fail(error == ENOENT ? kNotFound : kCannotExecute, message);
}

int runAndWait(std::vector<std::string> words, const std::string& output) {
  const pid_t child = fork();
  if (child == 0) {
    const int file = output.empty() ? -1 : open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0)
      dup2(file, STDOUT_FILENO);
    _exit(become(words));
  }
  void (*const interrupt)(int) = std::signal(SIGINT, SIG_IGN);
  void (*const quit)(int) = std::signal(SIGQUIT, SIG_IGN);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, interrupt);
  std::signal(SIGQUIT, quit);
  if (child < 0)
    return kToolFailed;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::filesystem::path ownFile(const std::string& place) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.parent_path().parent_path() / place;
}

static void putInFront(const char* variable, const std::string& path) {
  const char* const others = std::getenv(variable);
  const std::string all = others && *others ? path + ":" + others : path;
  setenv(variable, all.c_str(), /*overwrite=*/1);
}

Status preload(const std::string& library) {
  const std::filesystem::path path = ownFile("lib/" + library);
  if (!std::filesystem::exists(path))
    return Status::error("cannot find " + path.string() +
                         "; gpusched must stay beside its lib folder as it was built");
  putInFront("LD_PRELOAD", path.string());
  return {};
}

void searchFirst(const std::string& folder) {
  putInFront("LD_LIBRARY_PATH", ownFile(folder).string());
}

} // namespace gpusched::tool
