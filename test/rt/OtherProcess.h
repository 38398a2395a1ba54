// OtherProcess.h - a second process on the board of a test, and a first one that steps its device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other process is a fork that uses the board alone: it says what runs there, and does not run
// it. A thread of the first one's runtime carries out what it asks, so the test steps the device
// until it sees what it waits for.
#pragma once

#include "rt/policy/Priorities.h"
#include "rt/sharing/Board.h"
#include "test/Check.h"
#include "test/rt/FakeProgram.h"
#include "test/rt/ForkedProcess.h"
#include "test/rt/TestPolicies.h"

#include <chrono>
#include <numeric>
#include <set>
#include <thread>

inline FakeCudart& fake() {
  return FakeCudart::instance();
}

inline const gpusched::DeviceUuid kFake = [] {
  gpusched::DeviceUuid uuid;
  uuid.fill('f');
  uuid[0] = 0;
  return uuid;
}();

/// What the other process says of its one kernel.
class Other {
public:
  explicit Other(const std::string& folder) : board_(std::move(*gpusched::Board::join(folder))) {
    kernel_.occupancyBlocksPerSm = 4;
    kernel_.hasPersistent = kernel_.profiled = true;
  }
  void runs(const gpusched::DeviceUuid& device = kFake,
            int32_t priority = gpusched::kNormalPriority, const char* name = "foreign") {
    kernel_.name = name;
    gpusched::RunningKernel running;
    running.priority = priority;
    running.firstSequence = running.lastSequence = board_->nextSequence();
    running.blocksPerSm = 4;
    running.kernel = &kernel_;
    std::optional<gpusched::Board::Session> session = board_->session();
    on_ = session->add();
    gpusched::write(*on_, running, device, board_->seat());
  }
  void ends() { board_->session()->remove(on_); }
  /// "name budget[ priority][ yields];" of what it sees, in order of names; priorities that are not
  /// normal.
  std::string sees() {
    std::multiset<std::string> all;
    board_->session()->forEachOther(kFake, [&](uint32_t, const gpusched::SharedKernel& kernel) {
      const char* const priority = kernel.priority > 0   ? " high"
                                   : kernel.priority < 0 ? " low"
                                                         : "";
      all.insert(gpusched::kernelOf(kernel).name + " " + std::to_string(kernel.blocksPerSm) +
                 priority + (kernel.yields ? " yields;" : ";"));
    });
    return std::accumulate(all.begin(), all.end(), std::string());
  }
  /// Ends this process with an error, which the parent sees, if that is not what it sees soon.
  void mustSee(const std::string& expected) {
    for (int i = 0; i < 20'000 && sees() != expected; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    CHECK_EQUAL(sees(), expected);
    if (checkResult() != 0)
      _exit(1);
  }
  /// The same of the budgets that others asked of it, "budget alone after;".
  void mustHaveBeenAsked(const std::string& expected) {
    std::string text;
    for (const gpusched::SharedRequest& request : board_->session()->takeRequests())
      text += std::to_string(request.blocksPerSm) + " " + std::to_string(request.blocksPerSmAlone) +
              " " + std::to_string(request.blocksPerSmAfter) + ";";
    CHECK_EQUAL(text, expected);
    if (checkResult() != 0)
      _exit(1);
  }
  /// For everything that it sees.
  void asksFor(uint32_t blocksPerSm, uint32_t after = 0) {
    gpusched::Board::Session session = std::move(*board_->session());
    session.forEachOther(kFake, [&](uint32_t seat, const gpusched::SharedKernel& kernel) {
      session.ask(seat, {kernel.sequence, blocksPerSm, 4, after, 0});
    });
  }

private:
  std::unique_ptr<gpusched::Board> board_;
  gpusched::PolicyKernel kernel_;
  gpusched::SharedKernel* on_ = nullptr; // the board, the latest
};

inline gpusched::Settings sharedIn(const std::string& folder) {
  fake().forget();
  gpusched::Settings settings;
  settings.shareFolder = folder;
  return settings;
}

inline uint32_t workersOf(const ProgramKernel& kernel) {
  return fake().workersOf(&kernel.twin);
}

/// Steps the device a little at a time, for the attendant to keep up.
template <class Condition> bool until(Condition condition) {
  for (int i = 0; i < 20'000 && !condition(); ++i) {
    fake().step();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return condition();
}

/// A process with a kernel that comes and goes, one step each; with `asks`, everybody who is there
/// then is asked for that budget, and told of one for `after`.
class Visitor : public ForkedProcess {
public:
  explicit Visitor(const std::string& folder, int32_t priority = gpusched::kNormalPriority,
                   uint32_t asks = 0, uint32_t after = 0)
      : ForkedProcess([=](Turns& turns) {
          Other other(folder);
          turns.next();
          other.runs(kFake, priority);
          if (asks != 0)
            other.asksFor(asks, after);
          turns.next();
          other.ends();
          turns.next();
        }) {
    step(); // to its seat
  }
  void comes() { step(); }
  void goes() { step(); }
};
