// PairedProgram.h - a program with two launches side by side, and the kernel for both.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `a` takes an int and a double, `b` a struct, `other` nothing. The kernel for the pair computes
// which block of which it runs as device/PairedBlocks.cuh does, and then runs it.
#pragma once

#include "rt/launch/Divisor.h"
#include "test/Check.h"
#include "test/rt/FakeProgram.h"

#include <cstring>
#include <string>

/// The host's replica of PairedBlock.
struct PairedBlockId {
  PairedBlockId(const gpusched_pair& pair, uint32_t block) {
    const uint32_t before = high(block, pair.share);
    isFirst = high(block + 1, pair.share) != before;
    const gpusched_pair_side& side = pair.sides[isFirst ? 0 : 1];
    id = isFirst ? before : block - before;
    const uint32_t row = gpusched::divide(id, side.by_x);
    z = gpusched::divide(row, side.by_y);
    x = id - row * side.grid_x;
    y = row - z * side.grid_y;
  }

  bool isFirst = false;
  uint32_t id = 0, x = 0, y = 0, z = 0;

private:
  static uint32_t high(uint32_t a, uint32_t b) { return uint32_t(uint64_t(a) * b >> 32); }
};

struct PairedProgram {
  struct Wide {
    double values[2];
  };
  static constexpr uint32_t kBlocksOfA = 60, kBlocksOfB = 36;

  ProgramKernel a{"a", kBlocksOfA}, b{"b", kBlocksOfB}, other{"other", 10};
  FakeKernel pair;
  gpusched_kernel node = {};
  void* s1 = FakeCudart::instance().makeStream();
  void* s2 = FakeCudart::instance().makeStream();
  bool saysValues = true; ///< what the kernels found in their parameters was what was passed

  PairedProgram() {
    static const uint32_t kOfA[] = {sizeof(int), sizeof(double), 0}, kOfB[] = {sizeof(Wide), 0},
                          kOfPair[] = {sizeof(gpusched_pair), sizeof(int), sizeof(double),
                                       sizeof(Wide), 0};
    const auto body = [this](ProgramKernel& kernel, bool says, uint64_t id) {
      saysValues &= says;
      ++kernel.runs.at(id);
    };
    a.native.body = [this, body](uint64_t id, void** arguments) {
      body(a, *static_cast<int*>(arguments[0]) == 7 && *static_cast<double*>(arguments[1]) == 1.5,
           id);
    };
    b.native.body = [this, body](uint64_t id, void** arguments) {
      body(b, static_cast<Wide*>(arguments[0])->values[1] == 2.5, id);
    };
    pair.name = "pair";
    pair.body = [this](uint64_t block, void** arguments) {
      const gpusched_pair& how = *static_cast<gpusched_pair*>(arguments[0]);
      const PairedBlockId which(how, uint32_t(block));
      const gpusched_pair_side& side = how.sides[which.isFirst ? 0 : 1];
      const uint64_t id = which.x + uint64_t(side.grid_x) * (which.y + side.grid_y * which.z);
      which.isFirst ? a.native.body(id, arguments + 1) : b.native.body(id, arguments + 3);
    };
    describe(a.twin, a.node, kOfA, 2);
    describe(b.twin, b.node, kOfB, 1);
    describe(a.native, a.node, kOfA, 2);
    describe(b.native, b.node, kOfB, 1);
    describe(pair, node, kOfPair, 4);
    for (ProgramKernel* each : {&a, &b, &other})
      each->node.flags = GPUSCHED_KERNEL_BATCHES;
    node.native = &pair;
    node.name = "pair<a, b>";
    node.file = "fake.cu";
    node.first = &a.native;
    node.second = &b.native;
    node.next = &a.node;
    a.node.next = &b.node;
    b.node.next = &other.node;
  }
  PairedProgram(const PairedProgram&) = delete;
  PairedProgram& operator=(const PairedProgram&) = delete;

  bool ran(unsigned times) const {
    return a.everyBlockRan(times) && b.everyBlockRan(times) && saysValues;
  }

private:
  static void describe(FakeKernel& kernel, gpusched_kernel& node, const uint32_t* bytes,
                       uint32_t count) {
    kernel.parameters = node.parameters = count;
    kernel.parameterBytes.assign(bytes, bytes + count);
    node.parameterBytes = bytes;
  }
};

/// A launch as written in the program. Its arguments are gone once the call returns.
struct Call {
  Call(PairedProgram& program, ProgramKernel& kernel, void* stream)
      : program(program), kernel(kernel), stream(stream), grid{uint32_t(kernel.runs.size()), 1, 1} {
  }

  int operator()(gpusched::Runtime& runtime) const {
    int count = 7;
    double factor = 1.5;
    PairedProgram::Wide wide = {{0, 2.5}};
    void* ofA[] = {&count, &factor};
    void* ofB[] = {&wide};
    gpusched_launch_request request = {};
    request.abi_version = GPUSCHED_ABI_VERSION;
    request.function = &kernel.native;
    request.grid = grid;
    request.block = block;
    request.arguments = &kernel == &program.a ? ofA : ofB;
    request.sharedBytes = sharedBytes;
    request.stream = stream;
    request.kernels = &program.node;
    request.cudart = cudart;
    int error = 0;
    if (!runtime.launch(request, error))
      error = cudart->launchKernel(request.function, grid, block, request.arguments, sharedBytes,
                                   stream);
    count = -1, factor = -1, wide = {};
    return error;
  }

  PairedProgram& program;
  ProgramKernel& kernel;
  void* stream;
  gpusched_dim3 grid, block{128, 1, 1};
  size_t sharedBytes = 0;
  const gpusched_cudart* cudart = FakeCudart::instance().table();
};

/// What LaunchPair says.
inline void mark(gpusched::Runtime& runtime, PairedProgram& program, gpusched_pair_mark which) {
  gpusched_launch_request request = {};
  request.abi_version = GPUSCHED_ABI_VERSION;
  request.kernels = &program.node;
  request.cudart = FakeCudart::instance().table();
  request.pair = which;
  int error = 0;
  runtime.launch(request, error);
}

/// Both launches, marked as a pair.
inline void together(gpusched::Runtime& runtime, PairedProgram& program, const Call& a,
                     const Call& b, gpusched_pair_mark begins = GPUSCHED_PAIR_BEGINS) {
  mark(runtime, program, begins);
  CHECK_EQUAL(a(runtime), 0);
  CHECK_EQUAL(b(runtime), 0);
  mark(runtime, program, GPUSCHED_PAIR_ENDS);
}

inline void together(gpusched::Runtime& runtime, PairedProgram& program, void* first, void* second,
                     gpusched_pair_mark begins = GPUSCHED_PAIR_BEGINS) {
  together(runtime, program, Call(program, program.a, first), Call(program, program.b, second),
           begins);
}

/// The kernels that CUDA was asked to launch, in order of submission.
inline std::string launchedNames() {
  std::string names;
  for (const FakeCudart::Launched& each : FakeCudart::instance().launched)
    names += (names.empty() ? "" : " ") + std::string(each.kernel->name);
  return names;
}
