// Board.h - what the processes that share a GPU tell each other: a file that all have mapped.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: MPS lets kernels of several processes run at once, but a policy sees those of its own
// process only. Model: no server and no leader. Each process takes a seat and writes there which
// of its kernels run, with what a policy has to know of them. Who launches decides with
// everything in view, and asks the owners of other kernels to change their budgets.
//
//   header   a lock, the number of the next launch, a generation that every change counts up
//   seat     pid, program, running kernels (written by its owner), requests (by anybody else)
//
// Numbers of launches are drawn from the header, so that those of all processes have one order,
// which is what numbers of sets rest on (rt/policy/SetPlacement.h).
//
// Failures. A seat is held by a lock of fcntl(2) on one byte of the file, which the kernel drops
// with the process, however it ends and in whichever pid namespace; seats without it are cleared by
// the others. The lock in the header is a robust mutex. Nobody waits for it longer than kPatience:
// who does not get it, because its holder was stopped, acts as if it were alone for kPause. Nothing
// on the board is needed for a result, so the worst that a broken process can do is bad budgets.
//
// Cost: an uncontended lock for each launch, some hundred bytes for a kernel that is new. No call
// into the operating system, but to wake who is asked for something or shall see somebody come or
// go. Threads: Board's own methods from any; a Session belongs to the thread that made it.
#pragma once

#include "rt/sharing/SharedKernel.h"
#include "rt/support/Result.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpusched {

struct BoardLayout;

/// Asks a kernel's owner for another budget.
struct SharedRequest {
  uint64_t sequence; ///< SharedKernel::sequence
  // Of a Decision.
  uint32_t blocksPerSm, blocksPerSmAlone, blocksPerSmAfter;
  uint32_t preempts;
};

class Board {
public:
  static constexpr uint32_t kSeats = 64;
  static constexpr uint32_t kKernels = 32; ///< of a seat; and so many requests
  static constexpr std::chrono::milliseconds kPatience{20};
  static constexpr std::chrono::milliseconds kPause{1000}; ///< before the next try then

  /// /dev/shm/gpusched-<uid>
  static std::string defaultFolder();
  /// The folder that GPUSCHED_SHARE names; "" = it says yes or no only.
  static std::string namedFolder();

  /// Takes a seat on the board of this folder, which is made if need be. Errors: no such folder and
  /// none can be made, it belongs to somebody else, the board is of another version, all seats are
  /// taken.
  static Result<std::unique_ptr<Board>> join(const std::string& folder);
  ~Board();

  uint32_t seat() const { return seat_; }
  /// False in the child of a fork: the seat is its parent's.
  bool isOurs() const;
  /// The next number of a launch, of all processes; from 1.
  uint64_t nextSequence();
  /// Counts what others have changed, and we.
  uint32_t generation() const;
  /// Until the generation is another one than `seen`, or the time is over.
  void sleep(uint32_t seen, std::chrono::microseconds most) const;
  /// Ends our own sleep().
  void wake();

  /// The right to read and write, until it goes away.
  class Session {
  public:
    Session(Session&& other) noexcept
        : board_(std::exchange(other.board_, nullptr)), changed_(other.changed_),
          wakes_(other.wakes_) {}
    Session& operator=(Session&&) = delete;
    ~Session();

    /// Has somebody else a seat?
    bool anyOthers() const;
    /// Calls `function(seat, kernel)` on the running kernels of all others on this device.
    void forEachOther(const DeviceUuid& device,
                      const std::function<void(uint32_t, const SharedKernel&)>& function) const;
    /// One more kernel of ours, to be filled now; null: there is no room. It stays where it is
    /// until it is removed.
    SharedKernel* add();
    void remove(const SharedKernel* kernel);
    /// One of ours has been written to.
    void changed() { changed_ = true; }
    /// Wakes its owner. False: too many requests wait there already.
    bool ask(uint32_t seat, const SharedRequest& request);
    /// What others asked of us since the last call.
    std::vector<SharedRequest> takeRequests();
    /// Clears the seats of processes that are gone.
    void clearDead();

  private:
    friend class Board;
    explicit Session(Board& board) : board_(&board) {}
    void wakesOthers() { changed_ = wakes_ = true; }

    Board* board_;
    bool changed_ = false, wakes_ = false;
  };

  /// None when the lock cannot be had, or could not a moment ago; says so once.
  std::optional<Session> session();

  /// For people: who sits on the board of a folder, in order of seats. Takes none. Not for a
  /// process that has a seat there.
  struct Sitter {
    int pid = 0;
    std::string program;
    std::vector<SharedKernel> kernels;
  };
  static Result<std::vector<Sitter>> look(const std::string& folder);

private:
  explicit Board(int file) : file_(file) {}
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  static Result<std::unique_ptr<Board>> open(const std::string& folder, bool make);
  Status map(const std::string& path);
  Status takeSeat(const std::string& path);
  uint64_t ownBit() const; ///< of BoardLayout::taken
  bool isHeld(uint32_t seat) const;
  bool lock();
  void unlock(bool changed, bool wakes);

  const int file_;
  BoardLayout* layout_ = nullptr;
  uint32_t seat_ = kSeats; ///< none
  int pid_ = 0;            ///< of who took it: a fork's child holds no seat
  std::atomic<std::chrono::nanoseconds> notBefore_{};
};

} // namespace gpusched
