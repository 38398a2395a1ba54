// JitFuzz - damages PTX at random; compiled blocks must do what the interpreter does.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: GPUSCHED_JIT=N jit-fuzz <iterations> <seed> file.ptx
// A mutant (Mutator.h) is one kernel of the file, damaged. What parses runs in a process of its own:
// checked, twice interpreted, and compiled, on equal buffers. Memory and messages must be equal,
// unless the interpreted runs differ from each other: they read clocks, or addresses.
// Mutants that fail, by a crash too, are written to standard error. The same arguments, the same
// mutants.
#include "../../engine/Inputs/FuzzLaunch.h"
#include "../../engine/Inputs/Mutator.h"

#include "rt/device/cpu/engine/CheckReport.h"
#include "rt/device/cpu/engine/CompiledBlock.h"
#include "rt/device/cpu/engine/Liveness.h"
#include "rt/device/cpu/ptx/Parser.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gpusched;
using test::Lines;

namespace {

constexpr uint64_t kBufferBytes = 1 << 14;
constexpr uint64_t kShifts[] = {0, 8, 4}; // launches: what is compiled at the first meets the rest
constexpr unsigned kMostSeconds = 60; // for one mutant

using Module = std::shared_ptr<const ptx::Module>;

/// What a child tells its parent.
struct Verdict {
  enum Kind { Invalid, Unstable, Equal, Different } kind;
  bool wild;         // the check found something
  uint64_t compiled; // blocks
};

/// Of a launch: what was written, or the message. Memory after a failed launch depends on how far
/// others were.
using Outcomes = std::vector<std::string>;

/// Of one SM, whose blocks have their turns in order.
std::unique_ptr<cpu::Gpu> makeGpu(cpu::GpuOptions options) {
  options.workers = 1;
  return std::move(*cpu::Gpu::create(test::fuzzDevice(1), options));
}

/// Far from all other memory: accesses around it are faults.
uint8_t* loneBuffer() {
  constexpr size_t kAround = 1 << 26;
  auto* const memory = static_cast<uint8_t*>(mmap(nullptr, 2 * kAround, PROT_NONE,
                                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  mprotect(memory + kAround, kBufferBytes, PROT_READ | PROT_WRITE);
  return memory + kAround;
}

/// Words of every kind: small and large ones, floats around 1, infinities, NaNs and subnormals.
void fill(uint8_t* buffer) {
  for (uint32_t i = 0; i < kBufferBytes / 4; ++i) {
    const uint32_t mixed = i * 2654435761u;
    const uint32_t kinds[] = {mixed, 0x3f800000 + (mixed >> 9), i % 100, 0x7f800000, 0x80000000,
                              mixed >> 10, 0x7fc00000 + i, 0xc0000000 + (mixed >> 9)};
    std::memcpy(buffer + i * 4, &kinds[mixed >> 16 & 7], 4);
  }
}

/// Addresses in messages differ from run to run.
std::string withoutNumbers(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isxdigit(c); });
  return text;
}

std::string launch(cpu::Gpu& gpu, const cpu::Kernel& kernel, uint8_t* buffer, uint64_t shift) {
  std::string message;
  fill(buffer);
  // The last warp is half a one.
  cpu::Launch launch = test::fuzzLaunch(kernel, buffer + shift, 80);
  launch.completion = [&](const cpu::LaunchOutcome& outcome) {
    message = withoutNumbers(outcome.status.message());
  };
  if (const Status submitted = gpu.submit(std::move(launch)); !submitted)
    message = "not launched: " + submitted.message();
  gpu.drain();
  return message.empty() ? std::string(reinterpret_cast<const char*>(buffer), kBufferBytes) : message;
}

/// The module's only kernel; null if it cannot be loaded or is none of ours any more.
const cpu::Kernel* kernelOf(cpu::Gpu& gpu, const Module& module,
                            std::shared_ptr<cpu::LoadedModule>& loaded) {
  const auto result = gpu.load(module, {});
  if (!result)
    return nullptr;
  loaded = *result;
  const std::vector<std::string> names = cpu::Gpu::kernelNames(*loaded);
  const cpu::Kernel* const kernel =
      names.size() == 1 ? cpu::Gpu::findKernel(*loaded, names[0]) : nullptr;
  return kernel && test::hasFewParameters(*kernel) ? kernel : nullptr;
}

/// On a device of its own, so that each run finds the same.
Outcomes run(const Module& module, cpu::GpuOptions options, uint8_t* buffer) {
  const std::unique_ptr<cpu::Gpu> gpu = makeGpu(options);
  std::shared_ptr<cpu::LoadedModule> loaded;
  const cpu::Kernel* const kernel = kernelOf(*gpu, module, loaded);
  Outcomes outcomes;
  for (uint64_t shift : kShifts)
    outcomes.push_back(kernel ? launch(*gpu, *kernel, buffer, shift) : "");
  return outcomes;
}

std::string definition(const ptx::Register& reg) {
  if (reg.type == ptx::Type::Pred)
    return "setp.eq.u32 " + reg.name + ", 0, 0;\n";
  return "mov.b" + std::to_string(ptx::sizeInBytes(reg.type) * 8) + " " + reg.name + ", 77;\n";
}

/// With a value for every register that would be read before it is written: what is in it then
/// depends on who had its place before. An instruction of no registers comes first, so those that
/// are live there are these.
std::string defined(std::string text) {
  const size_t registers = text.find("\n.reg");
  const size_t line = registers == std::string::npos ? registers : text.find('\n', registers + 1);
  if (line == std::string::npos)
    return text;
  text.insert(line + 1, "membar.cta;\n");
  const auto parsed = ptx::parse(text);
  if (!parsed || (*parsed)->functions.size() != 1)
    return text;
  const ptx::Function& function = (*parsed)->functions[0];
  const std::vector<cpu::LiveRange> ranges = cpu::liveRanges(function);
  std::string definitions;
  for (size_t i = 0; i < ranges.size(); ++i)
    if (ranges[i].first == 0)
      definitions += definition(function.registers[i]);
  return text.insert(text.find("membar.cta;\n", line) + sizeof "membar.cta;", definitions);
}

void judge(const Module& module, Verdict& verdict) {
  verdict = {Verdict::Invalid, false, 0};
  const std::unique_ptr<cpu::Gpu> gpu = makeGpu({.checks = {.memory = true}});
  std::shared_ptr<cpu::LoadedModule> loaded;
  const cpu::Kernel* const kernel = kernelOf(*gpu, module, loaded);
  if (!kernel)
    return;
  uint8_t* const buffer = loneBuffer();
  gpu->memory().adopt(buffer, kBufferBytes, cpu::MemoryKind::Registered);
  for (uint64_t shift : kShifts)
    launch(*gpu, *kernel, buffer, shift);
  verdict = {Verdict::Unstable, !gpu->checkReport()->empty(), 0};
  const cpu::GpuOptions interpreting{.counters = true};
  const Outcomes expected = run(module, interpreting, buffer);
  if (run(module, interpreting, buffer) != expected)
    return;
  const uint64_t before = cpu::compiledBlocks();
  verdict.kind = Verdict::Different;
  const Outcomes compiled = run(module, {}, buffer);
  verdict.compiled = cpu::compiledBlocks() - before;
  if (compiled == expected)
    verdict.kind = Verdict::Equal;
  else if (run(module, interpreting, buffer) != expected)
    verdict.kind = Verdict::Unstable;
}

/// So that all children find the compiler open.
void openCompiler(const std::string& seed) {
  if (const auto parsed = ptx::parse(seed))
    run(*parsed, {}, loneBuffer());
}

/// In a process of its own; false if that crashed or did not end.
bool judgeApart(const Module& module, Verdict& verdict) {
  const pid_t child = fork();
  if (child < 0) {
    std::perror("jit-fuzz: fork");
    std::exit(2);
  }
  if (child == 0) {
    alarm(kMostSeconds);
    const int nowhere = open("/dev/null", O_WRONLY); // findings of the check
    dup2(nowhere, STDERR_FILENO);
    judge(module, verdict);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct Counts {
  long valid = 0, compiled = 0, equal = 0, unstable = 0, wild = 0, wrong = 0;
  uint64_t blocks = 0;

  /// False if something is wrong with the compiled mutant.
  bool add(bool ended, const Verdict& verdict) {
    const bool isWrong = !ended || verdict.kind == Verdict::Different;
    valid += verdict.kind != Verdict::Invalid;
    compiled += verdict.compiled > 0;
    blocks += verdict.compiled;
    wild += verdict.wild;
    equal += ended && verdict.kind == Verdict::Equal;
    unstable += ended && verdict.kind == Verdict::Unstable;
    wrong += isWrong;
    return !isWrong;
  }
};

/// Every kernel of the file, behind the file's head.
void addSeeds(test::Mutator& mutator, const Lines& file) {
  Lines head, kernel;
  for (const std::string& line : file) {
    const bool starts = line.find(".entry") != std::string::npos;
    if (starts && !kernel.empty())
      mutator.addSeed(kernel);
    if (starts)
      kernel = head;
    (kernel.empty() ? head : kernel).push_back(line);
  }
  mutator.addSeed(kernel);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: GPUSCHED_JIT=N jit-fuzz <iterations> <seed> file.ptx\n";
    return 2;
  }
  test::Mutator mutator(std::strtoull(argv[2], nullptr, 10));
  addSeeds(mutator, test::linesOf(argv[3]));
  const long iterations = std::strtol(argv[1], nullptr, 10);
  auto& verdict = *static_cast<Verdict*>(mmap(nullptr, sizeof(Verdict), PROT_READ | PROT_WRITE,
                                              MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  openCompiler(mutator.seed(0));
  Counts counts;
  for (long i = -static_cast<long>(mutator.seeds()); i < iterations; ++i) {
    const std::string text =
        i < 0 ? mutator.seed(mutator.seeds() - static_cast<size_t>(-i)) : mutator.mutant();
    const auto parsed = ptx::parse(defined(text));
    if (!parsed)
      continue;
    const bool ended = judgeApart(*parsed, verdict);
    if (!counts.add(ended, verdict))
      std::cerr << "// mutant " << i << (ended ? " differs\n" : " did not end\n") << text << "\n";
  }
  std::cout << iterations << " mutants, " << counts.valid << " valid, " << counts.compiled << " with "
            << counts.blocks << " compiled blocks\n"
            << counts.equal << " equal, " << counts.unstable << " unstable, " << counts.wild << " wild\n"
            << counts.wrong << " wrong\n";
  return counts.wrong || !counts.compiled;
}
