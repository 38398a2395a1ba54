// Board.cpp - the file, its lock, and who sits where.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of the file that fcntl(2) locks: 0 while the file is made, 1 + n for seat n. Locks of that
// kind go when a process closes any descriptor of the file, so each opens it once.
#include "rt/sharing/Board.h"

#include "rt/sharing/BoardLayout.h"
#include "rt/support/Environment.h"
#include "rt/support/Log.h"
#include "rt/support/ProgramName.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gpusched {
namespace {

constexpr const char* kFile = "/board-2";

Status problem(const std::string& what, const std::string& path, const std::string& next) {
  return Status::error("cannot share the GPU: " + what + " " + path + ": " + std::strerror(errno) +
                       "; " + next);
}

struct flock byteLock(short type, uint32_t byte) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

/// Those of `bits`, from the lowest.
template <class Function> void forEachBit(uint64_t bits, const Function& function) {
  for (; bits; bits &= bits - 1)
    function(uint32_t(std::countr_zero(bits)));
}

/// Who sleeps with one of `bits`.
void wakeSleepers(std::atomic<uint32_t>& word, uint32_t bits) {
  syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, INT32_MAX, nullptr, nullptr, bits);
}

uint32_t bitOf(uint32_t seat) {
  return 1u << (seat % 32);
}

timespec after(std::chrono::nanoseconds delay) {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  const int64_t nanoseconds = time.tv_nsec + delay.count();
  time.tv_sec += nanoseconds / 1'000'000'000;
  time.tv_nsec = nanoseconds % 1'000'000'000;
  return time;
}

void makeMutex(pthread_mutex_t& mutex) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

/// A folder of ours that nobody else can write to.
Status useFolder(const std::string& folder, bool make) {
  const std::string next = "name another folder with GPUSCHED_SHARE";
  if (make && mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return problem("cannot make", folder, next);
  struct stat found = {};
  if (stat(folder.c_str(), &found) != 0)
    return problem("cannot look at", folder, next);
  if (found.st_uid == geteuid() && !(found.st_mode & (S_IWGRP | S_IWOTH)))
    return {};
  return Status::error("cannot share the GPU: " + folder + " is not yours alone; " + next);
}

} // namespace

std::string Board::defaultFolder() {
  return "/dev/shm/gpusched-" + std::to_string(geteuid());
}

std::string Board::namedFolder() {
  const std::string text = environment("GPUSCHED_SHARE");
  return text == "0" || text == "1" ? "" : text;
}

Result<std::unique_ptr<Board>> Board::open(const std::string& folder, bool make) {
  if (Status usable = useFolder(folder, make); !usable)
    return usable;
  const std::string path = folder + kFile;
  const int file =
      ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | (make ? O_CREAT : 0), 0600);
  if (file < 0)
    return problem("cannot open", path, "name another folder with GPUSCHED_SHARE");
  std::unique_ptr<Board> board(new Board(file));
  if (Status mapped = board->map(path); !mapped)
    return mapped;
  return board;
}

Status Board::map(const std::string& path) {
  struct flock making = byteLock(F_WRLCK, 0);
  if (fcntl(file_, F_SETLKW, &making) != 0)
    return problem("cannot lock", path, "does its file system have locks?");
  struct stat found = {};
  if (fstat(file_, &found) != 0)
    return problem("cannot look at", path, "try again");
  const bool isNew = found.st_size == 0;
  if (!isNew && size_t(found.st_size) != sizeof(BoardLayout))
    return Status::error("cannot share the GPU: " + path +
                         " is of another gpusched; end the programs that use it and remove it");
  if (isNew && ftruncate(file_, sizeof(BoardLayout)) != 0)
    return problem("cannot make", path, "is there room?");
  void* mapped = mmap(nullptr, sizeof(BoardLayout), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (mapped == MAP_FAILED)
    return problem("cannot map", path, "does its file system have shared mappings?");
  layout_ = static_cast<BoardLayout*>(mapped);
  if (layout_->nextSequence == 0) { // new, or its maker died
    makeMutex(layout_->mutex);
    layout_->nextSequence = 1;
  }
  making.l_type = F_UNLCK;
  fcntl(file_, F_SETLK, &making);
  return {};
}

Status Board::takeSeat(const std::string& path) {
  for (uint32_t seat = 0; seat < kSeats && seat_ == kSeats; ++seat) {
    struct flock mine = byteLock(F_WRLCK, 1 + seat);
    if (fcntl(file_, F_SETLK, &mine) == 0)
      seat_ = seat;
  }
  if (seat_ == kSeats)
    return Status::error("cannot share the GPU: all " + std::to_string(kSeats) + " seats of " +
                         path + " are taken; this program runs for itself");
  pid_ = getpid();
  std::optional<Session> session = this->session();
  if (!session)
    return Status::error("cannot share the GPU: somebody holds the lock of " + path +
                         "; is a program stopped that shares?");
  session->clearDead();
  BoardSeat& own = layout_->seats[seat_];
  own = {};
  own.pid = pid_;
  const std::string program = runningProgram();
  std::copy_n(program.begin(), std::min(program.size(), own.program.size() - 1),
              own.program.begin());
  layout_->taken |= ownBit();
  session->wakesOthers();
  return {};
}

Result<std::unique_ptr<Board>> Board::join(const std::string& folder) {
  Result<std::unique_ptr<Board>> board = open(folder, /*make=*/true);
  if (!board)
    return board;
  if (Status seated = (*board)->takeSeat(folder + kFile); !seated)
    return seated;
  return board;
}

Board::~Board() {
  if (layout_ && seat_ != kSeats && isOurs())
    if (std::optional<Session> session = this->session()) {
      layout_->taken &= ~ownBit();
      session->wakesOthers();
    }
  if (layout_)
    munmap(layout_, sizeof(BoardLayout));
  close(file_);
}

bool Board::isOurs() const {
  return pid_ == getpid();
}

uint64_t Board::nextSequence() {
  return layout_->nextSequence.fetch_add(1, std::memory_order_relaxed);
}

uint32_t Board::generation() const {
  return layout_->generation.load(std::memory_order_acquire);
}

void Board::sleep(uint32_t seen, std::chrono::microseconds most) const {
  const timespec until = after(most);
  syscall(SYS_futex, &layout_->generation, FUTEX_WAIT_BITSET, seen, &until, nullptr, bitOf(seat_));
}

void Board::wake() {
  ++layout_->generation;
  wakeSleepers(layout_->generation, bitOf(seat_));
}

uint64_t Board::ownBit() const {
  return seat_ == kSeats ? 0 : uint64_t(1) << seat_;
}

/// True: somebody has the byte of that seat.
bool Board::isHeld(uint32_t seat) const {
  struct flock held = byteLock(F_WRLCK, 1 + seat);
  return fcntl(file_, F_GETLK, &held) != 0 || held.l_type != F_UNLCK;
}

bool Board::lock() {
  const timespec until = after(kPatience);
  const int error = pthread_mutex_clocklock(&layout_->mutex, CLOCK_MONOTONIC, &until);
  if (error == EOWNERDEAD) // its seat is half written, and will be cleared
    return pthread_mutex_consistent(&layout_->mutex) == 0;
  return error == 0;
}

void Board::unlock(bool changed, bool wakes) {
  const uint64_t others = layout_->taken & ~ownBit();
  if (changed)
    layout_->generation.fetch_add(1, std::memory_order_release);
  pthread_mutex_unlock(&layout_->mutex);
  if (wakes && others)
    wakeSleepers(layout_->generation, uint32_t(others) | uint32_t(others >> 32));
}

std::optional<Board::Session> Board::session() {
  using Clock = std::chrono::steady_clock;
  if (Clock::now().time_since_epoch() < notBefore_.load(std::memory_order_relaxed))
    return std::nullopt;
  if (lock())
    return Session(*this);
  notBefore_.store(Clock::now().time_since_epoch() + kPause, std::memory_order_relaxed);
  GPUSCHED_LOG_ONCE(LogLevel::Warning,
                    "another program keeps the lock of what is shared (is it stopped?); until it "
                    "lets go, this one decides for itself");
  return std::nullopt;
}

Board::Session::~Session() {
  if (board_)
    board_->unlock(changed_, wakes_);
}

bool Board::Session::anyOthers() const {
  return (board_->layout_->taken & ~board_->ownBit()) != 0;
}

void Board::Session::forEachOther(
    const DeviceUuid& device,
    const std::function<void(uint32_t, const SharedKernel&)>& function) const {
  const BoardLayout& layout = *board_->layout_;
  forEachBit(layout.taken & ~board_->ownBit(), [&](uint32_t seat) {
    forEachBit(layout.seats[seat].used, [&](uint32_t index) {
      if (layout.seats[seat].kernel[index].device == device)
        function(seat, layout.seats[seat].kernel[index]);
    });
  });
}

SharedKernel* Board::Session::add() {
  BoardSeat& own = board_->layout_->seats[board_->seat_];
  const int index = std::countr_one(own.used);
  if (index == kKernels)
    return nullptr;
  own.used |= 1u << index;
  changed_ = true;
  return &own.kernel[index];
}

void Board::Session::remove(const SharedKernel* kernel) {
  BoardSeat& own = board_->layout_->seats[board_->seat_];
  own.used &= ~(1u << (kernel - own.kernel));
  changed_ = true;
}

bool Board::Session::ask(uint32_t seat, const SharedRequest& request) {
  BoardSeat& owner = board_->layout_->seats[seat];
  SharedRequest* end = owner.request + std::min(owner.requests, kKernels);
  SharedRequest* place = std::find_if(owner.request, end, [&](const SharedRequest& earlier) {
    return earlier.sequence == request.sequence;
  });
  if (place == owner.request + kKernels)
    return false;
  if (place == end)
    ++owner.requests;
  *place = request;
  wakesOthers();
  return true;
}

std::vector<SharedRequest> Board::Session::takeRequests() {
  BoardSeat& own = board_->layout_->seats[board_->seat_];
  std::vector<SharedRequest> taken(own.request, own.request + std::min(own.requests, kKernels));
  own.requests = 0;
  return taken;
}

void Board::Session::clearDead() {
  BoardLayout& layout = *board_->layout_;
  forEachBit(layout.taken & ~board_->ownBit(), [&](uint32_t seat) {
    if (board_->isHeld(seat))
      return;
    layout.taken &= ~(uint64_t(1) << seat);
    wakesOthers();
  });
}

Result<std::vector<Board::Sitter>> Board::look(const std::string& folder) {
  if (access((folder + kFile).c_str(), F_OK) != 0 && errno == ENOENT)
    return std::vector<Sitter>{};
  Result<std::unique_ptr<Board>> board = open(folder, /*make=*/false);
  if (!board)
    return board.status();
  std::optional<Session> session = (*board)->session();
  if (!session)
    return Status::error("the board in " + folder +
                         " is locked; is a program stopped that shares?");
  session->clearDead();
  std::vector<Sitter> sitters;
  forEachBit((*board)->layout_->taken, [&](uint32_t seat) {
    const BoardSeat& found = (*board)->layout_->seats[seat];
    Sitter& sitter = sitters.emplace_back();
    sitter.pid = found.pid;
    sitter.program.assign(found.program.data(),
                          strnlen(found.program.data(), found.program.size()));
    forEachBit(found.used, [&](uint32_t index) { sitter.kernels.push_back(found.kernel[index]); });
  });
  return sitters;
}

} // namespace gpusched
