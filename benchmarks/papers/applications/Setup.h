// Setup.h - what the papers on clusters start from: arguments, kernels, a simulator.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "rt/device/sim/Simulator.h"

#include <cstdio>
#include <memory>
#include <string>

namespace gpusched::papers {

/// [FOLDER] [--only=SECTIONS] [--inside=POLICY] [--sets=N] [--lists=N]
struct Arguments {
  std::string folder = "benchmarks/papers/kscheduler"; // published.json and counters.json
  std::string only;                                    // sections; empty = all
  std::string inside; // the policy that divides each GPU's SMs; empty = the hardware
  size_t sets = 4, lists = 10;

  bool wants(const char* section) const {
    return only.empty() || only.find(section) != std::string::npos;
  }
};
/// Error: a word that is none of these.
Result<Arguments> parseArguments(int argc, char** argv);

/// The thesis' kernels on a Titan Xp.
struct Setup {
  std::unique_ptr<sim::Simulator> simulator;
  std::unique_ptr<Policy> inside; // null = the hardware
};
Result<Setup> setUp(const Arguments& arguments);

/// A main() around `print(arguments, setup)`; errors are said as `name`'s.
template <class Print> int runPaper(const char* name, int argc, char** argv, const Print& print) {
  const Result<Arguments> arguments = parseArguments(argc, argv);
  Result<Setup> setup = arguments ? setUp(*arguments) : Result<Setup>(arguments.status());
  if (!setup)
    return std::fprintf(stderr, "%s: error: %s\n", name, setup.message().c_str()), 1;
  print(*arguments, *setup);
  return 0;
}

} // namespace gpusched::papers
