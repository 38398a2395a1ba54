// memory_test - the allocation map: capacity, look-up, adopted memory, overlap.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/memory/DeviceMemory.h"
#include "test/Check.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

using namespace gpusched;
using namespace gpusched::cpu;

namespace {

void testAllocation() {
  DeviceMemory memory(4096);
  char* a = static_cast<char*>(memory.allocate(100));
  CHECK(a && reinterpret_cast<uintptr_t>(a) % 256 == 0);
  std::memset(a, 1, 100);
  CHECK_EQUAL(memory.used(), 256u);
  CHECK(!memory.allocate(0));
  CHECK(!memory.allocate(UINT64_MAX));
  CHECK(!memory.allocate(4000)); // 256 are taken
  CHECK(memory.allocate(3840, MemoryKind::Managed) != nullptr);
  CHECK(!memory.allocate(1));
  CHECK(memory.allocate(1 << 20, MemoryKind::Pinned) != nullptr); // the host's
  CHECK_EQUAL(memory.used(), 4096u);
  CHECK(!memory.free(a + 1));
  CHECK(memory.free(a) && !memory.free(a));
  CHECK_EQUAL(memory.used(), 3840u);
}

void testFind() {
  DeviceMemory memory(1 << 20);
  char* a = static_cast<char*>(memory.allocate(100, MemoryKind::Global));
  CHECK(memory.find(a + 99) && memory.find(a + 99)->base == a);
  CHECK(memory.find(a)->kind == MemoryKind::Global && memory.find(a)->bytes == 100);
  CHECK(!memory.find(a + 100) && !memory.find(a - 1) && !memory.find(nullptr));
}

void testAdopted() {
  static char host[1024];
  DeviceMemory memory(1 << 20);
  CHECK(memory.adopt(host + 256, 256, MemoryKind::Registered));
  CHECK(!memory.adopt(host, 257, MemoryKind::Registered));
  CHECK(!memory.adopt(host + 511, 1, MemoryKind::Registered));
  CHECK(!memory.adopt(host + 300, 8, MemoryKind::Registered));
  CHECK(memory.adopt(host, 256, MemoryKind::Registered));
  CHECK(memory.adopt(host + 512, 512, MemoryKind::Registered));
  CHECK(!memory.adopt(nullptr, 8, MemoryKind::Registered) &&
        !memory.adopt(host, 0, MemoryKind::Registered));
  CHECK_EQUAL(memory.used(), 0u);
  CHECK(memory.find(host + 256)->adopted);
  CHECK(memory.free(host + 256)); // forgotten, not freed
  CHECK(!memory.find(host + 256));
}

void testFill() {
  for (uint8_t fill : {0, 0xA5}) {
    DeviceMemory memory(1 << 26, fill);
    for (uint64_t bytes : {100u, 5000u, 3000000u})
      for (int round = 0; round < 2; ++round) { // reused memory too
        uint8_t* base = static_cast<uint8_t*>(memory.allocate(bytes));
        CHECK(std::all_of(base, base + bytes, [&](uint8_t byte) { return byte == fill; }));
        std::fill_n(base, bytes, uint8_t(0x3C));
        CHECK(memory.free(base));
      }
  }
}

void testThreads() {
  DeviceMemory memory(1 << 20);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i)
        memory.free(memory.allocate(uint64_t(i) + 1));
    });
  for (std::thread& thread : threads)
    thread.join();
  CHECK_EQUAL(memory.used(), 0u);
}

} // namespace

int main() {
  testAllocation();
  testFind();
  testAdopted();
  testFill();
  testThreads();
  return checkResult();
}
