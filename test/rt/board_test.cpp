// board_test - what processes that share a GPU see of each other, also of one that dies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/sharing/Board.h"
#include "rt/support/TemporaryFolder.h"
#include "test/Check.h"
#include "test/rt/ForkedProcess.h"

#include <cstring>
#include <fstream>
#include <sys/stat.h>
#include <thread>

using namespace gpusched;

static constexpr DeviceUuid kFirst = {'a'}, kSecond = {'b'};

static PolicyKernel kernelNamed(const std::string& name) {
  PolicyKernel kernel;
  kernel.name = name;
  kernel.kernelClass = KernelClass::Memory;
  kernel.hasPersistent = kernel.profiled = true;
  kernel.threadsPerBlock = 256;
  kernel.registersPerBlock = 8192;
  kernel.sharedBytesPerBlock = 2048;
  kernel.occupancyBlocksPerSm = 8;
  kernel.saturationBlocksPerSm = 3;
  kernel.blocks = 5000;
  kernel.timeUs = 1.5, kernel.persistentTimeUs = 1.75;
  kernel.dramGbPerSecond = 3000, kernel.gflops = 400;
  kernel.eligibleWarpsPerCycle = 0.25;
  kernel.l1TransactionsPerSecond = 1e9;
  kernel.budgetCurve = {0.5, 0.875, 1};
  kernel.utilisation[kDramBandwidth] = 0.75;
  kernel.stallMemory = 60;
  kernel.l1Hits = 0.1, kernel.l1BytesPerWarp = 20, kernel.l2Hits = 0.3, kernel.l2BytesPerWarp = 40;
  return kernel;
}

static void writeKernel(SharedKernel& to, const PolicyKernel& kernel, uint64_t sequence,
                        uint32_t seat, const DeviceUuid& device = kFirst) {
  RunningKernel launch;
  launch.firstSequence = sequence;
  launch.lastSequence = sequence + 7;
  launch.stream = 0x1000;
  launch.set = 5;
  launch.blocksPerSm = 6;
  launch.preempted = launch.yields = true;
  launch.priority = -1;
  launch.kernel = &kernel;
  write(to, launch, device, seat);
}

static SharedKernel written(const PolicyKernel& kernel, uint64_t sequence, uint32_t seat) {
  SharedKernel shared;
  std::memset(&shared, 0x5a, sizeof shared); // whatever was there before
  writeKernel(shared, kernel, sequence, seat);
  return shared;
}

/// Puts a kernel of that name on the board.
static const SharedKernel* runs(Board& board, const char* name, const DeviceUuid& device = kFirst) {
  const PolicyKernel kernel = kernelNamed(name);
  std::optional<Board::Session> session = board.session();
  SharedKernel* const place = session->add();
  if (place)
    writeKernel(*place, kernel, board.nextSequence(), board.seat(), device);
  return place;
}

static std::unique_ptr<Board> joined(const std::string& folder) {
  Result<std::unique_ptr<Board>> board = Board::join(folder);
  CHECK(board.ok());
  return board ? std::move(*board) : nullptr;
}

static std::vector<std::string> namesOf(Board& board, const DeviceUuid& device) {
  std::vector<std::string> names;
  std::optional<Board::Session> session = board.session();
  CHECK(session.has_value());
  session->forEachOther(device, [&](uint32_t, const SharedKernel& kernel) {
    names.push_back(kernelOf(kernel).name);
  });
  return names;
}

static void kernelsKeepEverything() {
  const PolicyKernel before = kernelNamed("scale<float>");
  const SharedKernel shared = written(before, 3, 0);
  const PolicyKernel kernel = kernelOf(shared);
  CHECK_EQUAL(kernel.name, before.name);
  CHECK(kernel.kernelClass == before.kernelClass);
  CHECK(kernel.hasPersistent && kernel.profiled);
  CHECK_EQUAL(kernel.threadsPerBlock, before.threadsPerBlock);
  CHECK_EQUAL(kernel.registersPerBlock, before.registersPerBlock);
  CHECK_EQUAL(kernel.sharedBytesPerBlock, before.sharedBytesPerBlock);
  CHECK_EQUAL(kernel.occupancyBlocksPerSm, before.occupancyBlocksPerSm);
  CHECK_EQUAL(kernel.saturationBlocksPerSm, before.saturationBlocksPerSm);
  CHECK_EQUAL(kernel.blocks, before.blocks);
  CHECK_EQUAL(kernel.timeUs, before.timeUs);
  CHECK_EQUAL(kernel.persistentTimeUs, before.persistentTimeUs);
  CHECK_EQUAL(kernel.dramGbPerSecond, before.dramGbPerSecond);
  CHECK_EQUAL(kernel.gflops, before.gflops);
  CHECK_EQUAL(kernel.eligibleWarpsPerCycle, before.eligibleWarpsPerCycle);
  CHECK_EQUAL(kernel.l1TransactionsPerSecond, before.l1TransactionsPerSecond);
  CHECK(kernel.budgetCurve == before.budgetCurve);
  CHECK(kernel.utilisation == before.utilisation);
  CHECK_EQUAL(kernel.stallMemory, before.stallMemory);
  CHECK_EQUAL(kernel.l1Hits, before.l1Hits);
  CHECK_EQUAL(kernel.l1BytesPerWarp, before.l1BytesPerWarp);
  CHECK_EQUAL(kernel.l2Hits, before.l2Hits);
  CHECK_EQUAL(kernel.l2BytesPerWarp, before.l2BytesPerWarp);
  const RunningKernel launch = runningOf(shared);
  CHECK_EQUAL(launch.firstSequence, 3u);
  CHECK_EQUAL(launch.lastSequence, 3u);
  CHECK_EQUAL(launch.set, 5u);
  CHECK_EQUAL(launch.blocksPerSm, 6u);
  CHECK(launch.preempted && launch.yields);
  CHECK_EQUAL(launch.priority, -1);
  RunningKernel other;
  other.kernel = &before;
  SharedKernel plain = shared;
  write(plain, other, kFirst, 0);
  CHECK(!runningOf(plain).preempted && !runningOf(plain).yields);
  CHECK_EQUAL(runningOf(plain).priority, 0);
  CHECK(launch.stream != 0x1000 && launch.stream != runningOf(written(before, 3, 1)).stream);
}

static void brokenBytesAreCut() {
  PolicyKernel kernel = kernelNamed(std::string(500, 'n'));
  kernel.budgetCurve.assign(64, 1);
  SharedKernel shared = written(kernel, 1, 0);
  CHECK_EQUAL(kernelOf(shared).name, std::string(SharedKernel::kNameBytes - 1, 'n'));
  CHECK_EQUAL(kernelOf(shared).budgetCurve.size(), SharedKernel::kCurvePoints);
  shared.name.fill('x');
  shared.curvePoints = 1000;
  shared.kernelClass = 200;
  CHECK_EQUAL(kernelOf(shared).name.size(), SharedKernel::kNameBytes);
  CHECK_EQUAL(kernelOf(shared).budgetCurve.size(), SharedKernel::kCurvePoints);
  CHECK(kernelOf(shared).kernelClass == KernelClass::Unknown);
}

static void othersSeeWhatIsPublished(const std::string& folder) {
  ForkedProcess other([&](Turns& turns) {
    std::unique_ptr<Board> board = joined(folder);
    turns.next();
    const SharedKernel* const here = runs(*board, "here");
    runs(*board, "there", kSecond);
    turns.next();
    board->session()->remove(here);
    turns.next();
    for (uint32_t i = 1; i < Board::kKernels; ++i)
      runs(*board, "many");
    if (runs(*board, "one too many") != nullptr)
      _exit(1);
    turns.next();
  });
  std::unique_ptr<Board> board = joined(folder);
  CHECK_EQUAL(board->nextSequence(), 1u);
  CHECK(!board->session()->anyOthers());
  other.step();
  CHECK(board->session()->anyOthers());
  CHECK(namesOf(*board, kFirst).empty());
  const uint32_t before = board->generation();
  other.step();
  CHECK(board->generation() != before);
  CHECK(namesOf(*board, kFirst) == std::vector<std::string>{"here"});
  CHECK(namesOf(*board, kSecond) == std::vector<std::string>{"there"});
  CHECK_EQUAL(board->nextSequence(), 4u); // after the other's two
  other.step();
  CHECK(namesOf(*board, kFirst).empty());
  CHECK(namesOf(*board, kSecond) == std::vector<std::string>{"there"});
  other.step();
  CHECK_EQUAL(namesOf(*board, kFirst).size(), size_t(Board::kKernels - 1));
  other.step(); // it leaves
  CHECK_EQUAL(other.exitCode(), 0);
  CHECK(!board->session()->anyOthers());
  runs(*board, "own");
  CHECK(namesOf(*board, kFirst).empty()); // not its own
}

static void requestsReachTheOwner(const std::string& folder) {
  std::unique_ptr<Board> board;
  ForkedProcess other([&](Turns& turns) {
    std::unique_ptr<Board> theirs = joined(folder);
    turns.next();
    const uint32_t seat = 1 - theirs->seat();
    CHECK(theirs->session()->ask(seat, {7, 3, 4, 0, 0}));
    CHECK(theirs->session()->ask(seat, {8, 1, 4, 0, 1}));
    CHECK(theirs->session()->ask(seat, {7, 2, 5, 0, 0})); // instead of the first
    for (uint64_t sequence = 100; sequence < 100 + Board::kKernels - 2; ++sequence)
      CHECK(theirs->session()->ask(seat, {sequence, 1, 1, 0, 0}));
    CHECK(!theirs->session()->ask(seat, {200, 1, 1, 0, 0})); // no room
    CHECK(theirs->session()->ask(seat, {100, 2, 1, 0, 0}));
    if (checkResult() != 0)
      _exit(1);
    turns.next();
  });
  board = joined(folder);
  other.step();
  CHECK(board->session()->takeRequests().empty());
  other.step();
  const std::vector<SharedRequest> requests = board->session()->takeRequests();
  CHECK_EQUAL(requests.size(), size_t(Board::kKernels));
  CHECK(requests[0].sequence == 7 && requests[0].blocksPerSm == 2);
  CHECK(requests[0].blocksPerSmAlone == 5 && requests[0].blocksPerSmAfter == 0);
  CHECK_EQUAL(requests[0].preempts, 0u);
  CHECK(requests[1].sequence == 8 && requests[1].preempts == 1);
  CHECK(board->session()->takeRequests().empty());
}

static void theDeadAreCleared(const std::string& folder) {
  ForkedProcess other([&](Turns& turns) {
    std::unique_ptr<Board> board = joined(folder);
    runs(*board, "killed");
    turns.next();
    const std::optional<Board::Session> held = board->session();
    turns.next();
  });
  std::unique_ptr<Board> board = joined(folder);
  other.step();
  CHECK(namesOf(*board, kFirst) == std::vector<std::string>{"killed"});
  other.step();
  CHECK(!board->session().has_value()); // the other has it, and is not waited for
  other.kill();
  CHECK(!board->session().has_value()); // nor is it asked again at once
  std::this_thread::sleep_for(2 * Board::kPause);
  CHECK(namesOf(*board, kFirst) == std::vector<std::string>{"killed"});
  board->session()->clearDead();
  CHECK(namesOf(*board, kFirst).empty());
  CHECK(!board->session()->anyOthers());
}

/// Who comes next clears the others, and finds its own seat empty.
static void newcomersClearTheDead(const std::string& folder) {
  auto dies = [&](Turns& turns) {
    std::unique_ptr<Board> board = joined(folder);
    runs(*board, "killed");
    turns.next();
  };
  std::unique_ptr<Board> board = joined(folder);
  ForkedProcess first(dies), second(dies);
  first.step();
  second.step();
  first.kill();
  second.kill();
  CHECK_EQUAL(namesOf(*board, kFirst).size(), size_t(2));
  ForkedProcess newcomer([&](Turns& turns) {
    std::unique_ptr<Board> theirs = joined(folder);
    if (theirs->seat() != 1 || !namesOf(*theirs, kFirst).empty())
      _exit(1);
    turns.next();
  });
  newcomer.step();
  CHECK(namesOf(*board, kFirst).empty());
  newcomer.step();
  CHECK_EQUAL(newcomer.exitCode(), 0);
}

static void aChildOfForkLeavesTheSeatAlone(const std::string& folder) {
  std::unique_ptr<Board> board = joined(folder);
  const int pid = fork();
  if (pid == 0) {
    board.reset();
    _exit(0);
  }
  waitpid(pid, nullptr, 0);
  ForkedProcess other([&](Turns&) {
    std::unique_ptr<Board> theirs = joined(folder);
    if (theirs->seat() == board->seat() || !theirs->session()->anyOthers())
      _exit(1);
    _exit(0);
  });
  other.step();
  CHECK_EQUAL(other.exitCode(), 0);
}

static void sleepersAreWoken(const std::string& folder) {
  ForkedProcess other([&](Turns& turns) {
    std::unique_ptr<Board> board = joined(folder);
    turns.next();
    board->session()->ask(1 - board->seat(), {1, 1, 1, 0, 0});
    turns.next();
  });
  std::unique_ptr<Board> board = joined(folder);
  other.step();
  const uint32_t seen = board->generation();
  std::thread change([&] { other.step(); });
  board->sleep(seen, std::chrono::hours(1));
  change.join();
  CHECK(board->generation() != seen);
  board->sleep(seen, std::chrono::hours(1)); // has passed already
  const uint32_t here = board->generation();
  std::thread leave([&] { other.step(); });
  board->sleep(here, std::chrono::hours(1));
  leave.join();
  const uint32_t now = board->generation();
  std::thread waker([&] { board->wake(); });
  board->sleep(now, std::chrono::hours(1));
  waker.join();
  board->sleep(board->generation(), std::chrono::microseconds(10)); // nobody does
}

static void lookTellsWhoSitsThere(const std::string& folder) {
  ForkedProcess other([&](Turns& turns) {
    std::unique_ptr<Board> board = joined(folder);
    runs(*board, "seen");
    turns.next();
  });
  other.step();
  Result<std::vector<Board::Sitter>> sitters = Board::look(folder);
  CHECK(sitters && sitters->size() == 1);
  CHECK_EQUAL(sitters->front().pid, other.pid());
  CHECK_EQUAL(sitters->front().program, std::string("board_test"));
  CHECK(sitters->front().kernels.size() == 1);
  CHECK_EQUAL(kernelOf(sitters->front().kernels[0]).name, std::string("seen"));
  other.kill();
  sitters = Board::look(folder);
  CHECK(sitters && sitters->empty());
  sitters = Board::look(folder + "/none"); // nobody ever came
  CHECK(sitters && sitters->empty());
}

static std::string whyNot(const std::string& folder) {
  const Result<std::unique_ptr<Board>> board = Board::join(folder);
  return board ? "" : board.message();
}

static bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

static void badFoldersAreRefused(const std::string& folder) {
  CHECK(has(whyNot("/proc/none"), "cannot make /proc/none"));
  const std::string open = folder + "/open";
  mkdir(open.c_str(), 0700);
  chmod(open.c_str(), 0777);
  CHECK(has(whyNot(open), "not yours alone"));
  chmod(open.c_str(), 0700);
  CHECK_EQUAL(whyNot(open), std::string());
  if (chown(open.c_str(), 1, gid_t(-1)) == 0) // as root only
    CHECK(has(whyNot(open), "not yours alone"));
  const std::string other = folder + "/other";
  mkdir(other.c_str(), 0700);
  std::ofstream(other + "/board-2") << "something else";
  CHECK(has(whyNot(other), "of another gpusched"));
  CHECK(has(whyNot(other), "board-2"));
  const std::string link = folder + "/link";
  mkdir(link.c_str(), 0700);
  CHECK_EQUAL(symlink("/dev/null", (link + "/board-2").c_str()), 0);
  CHECK(has(whyNot(link), "cannot open"));
}

static void seatsComeToAnEnd(const std::string& folder) {
  std::vector<std::unique_ptr<ForkedProcess>> all;
  for (uint32_t seat = 0; seat < Board::kSeats; ++seat) {
    all.push_back(std::make_unique<ForkedProcess>([&](Turns& turns) {
      std::unique_ptr<Board> board = joined(folder);
      turns.next();
    }));
    all.back()->step();
  }
  CHECK(has(whyNot(folder), "all 64 seats"));
  all[40]->kill();
  std::unique_ptr<Board> board = joined(folder);
  CHECK_EQUAL(board->seat(), 40u);
  for (std::unique_ptr<ForkedProcess>& each : all)
    each->kill();
}

int main() {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  CHECK(folder.ok());
  kernelsKeepEverything();
  brokenBytesAreCut();
  othersSeeWhatIsPublished(folder->file("published"));
  requestsReachTheOwner(folder->file("requests"));
  theDeadAreCleared(folder->file("dead"));
  newcomersClearTheDead(folder->file("newcomers"));
  aChildOfForkLeavesTheSeatAlone(folder->file("fork"));
  sleepersAreWoken(folder->file("sleep"));
  lookTellsWhoSitsThere(folder->file("look"));
  badFoldersAreRefused(folder->path());
  seatsComeToAnEnd(folder->file("seats"));
  return checkResult();
}
