// EngineFuzz - damages PTX at random, decodes and executes it; nothing may crash or hang.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: engine-EngineFuzz <iterations> <seed> file.ptx...
// A mutant (Mutator.h) is one seed file, damaged. What parses is loaded and its kernels run with a
// step limit under --check=memory (wild accesses are left out), every other one under
// --check=race too. Prints what became of the mutants, so that a mutator that destroys everything
// shows. Reproducible: the same arguments, the same mutants.
#include "FuzzLaunch.h"
#include "Mutator.h"

#include "rt/device/cpu/ptx/Parser.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using namespace gpusched;
using test::Mutator;

namespace {

struct Counts {
  long valid = 0, launched = 0, finished = 0;
};

/// Every kernel of the text, two blocks of 48 threads; pointers into one buffer.
void execute(cpu::Gpu& gpu, const std::string& text, Counts& counts) {
  const auto module = ptx::parse(text);
  if (!module)
    return;
  ++counts.valid;
  const auto loaded = gpu.load(*module, {});
  if (!loaded)
    return;
  constexpr uint64_t kBufferBytes = 4096;
  void* const buffer = gpu.memory().allocate(kBufferBytes);
  std::memset(buffer, 0, kBufferBytes);
  for (const ptx::Function& function : (*module)->functions) {
    const cpu::Kernel* const kernel = cpu::Gpu::findKernel(**loaded, function.name);
    if (!kernel || !test::hasFewParameters(*kernel))
      continue;
    cpu::Launch launch = test::fuzzLaunch(*kernel, buffer, 48);
    launch.completion = [&](const cpu::LaunchOutcome& outcome) {
      counts.finished += outcome.status.ok();
    };
    counts.launched += gpu.submit(std::move(launch)).ok();
    gpu.drain();
  }
  (void)gpu.takeOutput();
  gpu.memory().free(buffer);
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: engine-EngineFuzz <iterations> <seed> file.ptx...\n";
    return 2;
  }
  Mutator mutator(std::strtoull(argv[2], nullptr, 10));
  for (int i = 3; i < argc; ++i)
    mutator.addSeed(test::linesOf(argv[i]));
  if (!std::freopen("/dev/null", "w", stderr)) // findings of the checks
    return 2;
  const long iterations = std::strtol(argv[1], nullptr, 10);
  constexpr long kRenew = 500; // mutants on one device
  std::unique_ptr<cpu::Gpu> gpu;
  Counts counts;
  double slowest = 0;
  for (long i = 0; i < iterations; ++i) {
    if (i % kRenew == 0)
      gpu = std::move(*cpu::Gpu::create(
          test::fuzzDevice(2),
          {.workers = 1, .seed = uint64_t(i), .checks = {true, i / kRenew % 2 == 1}}));
    const std::string text = mutator.mutant();
    const auto begin = std::chrono::steady_clock::now();
    execute(*gpu, text, counts);
    slowest = std::max(
        slowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::cout << iterations << " mutants, " << counts.valid << " valid, " << counts.launched
            << " launches, " << counts.finished << " finished, slowest " << slowest << " s\n";
  return counts.finished > 0 && counts.valid < iterations ? 0 : 1;
}
