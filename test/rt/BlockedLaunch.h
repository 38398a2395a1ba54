// BlockedLaunch.h - a thread that waits inside its launch, as CUDA lets it where a queue is full.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its launch has been decided, and waits for room, or the event behind it does, as long as the
// object is there; after half a minute it gives up, which is a failed check, for somebody waits for
// it who must not.
#pragma once

#include "test/Check.h"
#include "test/rt/FakeProgram.h"

#include <atomic>
#include <chrono>
#include <thread>

class BlockedLaunch {
public:
  enum class At { Launch, Event };
  BlockedLaunch(gpusched::Runtime& runtime, ProgramKernel& kernel, void* stream = nullptr,
                At where = At::Launch) {
    if (where == At::Launch)
      table_.launchKernel = launchedLater;
    else
      table_.eventRecord = recordedLater;
    hasRoom_ = isBlocked_ = false;
    thread_ = std::thread([&runtime, &kernel, stream, this] {
      launch(runtime, kernel, stream, 128, false, &table_);
    });
    while (!isBlocked_)
      std::this_thread::yield();
  }
  ~BlockedLaunch() {
    CHECK(isBlocked_);
    hasRoom_ = true;
    thread_.join();
  }

private:
  static void waitForRoom() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (isBlocked_ = true; !hasRoom_ && isBlocked_; std::this_thread::yield())
      isBlocked_ = std::chrono::steady_clock::now() < deadline;
  }
  static int launchedLater(const void* function, gpusched_dim3 grid, gpusched_dim3 block,
                           void** arguments, size_t sharedBytes, void* stream) {
    waitForRoom();
    return FakeCudart::instance().table()->launchKernel(function, grid, block, arguments,
                                                        sharedBytes, stream);
  }
  static int recordedLater(void* event, void* stream) {
    waitForRoom();
    return FakeCudart::instance().table()->eventRecord(event, stream);
  }

  static inline std::atomic<bool> hasRoom_, isBlocked_;
  gpusched_cudart table_ = *FakeCudart::instance().table();
  std::thread thread_;
};
