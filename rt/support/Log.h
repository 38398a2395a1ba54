// Log.h - one line on stderr, when GPUSCHED_LOG lets it through.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line is one write(2), so lines of several threads and processes do not mix. Lines start
// with "gpusched: <level>: ". logOnce says a thing once per process and call site: a launch
// that falls back a million times is reported once. Thread-safe; never throws; the level is
// read once, at the first call.
#pragma once

#include <atomic>

namespace gpusched {

enum class LogLevel : int { Off, Error, Warning, Info, Debug };

bool logEnabled(LogLevel level);
void log(LogLevel level, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// True the first time it is called on `flag`.
inline bool firstTime(std::atomic<bool>& flag) {
  return !flag.exchange(true);
}

} // namespace gpusched

#define GPUSCHED_LOG_ONCE(level, ...)                                                              \
  do {                                                                                             \
    static std::atomic<bool> said{false};                                                          \
    if (::gpusched::firstTime(said))                                                               \
      ::gpusched::log(level, __VA_ARGS__);                                                         \
  } while (false)
