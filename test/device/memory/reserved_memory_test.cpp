// reserved_memory_test - reserved ranges: what lies around a block, reuse, limits on addresses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/memory/ReservedMemory.h"
#include "test/Check.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <latch>
#include <string>
#include <thread>
#include <vector>

using namespace gpusched;
using namespace gpusched::cpu;

namespace {

constexpr uint64_t kGranule = 2 << 20;

uint8_t* take(uint64_t bytes) {
  return takeReserved(AddressSpace::Global, bytes);
}
void give(uint8_t* base, uint64_t bytes) {
  giveReserved(AddressSpace::Global, base, bytes);
}

bool allZero(const uint8_t* base, uint64_t bytes) {
  return std::all_of(base, base + bytes, [](uint8_t byte) { return byte == 0; });
}

/// Bytes that can be accessed between two addresses, as the kernel lists them.
uint64_t accessible(uint64_t from, uint64_t to) {
  uint64_t sum = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char read = 0;
    CHECK_EQUAL(std::sscanf(line.c_str(), "%lx-%lx %c", &begin, &end, &read), 3);
    begin = std::max<uint64_t>(begin, from);
    end = std::min<uint64_t>(end, to);
    if (read == 'r' && begin < end)
      sum += end - begin;
  }
  return sum;
}

void testNothingElseIsNear() {
  uint8_t* const small = take(100);
  uint8_t* const large = take(3 << 20); // two granules
  const ReservedBytes stack = reserveBytes(100);
  // The host puts what finds no gap below all that is mapped: just below a range, were it not
  // guarded.
  void* const other =
      mmap(nullptr, 64ull << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(reinterpret_cast<uint64_t>(small) % 256 == 0);
  for (uint8_t* block : {small, large}) {
    const uint64_t address = reinterpret_cast<uint64_t>(block);
    CHECK_EQUAL(accessible(address - kGuardBytes, address + kGuardBytes),
                4 * kGranule); // one more before them
  }
  const uint64_t address = reinterpret_cast<uint64_t>(stack.get());
  CHECK_EQUAL(accessible(address - kGuardBytes, address + kGuardBytes), 2 * kGranule);
  munmap(other, 64ull << 30);
  give(large, 3 << 20);
  give(small, 100);
}

void testAroundBlocksAreZeroes() {
  uint8_t* const block = take(kGranule); // fills its granule
  CHECK(allZero(block - 4096, 4096 + kGranule + 4096));
  give(block, kGranule);
}

void testSmallBlocksAreReusedBySize() {
  uint8_t* const first = take(5000);
  uint8_t* const second = take(5000);
  CHECK(std::abs(second - first) >= 5000);
  give(first, 5000);
  CHECK(take(50) != first);
  CHECK(take(4999) == first); // the same size, rounded
}

void testLargeBlocksAreJoined() {
  std::vector<uint8_t*> blocks;
  for (int i = 0; i < 4; ++i) {
    blocks.push_back(take(kOwnPages));
    std::memset(blocks.back(), 1, kGranule);
    CHECK(i == 0 || blocks[size_t(i)] == blocks[size_t(i) - 1] + kGranule);
  }
  give(blocks[0], kOwnPages);
  give(blocks[2], kOwnPages);
  give(blocks[1], kOwnPages);                 // between two free ones
  uint8_t* const joined = take(2 * kGranule); // three with what lies behind
  CHECK(joined == blocks[0] && allZero(joined, 3 * kGranule));
  CHECK(blocks[3][kGranule - 1] == 1);
  give(joined, 2 * kGranule);
  give(blocks[3], kOwnPages);
}

/// How a process of its own ends that runs body().
int statusOf(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(checkResult());
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  return status;
}

void testFreedLargeBlocksFault() {
  const int status = statusOf([] {
    uint8_t* const block = take(kGranule);
    give(block, kGranule);
    *const_cast<volatile uint8_t*>(block) = 1;
  });
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

void testWithoutARange() {
  const int status = statusOf([] {
    const rlimit limit = {8ull << 30, 8ull << 30};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    CHECK(!take(16ull << 30));
    uint8_t* const small = take(1 << 20);
    CHECK(small && allZero(small, 1 << 20));
    give(small, 1 << 20);
  });
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void testRefusals() {
  CHECK(!take(0));
  CHECK(!take(UINT64_MAX));
  CHECK(!take(uint64_t(1) << 60));
}

void testThreads() {
  std::latch ready(4);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([t, &ready] {
      ready.arrive_and_wait(); // else each would be over before the next begins
      for (uint64_t i = 0; i < 500000; ++i) {
        const ReservedBytes block = reserveBytes(i % 5000 + 1);
        block[0] = block[i % 5000] = uint8_t(t);
        CHECK(block[0] == t && block[i % 5000] == t);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
}

} // namespace

int main() {
  testWithoutARange(); // before the first range
  testNothingElseIsNear();
  testAroundBlocksAreZeroes();
  testSmallBlocksAreReusedBySize();
  testLargeBlocksAreJoined();
  testFreedLargeBlocksFault();
  testRefusals();
  testThreads();
  return checkResult();
}
