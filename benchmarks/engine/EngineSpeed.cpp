// EngineSpeed - lane instructions a second of the cpu device's engine, on one worker.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: engine-speed EngineKernels.ptx [repeats] [kernel]
// Processor time of the process, the least of the repeats, so that a busy machine matters little;
// instructions are those that a counted launch of the same kernel reports.
#include "rt/device/cpu/engine/Gpu.h"
#include "rt/device/cpu/ptx/Parser.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <limits>
#include <sstream>

using namespace gpusched;

namespace {

struct Case {
  const char* name;
  cpu::Dim3 grid, block;
  int n;
};

constexpr int kElements = 1 << 20;
const Case kCases[] = {
    {"vecadd", {kElements / 256}, {256}, kElements},
    {"matmul16", {16, 16}, {16, 16}, 256},
    {"matmul32", {8, 8}, {32, 32}, 256},
    {"reduction", {kElements / 256}, {256}, kElements},
    {"histogram", {64}, {256}, kElements / 4},
    {"transpose", {32, 32}, {32, 8}, 1024},
    {"transcendental", {kElements / 4 / 256}, {256}, kElements / 4},
    {"divergent", {kElements / 4 / 256}, {256}, kElements / 4},
    {"gather", {kElements / 256}, {256}, kElements},
};

double processorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

DeviceDescription oneSm() {
  DeviceDescription device;
  device.name = "bench device";
  device.sms = 1;
  device.warpsPerSm = 64;
  device.blocksPerSm = 32;
  device.sharedBytesPerSm = device.sharedBytesPerBlockOptin = 1 << 17;
  device.memoryBytes = 1 << 28;
  return device;
}

class Bench {
public:
  Bench(std::shared_ptr<const ptx::Module> source, bool counters)
      : gpu_(std::move(*cpu::Gpu::create(oneSm(), {.workers = 1, .counters = counters}))),
        module_(*gpu_->load(std::move(source), {})) {
    for (float*& buffer : buffers_) {
      buffer = static_cast<float*>(gpu_->memory().allocate(kElements * sizeof(float)));
      for (int i = 0; i < kElements; ++i)
        buffer[i] = float(i % 1021) * 0.25f;
    }
  }

  cpu::LaunchOutcome run(const Case& what) {
    cpu::LaunchOutcome result;
    cpu::Launch launch;
    launch.kernel = cpu::Gpu::findKernel(*module_, what.name);
    launch.grid = what.grid;
    launch.block = what.block;
    launch.parameters.resize(sizeof buffers_ + sizeof what.n);
    std::memcpy(launch.parameters.data(), buffers_, sizeof buffers_);
    std::memcpy(launch.parameters.data() + sizeof buffers_, &what.n, sizeof what.n);
    launch.completion = [&](const cpu::LaunchOutcome& outcome) { result = outcome; };
    if (const Status submitted = gpu_->submit(std::move(launch)); !submitted)
      result.status = submitted;
    gpu_->drain();
    return result;
  }

private:
  std::unique_ptr<cpu::Gpu> gpu_;
  std::shared_ptr<cpu::LoadedModule> module_;
  float* buffers_[3] = {};
};

} // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "");
  std::stringstream text;
  text << file.rdbuf();
  const auto module = ptx::parse(text.str());
  if (argc < 2 || !file || !module) {
    std::fprintf(stderr, "usage: engine-speed EngineKernels.ptx [repeats] [kernel]\n%s\n",
                 module ? "" : module.message().c_str());
    return 2;
  }
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 10;
  Bench counted(*module, true), timed(*module, false);
  std::printf("%-16s %14s %10s %8s\n", "kernel", "lane instr.", "CPU ms", "G/s");
  for (const Case& what : kCases) {
    if (argc > 3 && std::strcmp(argv[3], what.name) != 0)
      continue;
    const cpu::LaunchOutcome outcome = counted.run(what);
    double least = std::numeric_limits<double>::max();
    for (int i = 0; i < repeats && outcome.status; ++i) {
      const double begin = processorSeconds();
      timed.run(what);
      least = std::min(least, processorSeconds() - begin);
    }
    if (!outcome.status) {
      std::fprintf(stderr, "%s: %s\n", what.name, outcome.status.message().c_str());
      return 1;
    }
    const double instructions = double(outcome.counters.laneInstructions);
    std::printf("%-16s %14.0f %10.3f %8.2f\n", what.name, instructions, least * 1e3,
                instructions / least * 1e-9);
  }
}
