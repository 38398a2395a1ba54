// LaunchPath.cpp - what the launch path costs: time, allocations and memory per launch.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   launch-path [--launches=N] [--threads=N]
//
// Launches through the runtime over a CUDA runtime that does nothing (NullCudart.h), so every
// figure is the runtime's own. For each way of launching: nanoseconds at P50 and P99, and what the
// same calls cost without the runtime, in the same run, interleaved; only differences and ratios of
// one run mean anything. Also allocations per launch in the steady state, and the growth of
// resident memory over all launches.
#include "benchmarks/launch/NullCudart.h"
#include "rt/launch/Runtime.h"
#include "rt/support/Log.h"
#include "rt/support/TemporaryFolder.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace gpusched;

static std::atomic<uint64_t> allocations{0};

void* operator new(size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* pointer = std::malloc(bytes))
    return pointer;
  throw std::bad_alloc();
}
void operator delete(void* pointer) noexcept {
  std::free(pointer);
}
void operator delete(void* pointer, size_t) noexcept {
  std::free(pointer);
}

namespace {

constexpr int kKernels = 32;
constexpr int kArguments = 8;

/// Kernels with twins; their addresses are the host stubs.
struct Program {
  char natives[kKernels], twins[kKernels];
  std::string names[kKernels];
  uint32_t bytes[kArguments];
  gpusched_kernel nodes[kKernels];
  uint32_t blocks = 4096; ///< of each launch
  long values[kArguments] = {};
  void* arguments[kArguments];

  Program() {
    for (int i = 0; i < kArguments; ++i)
      bytes[i] = 8, arguments[i] = &values[i];
    for (int i = 0; i < kKernels; ++i) {
      names[i] = "kernel" + std::to_string(i);
      nodes[i] = {&natives[i],
                  &twins[i],
                  names[i].c_str(),
                  "bench.cu",
                  1,
                  kArguments,
                  0,
                  bytes,
                  nullptr,
                  nullptr,
                  i > 0 ? &nodes[i - 1] : nullptr};
    }
  }

  bool isTwin(const void* function) const {
    const char* const address = static_cast<const char*>(function);
    return address >= twins && address < twins + kKernels;
  }

  gpusched_launch_request request(int kernel, void* stream) {
    gpusched_launch_request made = {};
    made.abi_version = GPUSCHED_ABI_VERSION;
    made.function = &natives[kernel];
    made.grid = {blocks, 1, 1};
    made.block = {256, 1, 1};
    made.arguments = arguments;
    made.stream = stream;
    made.kernels = &nodes[kKernels - 1];
    made.cudart = &nullCudart::table();
    return made;
  }
};

Program& program() {
  static Program program;
  return program;
}

/// A profile in which every second kernel is a memory kernel: neighbours may run together.
std::string writeProfileFile() {
  ProfileFile file;
  for (int i = 0; i < kKernels; ++i) {
    KernelProfile kernel;
    kernel.fixed.kernel = program().names[i];
    kernel.dynamic.emplace();
    kernel.dynamic->threadsPerBlock = 256;
    kernel.dynamic->saturationBlocksPerSm = 2;
    kernel.dynamic->kernelClass = i % 2 ? KernelClass::Memory : KernelClass::Compute;
    file.kernels.push_back(std::move(kernel));
  }
  std::string path = "/tmp/launch-path." + std::to_string(getpid()) + ".json";
  if (Status written = writeProfile(path, file); !written)
    std::fprintf(stderr, "%s\n", written.message().c_str());
  return path;
}

double residentMegabytes() {
  std::ifstream statm("/proc/self/statm");
  long size = 0, resident = 0;
  statm >> size >> resident;
  return double(resident) * double(sysconf(_SC_PAGESIZE)) / 1e6;
}

struct Quantiles {
  double p50 = 0, p99 = 0;
};

Quantiles quantiles(std::vector<uint32_t>& samples) {
  if (samples.empty())
    return {};
  std::sort(samples.begin(), samples.end());
  return {double(samples[samples.size() / 2]), double(samples[samples.size() * 99 / 100])};
}

using Clock = std::chrono::steady_clock;

uint32_t nanosecondsSince(Clock::time_point start) {
  return uint32_t(std::min<int64_t>(
      UINT32_MAX,
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count()));
}

/// What the program's own launch costs here, clock included.
uint32_t nativeLaunch(const gpusched_launch_request& request) {
  Clock::time_point start = Clock::now();
  request.cudart->launchKernel(request.function, request.grid, request.block, request.arguments,
                               request.sharedBytes, request.stream);
  return nanosecondsSince(start);
}

uint32_t runtimeLaunch(Runtime& runtime, const gpusched_launch_request& request) {
  Clock::time_point start = Clock::now();
  int error = 0;
  if (!runtime.launch(request, error))
    request.cudart->launchKernel(request.function, request.grid, request.block, request.arguments,
                                 request.sharedBytes, request.stream);
  return nanosecondsSince(start);
}

/// `kernels` kernels in turn, on `streams` streams, from this thread.
void launchMany(Runtime& runtime, int first, int kernels, int streams, uint64_t count,
                std::vector<uint32_t>& ours, std::vector<uint32_t>& natives) {
  std::vector<char> handles(size_t(streams), 0);
  ours.reserve(count), natives.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    gpusched_launch_request request =
        program().request(first + int(i % uint64_t(kernels)), &handles[i % uint64_t(streams)]);
    natives.push_back(nativeLaunch(request));
    ours.push_back(runtimeLaunch(runtime, request));
  }
}

void report(const char* what, std::vector<uint32_t>& ours, std::vector<uint32_t>& natives,
            double allocated) {
  Quantiles with = quantiles(ours), without = quantiles(natives);
  std::printf("%-44s %8.0f %8.0f %10.0f %10.0f %10.0f %8.2f\n", what, without.p50, without.p99,
              with.p50, with.p99, with.p50 - without.p50, allocated);
}

Settings settingsFor(const char* policy, const std::string& profile) {
  Settings settings;
  settings.attends = true;
  settings.policy = policy;
  settings.profilePath = profile;
  if (!*policy)
    settings.variant = ForcedVariant::Persistent;
  return settings;
}

/// The first launches of each configuration are left out: they make plans.
void steadyState(const char* what, const Settings& settings, int streams, uint64_t launches) {
  Runtime runtime(settings);
  std::vector<uint32_t> ours, natives;
  launchMany(runtime, 0, kKernels, streams, 4 * kKernels + 1024, ours, natives);
  ours.clear(), natives.clear();
  ours.reserve(launches), natives.reserve(launches);
  uint64_t before = allocations;
  launchMany(runtime, 0, kKernels, streams, launches, ours, natives);
  report(what, ours, natives, double(allocations - before) / double(launches));
}

/// The first launch of each kernel: registry, attributes, occupancy, plan, decision.
void newKernels(const char* what, const Settings& settings) {
  std::vector<uint32_t> ours, natives;
  uint64_t before = allocations;
  for (int round = 0; round < 200; ++round) {
    Runtime runtime(settings);
    std::vector<uint32_t> one, other;
    launchMany(runtime, 0, 2, 2, 2, one, other); // learns the list, reads the limits
    one.clear(), other.clear();
    launchMany(runtime, 2, kKernels - 2, 2, kKernels - 2, one, other);
    ours.insert(ours.end(), one.begin(), one.end());
    natives.insert(natives.end(), other.begin(), other.end());
  }
  report(what, ours, natives, double(allocations - before) / (200.0 * (kKernels - 2)));
}

void manyThreads(const char* what, const Settings& settings, int threads, uint64_t launches) {
  Runtime runtime(settings);
  std::vector<std::vector<uint32_t>> ours{size_t(threads)}, natives{size_t(threads)};
  for (size_t i = 0; i < size_t(threads); ++i)
    launchMany(runtime, 0, kKernels, 2, 1024, ours[i], natives[i]), ours[i].clear(),
        natives[i].clear();
  uint64_t before = allocations;
  std::vector<std::thread> running;
  for (size_t i = 0; i < size_t(threads); ++i)
    running.emplace_back([&, i] {
      launchMany(runtime, 0, kKernels, 2, launches / uint64_t(threads), ours[i], natives[i]);
    });
  for (std::thread& thread : running)
    thread.join();
  for (size_t i = 1; i < size_t(threads); ++i) {
    ours[0].insert(ours[0].end(), ours[i].begin(), ours[i].end());
    natives[0].insert(natives[0].end(), natives[i].begin(), natives[i].end());
  }
  report(what, ours[0], natives[0], double(allocations - before) / double(launches));
}

/// A process that launches under the same policy until it is killed.
int launchingProcess(const Settings& settings) {
  const int pid = fork();
  if (pid != 0)
    return pid;
  Runtime runtime(settings);
  char streams[2];
  for (int i = 0;; ++i) {
    runtimeLaunch(runtime, program().request(i % kKernels, &streams[i % 2]));
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

/// Alone on the board, then beside a process that launches 5000 times a second.
void shared(const Settings& settings, uint64_t launches) {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder)
    return;
  Settings onBoard = settings;
  onBoard.shareFolder = folder->file("board");
  steadyState("kscheduler, 2 streams, shared with nobody", onBoard, 2, launches);
  const int other = launchingProcess(onBoard);
  steadyState("kscheduler, 2 streams, beside a process", onBoard, 2, launches);
  kill(other, SIGKILL);
  waitpid(other, nullptr, 0);
}

void memoryOverMillion(const Settings& settings) {
  Runtime runtime(settings);
  auto launchAll = [&](int count) {
    char streams[4];
    for (int i = 0; i < count; ++i)
      runtimeLaunch(runtime, program().request(i % kKernels, &streams[i % 4]));
  };
  launchAll(10'000);
  double before = residentMegabytes();
  launchAll(1'000'000);
  std::printf("resident memory over 1000000 launches under kscheduler: %+.2f MB\n",
              residentMegabytes() - before);
}

} // namespace

int main(int count, char** arguments) {
  uint64_t launches = 200'000;
  int threads = 4;
  for (int i = 1; i < count; ++i) {
    std::string argument = arguments[i];
    if (argument.rfind("--launches=", 0) == 0)
      launches = std::strtoull(argument.c_str() + 11, nullptr, 10);
    else if (argument.rfind("--threads=", 0) == 0)
      threads = std::atoi(argument.c_str() + 10);
    else
      return std::fprintf(stderr, "usage: launch-path [--launches=N] [--threads=N]\n"), 2;
  }
  nullCudart::isTwin = [](const void* function) { return program().isTwin(function); };
  std::string profile = writeProfileFile();
  std::printf("%-44s %8s %8s %10s %10s %10s %8s\n", "nanoseconds a launch", "native", "P99",
              "gpusched", "P99", "added P50", "allocs");
  steadyState("forced persistent, 1 stream", settingsFor("", profile), 1, launches);
  steadyState("forced persistent, 8 streams", settingsFor("", profile), 8, launches);
  program().blocks = 100;
  steadyState("forced persistent, all blocks fit, 1 stream", settingsFor("", profile), 1, launches);
  program().blocks = 4096;
  steadyState("native policy, 1 stream", settingsFor("native", profile), 1, launches);
  steadyState("serial, 4 streams", settingsFor("serial", profile), 4, launches);
  steadyState("kscheduler, 2 streams", settingsFor("kscheduler", profile), 2, launches);
  steadyState("kscheduler, 8 streams", settingsFor("kscheduler", profile), 8, launches);
  shared(settingsFor("kscheduler", profile), launches);
  Settings measured = settingsFor("kscheduler", profile);
  measured.pairsPath = profile + ".pairs";
  steadyState("kscheduler, 8 streams, pairs measured", measured, 8, launches);
  std::remove(measured.pairsPath.c_str());
  nullCudart::unlike = true;
  steadyState("kscheduler, 2 streams of unlike priority", settingsFor("kscheduler", profile), 2,
              launches);
  nullCudart::unlike = false;
  newKernels("kscheduler, first launch of a kernel", settingsFor("kscheduler", profile));
  manyThreads("forced persistent, several threads", settingsFor("", profile), threads, launches);
  manyThreads("kscheduler, several threads", settingsFor("kscheduler", profile), threads, launches);
  nullCudart::depth = 64;
  steadyState("kscheduler, 2 streams, 64 launches ahead", settingsFor("kscheduler", profile), 2,
              launches);
  nullCudart::unlike = true;
  steadyState("the same, of unlike priority", settingsFor("kscheduler", profile), 2, launches);
  nullCudart::unlike = false;
  memoryOverMillion(settingsFor("kscheduler", profile));
  std::remove(profile.c_str());
  return 0;
}
