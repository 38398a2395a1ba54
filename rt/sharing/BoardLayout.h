// BoardLayout.h - the bytes of the board's file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything but the two atomics is read and written under `mutex`. A new file is all zero, which
// is a board without sitters. The number in its name (Board.cpp) changes with this header and with
// SharedKernel.h, so that programs of unlike versions do not meet.
#pragma once

#include "rt/sharing/Board.h"

#include <array>
#include <atomic>
#include <pthread.h>

namespace gpusched {

struct BoardSeat {
  int32_t pid;
  std::array<char, 64> program; ///< ends with a zero
  uint32_t used;                ///< bit n: kernel n
  uint32_t requests;            ///< how many of them
  SharedKernel kernel[Board::kKernels];
  SharedRequest request[Board::kKernels];
};

struct BoardLayout {
  std::atomic<uint64_t> nextSequence; ///< 0: nobody has made the mutex
  std::atomic<uint32_t> generation;   ///< also what sleepers wait on
  pthread_mutex_t mutex;
  uint64_t taken; ///< bit n: seat n
  BoardSeat seats[Board::kSeats];
};
static_assert(sizeof(BoardLayout) == 1348672, "another layout: count up the number in kFile");
static_assert(Board::kSeats == 64, "one bit of BoardLayout::taken each");
static_assert(Board::kKernels == 32, "one bit of BoardSeat::used each");
static_assert(std::atomic<uint64_t>::is_always_lock_free &&
              std::atomic<uint32_t>::is_always_lock_free);

} // namespace gpusched
