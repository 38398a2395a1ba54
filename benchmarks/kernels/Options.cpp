// Options.cpp - reads the command line of Options.h.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain string compares; what is wrong is named together with what would be right.
#include "benchmarks/kernels/Options.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bench {

static const char kHelp[] = " [--size=test|small|large] [--repeat=N] [--seed=N] [--output=FILE] "
                            "[--no-check]";
static const char kCorunHelp[] = " [--order=given|reverse] [--serial] [--threads] "
                                 "[--samples=N] NAME...";

[[noreturn]] static void stop(const char* program, const std::string& reason, bool many) {
  if (!reason.empty())
    std::fprintf(stderr, "%s: %s\n", program, reason.c_str());
  std::FILE* to = reason.empty() ? stdout : stderr;
  std::fprintf(to, "usage: %s%s%s\n", program, kHelp, many ? kCorunHelp : "");
  if (many)
    for (Registration* entry = Registration::first(); entry; entry = entry->next)
      std::fprintf(to, "  %s\n", entry->name);
  std::exit(reason.empty() ? 0 : 1);
}

/// The text after "--key=", or null when the argument is another option.
static const char* valueOf(const char* argument, const char* key) {
  const std::size_t length = std::strlen(key);
  return std::strncmp(argument, key, length) == 0 ? argument + length : nullptr;
}

static bool parseSize(const std::string& text, Size& size) {
  if (text == "test")
    size = Size::Test;
  else if (text == "small")
    size = Size::Small;
  else if (text == "large")
    size = Size::Large;
  else
    return false;
  return true;
}

/// A whole number in 1..1000000.
static bool parseCount(const char* text, int& count) {
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  count = static_cast<int>(number);
  return end != text && *end == 0 && number >= 1 && number <= 1000000;
}

static bool parseSeed(const char* text, std::uint64_t& seed) {
  char* end = nullptr;
  seed = std::strtoull(text, &end, 10);
  return end != text && *end == 0 && *text != '-';
}

/// Options that only corun has. Returns whether the argument was one of them.
static bool parseCorunOption(const char* argument, Options& options) {
  if (const char* value = valueOf(argument, "--samples="))
    return parseCount(value, options.samples);
  if (!std::strcmp(argument, "--serial"))
    options.serial = true;
  else if (!std::strcmp(argument, "--threads"))
    options.threads = true;
  else if (!std::strcmp(argument, "--order=reverse"))
    options.reversed = true;
  else if (argument[0] != '-')
    options.names.push_back(argument);
  else
    return !std::strcmp(argument, "--order=given");
  return true;
}

static bool parseOption(const char* argument, Options& options) {
  if (const char* value = valueOf(argument, "--size="))
    return parseSize(value, options.size);
  if (const char* value = valueOf(argument, "--repeat="))
    return parseCount(value, options.repeat);
  if (const char* value = valueOf(argument, "--seed="))
    return parseSeed(value, options.seed);
  if (const char* value = valueOf(argument, "--output=")) {
    options.output = value;
    return !options.output.empty();
  }
  if (std::strcmp(argument, "--no-check"))
    return false;
  options.check = false;
  return true;
}

Options parseOptions(int count, char** arguments, bool many) {
  Options options;
  for (int index = 1; index < count; ++index) {
    const char* argument = arguments[index];
    if (!std::strcmp(argument, "--help"))
      stop(arguments[0], "", many);
    if (!parseOption(argument, options) && !(many && parseCorunOption(argument, options)))
      stop(arguments[0], std::string("bad argument '") + argument + "'", many);
  }
  if (many && options.names.empty())
    stop(arguments[0], "name at least one workload", many);
  return options;
}

void writeFile(const std::string& path, const Bytes& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  const bool written = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool closed = file && std::fclose(file) == 0;
  if (written && closed)
    return;
  std::fprintf(stderr, "benchmark: cannot write %zu bytes to '%s': %s\n", bytes.size(),
               path.c_str(), std::strerror(errno));
  std::exit(1);
}

} // namespace bench
