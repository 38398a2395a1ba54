// NearJumps.cpp - overwrites the start of functions with jumps to our own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/NearJumps.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace gpusched::cudart {

static constexpr size_t kSlotBytes = 32;
static constexpr uintptr_t kReach = uintptr_t(1) << 31;
static constexpr uintptr_t kStep = uintptr_t(1) << 20;
/// Keeps clear of the heap, which grows upwards right behind a program that is not position
/// independent.
static constexpr uintptr_t kHeapRoom = uintptr_t(256) << 20;

static void* mapAt(uintptr_t address, size_t bytes) {
  void* mapped = mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

static void* mapNear(uintptr_t low, uintptr_t high, size_t bytes) {
  low &= ~(kStep - 1);
  high = (high + kStep - 1) & ~(kStep - 1);
  uintptr_t furthest = kReach - (high - low) - kStep;
  for (uintptr_t distance = kStep; distance < furthest && distance < low; distance += kStep)
    if (void* mapped = mapAt(low - distance, bytes))
      return mapped;
  for (uintptr_t distance = kHeapRoom; distance < furthest; distance += kStep)
    if (void* mapped = mapAt(high + distance, bytes))
      return mapped;
  return nullptr;
}

NearJumps::NearJumps(uintptr_t low, uintptr_t high, size_t slots)
    : slots_(static_cast<unsigned char*>(mapNear(low, high, slots * kSlotBytes))) {}

unsigned char* NearJumps::nextSlot() {
  return slots_ + kSlotBytes * used_++;
}

void NearJumps::jumpTo(void* function, const unsigned char* slot) {
  unsigned char* code = static_cast<unsigned char*>(function);
  int32_t distance = int32_t(slot - (code + 5));
  code[0] = 0xE9; // jmp rel32
  std::memcpy(code + 1, &distance, sizeof distance);
}

void NearJumps::redirect(void* function, void* target) {
  unsigned char* slot = nextSlot();
  const unsigned char kJump[] = {0xFF, 0x25, 0, 0, 0, 0}; // jmp [rip+0]
  std::memcpy(slot, kJump, sizeof kJump);
  std::memcpy(slot + sizeof kJump, &target, sizeof target);
  jumpTo(function, slot);
}

void NearJumps::redirect(void* function, void* handler, const void* argument) {
  unsigned char* slot = nextSlot();
  slot[0] = 0x48, slot[1] = 0xBF; // mov rdi, argument
  std::memcpy(slot + 2, &argument, sizeof argument);
  slot[10] = 0x48, slot[11] = 0xB8; // mov rax, handler
  std::memcpy(slot + 12, &handler, sizeof handler);
  slot[20] = 0xFF, slot[21] = 0xE0; // jmp rax
  jumpTo(function, slot);
}

bool NearJumps::setWritable(uintptr_t low, uintptr_t high, bool writable) {
  uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE));
  low &= ~(page - 1);
  high = (high + page - 1) & ~(page - 1);
  return mprotect(reinterpret_cast<void*>(low), high - low,
                  PROT_READ | PROT_EXEC | (writable ? PROT_WRITE : 0)) == 0;
}

} // namespace gpusched::cudart
