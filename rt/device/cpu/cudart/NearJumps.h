// NearJumps.h - overwrites the start of functions with jumps to our own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some functions of a static cudart are 10 bytes long, too short for a jump to a 64-bit address;
// so each gets a 5-byte relative jump to a slot in a page mapped within 2 GiB of the code,
// and the slot jumps on to the target. x86-64 only. Before threads exist: nothing else may run
// the code that is being written.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gpusched::cudart {

class NearJumps {
public:
  /// Maps room for `slots` near the code in [low, high).
  NearJumps(uintptr_t low, uintptr_t high, size_t slots);

  bool ok() const { return slots_ != nullptr; }
  /// Makes `function` jump to `target`.
  void redirect(void* function, void* target);
  /// Makes `function` call `handler(argument)` and return its result.
  void redirect(void* function, void* handler, const void* argument);
  /// The pages written to become read-and-execute again.
  static bool setWritable(uintptr_t low, uintptr_t high, bool writable);

private:
  unsigned char* nextSlot();
  static void jumpTo(void* function, const unsigned char* slot);

  unsigned char* slots_ = nullptr;
  size_t used_ = 0;
};

} // namespace gpusched::cudart
