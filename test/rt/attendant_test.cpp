// attendant_test - the thread of a runtime that shares: what it is to the program, and when it
// ends.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/Inside.h"
#include "rt/support/TemporaryFolder.h"
#include "test/rt/OtherProcess.h"

#include <csignal>

using namespace gpusched;

static void anIdleProcessClearsTheDead(const std::string& folder) {
  Visitor process(folder);
  process.comes();
  Runtime runtime(sharedIn(folder), std::make_unique<Sharing>());
  ProgramKernel kernel("kernel");
  launch(runtime, kernel, fake().makeStream());
  fake().drain();
  ForkedProcess witness([&](Turns& turns) {
    Other other(folder);
    other.mustSee("foreign 4;");
    turns.next();
    other.mustSee("");
  });
  witness.step();
  process.kill();
  witness.step();
  CHECK_EQUAL(witness.exitCode(), 0);
}

/// Launches of the thread, and among these such as were made as the runtime's own, without signals.
static std::atomic<int> launches{0}, asExpected{0};

static int watchedLaunch(const void* function, gpusched_dim3 grid, gpusched_dim3 block,
                         void** arguments, size_t sharedBytes, void* stream) {
  static const std::thread::id kMain = std::this_thread::get_id();
  if (std::this_thread::get_id() != kMain) {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    ++launches;
    asExpected += Inside::entered() && sigismember(&blocked, SIGUSR1) == 1;
  }
  return fake().table()->launchKernel(function, grid, block, arguments, sharedBytes, stream);
}

/// Its launches are not taken for the program's, the program's signal handlers do not run there,
/// and what it asks spoils no capture.
static void itIsNotOfTheProgram(const std::string& folder) {
  Visitor process(folder);
  process.comes();
  gpusched_cudart watched = *fake().table();
  watched.launchKernel = watchedLaunch;
  Runtime runtime(sharedIn(folder), std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 2'000'000);
  launch(runtime, lasting, fake().makeStream(), 128, false, &watched);
  CHECK(until([&] { return workersOf(lasting) == 8; }));
  fake().captureElsewhere = true;
  process.goes();
  CHECK(until([&] { return workersOf(lasting) == 16; }));
  CHECK(!fake().spoiltCapture);
  fake().captureElsewhere = false;
  CHECK(launches > 0);
  CHECK_EQUAL(asExpected.load(), launches.load());
  runtime.finish();
  fake().drain();
}

/// The program's own end comes before that of its kernels: nobody would see the latter.
static void itTakesKernelsOffTheBoard(const std::string& folder) {
  ForkedProcess witness([&](Turns& turns) {
    Other other(folder);
    turns.next();
    other.mustSee("lasting 4;");
    turns.next();
    CHECK_EQUAL(other.sees(), std::string());
    _exit(checkResult());
  });
  Runtime runtime(sharedIn(folder), std::make_unique<Sharing>());
  ProgramKernel lasting("lasting", 2'000'000);
  launch(runtime, lasting, fake().makeStream());
  witness.step();
  witness.step();
  runtime.finish();
  witness.step();
  CHECK_EQUAL(witness.exitCode(), 0);
  fake().drain();
}

/// A child of fork has no such thread, and shall end all the same.
static void aForkEnds(const std::string& folder) {
  Runtime runtime(sharedIn(folder), std::make_unique<Sharing>());
  ProgramKernel kernel("kernel");
  launch(runtime, kernel, fake().makeStream());
  fake().drain();
  const int pid = fork();
  if (pid == 0) {
    alarm(20);
    runtime.finish();
    _exit(0);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  CHECK(WIFEXITED(status));
}

/// Ends the program in the middle of a launch, as a signal handler may.
class Ending final : public Policy {
public:
  const char* name() const override { return "ending"; }
  std::vector<Decision> decide(const PolicyState&) const override {
    if (runtime)
      runtime->finish();
    return {};
  }
  std::vector<CoRunSet> schedule(const std::vector<PolicyKernel>&,
                                 const DeviceLimits&) const override {
    return {};
  }
  static inline Runtime* runtime = nullptr;
};

static void theEndDoesNotWaitForItself(const std::string& folder) {
  const int pid = fork(); // the runtime is left as it is then
  if (pid == 0) {
    alarm(20);
    Runtime* const runtime = new Runtime(sharedIn(folder), std::make_unique<Ending>());
    ProgramKernel kernel("kernel");
    launch(*runtime, kernel, fake().makeStream());
    fake().drain();
    Ending::runtime = runtime;
    launch(*runtime, kernel, fake().makeStream());
    fake().drain();
    _exit(kernel.everyBlockRan(2) ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main() {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  CHECK(folder.ok());
  anIdleProcessClearsTheDead(folder->file("dead"));
  itIsNotOfTheProgram(folder->file("launches"));
  itTakesKernelsOffTheBoard(folder->file("off"));
  aForkEnds(folder->file("fork"));
  theEndDoesNotWaitForItself(folder->file("end"));
  return checkResult();
}
