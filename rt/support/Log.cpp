// Log.cpp - formats a line and writes it in one call.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines longer than the buffer are cut: a log never allocates, so it works inside an
// intercepted call whatever the state of the heap. Levels 0 to 3 are error to debug.
#include "rt/support/Log.h"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace gpusched {
namespace {

constexpr const char* kNames[] = {"off", "error", "warning", "info", "debug"};

// getenv, not environment(): reading the level must not log.
LogLevel readLevel() {
  const char* text = std::getenv("GPUSCHED_LOG");
  if (text && text[0] >= '0' && text[0] <= '3' && text[1] == 0)
    return LogLevel(text[0] - '0' + int(LogLevel::Error));
  for (int i = 0; text && i < int(std::size(kNames)); ++i)
    if (std::strcmp(text, kNames[i]) == 0)
      return LogLevel(i);
  return LogLevel::Warning;
}

} // namespace

bool logEnabled(LogLevel level) {
  static const LogLevel kLevel = readLevel();
  return level <= kLevel;
}

void log(LogLevel level, const char* format, ...) {
  if (!logEnabled(level))
    return;
  int savedErrno = errno;
  char line[1024];
  int used = std::snprintf(line, sizeof line, "gpusched: %s: ", kNames[int(level)]);
  va_list arguments;
  va_start(arguments, format);
  int more = std::vsnprintf(line + used, sizeof line - used - 1, format, arguments);
  va_end(arguments);
  size_t length = more < 0 ? used : std::min<size_t>(used + more, sizeof line - 2);
  line[length++] = '\n';
  ssize_t written = write(STDERR_FILENO, line, length);
  (void)written;
  errno = savedErrno;
}

} // namespace gpusched
