// Options.h - the command line that every benchmark program understands.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   NAME [--size=test|small|large] [--repeat=N] [--seed=N] [--output=FILE] [--no-check]
// corun adds --order, --serial, --threads, --samples and the names of workloads. Unknown options
// end the program with the list of known ones: a mistyped option must not give a result that looks
// measured.
#pragma once

#include "benchmarks/kernels/Workload.h"

#include <string>
#include <vector>

namespace bench {

struct Options {
  Size size = Size::Small;
  int repeat = 1;
  std::uint64_t seed = 1;
  std::string output; ///< file for the raw result bytes; empty = none
  bool check = true;
  bool serial = false;            ///< corun: second phase on one stream
  bool threads = false;           ///< corun: a host thread per workload
  int samples = 1;                ///< corun: times each phase is run; medians are printed
  bool reversed = false;          ///< corun: --order=reverse
  std::vector<std::string> names; ///< corun: workloads, in order
};

/// Exits with a message on a bad command line. `many` allows names and the corun options.
Options parseOptions(int count, char** arguments, bool many);

/// Exits with a message when the file cannot be written in full.
void writeFile(const std::string& path, const Bytes& bytes);

} // namespace bench
