// Setup.cpp - arguments to a simulator.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmarks/papers/applications/Setup.h"

#include "benchmarks/papers/Option.h"
#include "benchmarks/papers/kscheduler/ThesisKernels.h"

#include <algorithm>
#include <cstdlib>

namespace gpusched::papers {

Result<Arguments> parseArguments(int argc, char** argv) {
  Arguments arguments;
  const auto number = [](const std::string& text) {
    return size_t(std::max(1, std::atoi(text.c_str())));
  };
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto [option, value] = Option(word);
    if (option == "--only")
      arguments.only = value;
    else if (option == "--inside")
      arguments.inside = value;
    else if (option == "--sets")
      arguments.sets = number(value);
    else if (option == "--lists")
      arguments.lists = number(value);
    else if (word.front() != '-')
      arguments.folder = word;
    else
      return Status::error("unknown option '" + word +
                           "'; there are --only=, --inside=, --sets= and --lists=");
  }
  return arguments;
}

Result<Setup> setUp(const Arguments& arguments) {
  Setup setup;
  if (!arguments.inside.empty()) {
    Result<std::unique_ptr<Policy>> inside = makePolicy(arguments.inside);
    if (!inside)
      return inside.status();
    setup.inside = std::move(*inside);
  }
  const Result<DeviceDescription> device = loadDeviceDescription("titan-xp");
  if (!device)
    return device.status();
  Result<thesis::Kernels> kernels = thesis::load(arguments.folder, *device);
  if (!kernels)
    return kernels.status();
  setup.simulator = std::make_unique<sim::Simulator>(*device, std::move(kernels->all));
  return setup;
}

} // namespace gpusched::papers
