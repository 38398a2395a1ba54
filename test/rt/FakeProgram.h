// FakeProgram.h - kernels and launches as a rewritten program would make them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ProgramKernel owns a native kernel, its twin and the registration node. Its body counts how
// often each logical block ran in `runs`, so a test can say "every block exactly once".
#pragma once

#include "rt/launch/Runtime.h"
#include "test/rt/FakeCudart.h"

#include <algorithm>
#include <memory>
#include <vector>

struct ProgramKernel {
  explicit ProgramKernel(const char* name, uint64_t blocks = 100, bool hasTwin = true)
      : runs(blocks, 0) {
    native.name = name;
    native.body = [this](uint64_t id, void**) { ++runs.at(id); };
    twin.name = name;
    twin.persistentOf = &native;
    static const uint32_t kNoParameters[] = {0};
    node = {};
    node.native = &native;
    node.persistent = hasTwin ? &twin : nullptr;
    node.name = name;
    node.file = "fake.cu";
    node.line = 1;
    node.parameterBytes = kNoParameters;
  }

  bool everyBlockRan(unsigned times) const {
    return std::all_of(runs.begin(), runs.end(), [&](unsigned n) { return n == times; });
  }

  FakeKernel native, twin;
  gpusched_kernel node;
  std::vector<unsigned> runs;
  uint32_t rows = 1; ///< of the grid; divides the number of blocks
};

/// What gpusched_launch does: asks the runtime, launches natively when it declines.
inline int launch(gpusched::Runtime& runtime, ProgramKernel& kernel, void* stream,
                  uint32_t threads = 128, bool first = false,
                  const gpusched_cudart* cudart = FakeCudart::instance().table()) {
  static void* none[1] = {};
  gpusched_launch_request request = {};
  request.abi_version = GPUSCHED_ABI_VERSION;
  request.function = &kernel.native;
  request.grid = {uint32_t(kernel.runs.size()) / kernel.rows, kernel.rows, 1};
  request.block = {threads, 1, 1};
  request.arguments = none;
  request.stream = stream;
  request.kernels = &kernel.node;
  request.cudart = cudart;
  request.first = first;
  int error = 0;
  if (runtime.launch(request, error))
    return error;
  return request.cudart->launchKernel(request.function, request.grid, request.block,
                                      request.arguments, request.sharedBytes, request.stream);
}

inline void steps(int count) {
  for (int i = 0; i < count; ++i)
    FakeCudart::instance().step();
}

/// Logical blocks that have run once.
inline uint64_t blocksRun(const ProgramKernel& kernel) {
  return uint64_t(std::count(kernel.runs.begin(), kernel.runs.end(), 1u));
}

inline gpusched::Settings forcedPersistent(uint32_t blocksPerSm = 0) {
  gpusched::Settings settings;
  settings.variant = gpusched::ForcedVariant::Persistent;
  settings.blocksPerSm.all = blocksPerSm;
  return settings;
}
