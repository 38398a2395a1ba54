// Processes.cpp - forks, threads, pipes and clocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmarks/suite/Processes.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Span {
  double begin = 0, end = 0; // ms
};

double now() {
  return std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
}

/// What a process is told, by one byte.
enum Order : char { kOnce = 'o', kRepeat = 'r' };
constexpr int kQueued = 4; // launches of a repeating process between two looks at its orders

struct Answer {
  Span span;
  int launches = 0;
};

bool hasOrders(int orders) {
  pollfd waiting = {orders, POLLIN, 0};
  return poll(&waiting, 1, 0) != 0;
}

/// Launches once, or until the next order comes.
Answer obey(Order order, Workload& workload, cudaStream_t stream, int orders) {
  Answer answer;
  answer.span.begin = now();
  do {
    const int batch = order == kRepeat ? kQueued : 1;
    for (int i = 0; i < batch; ++i)
      workload.launch(stream);
    require(cudaStreamSynchronize(stream), "launch");
    answer.launches += batch;
  } while (order == kRepeat && !hasOrders(orders));
  answer.span.end = now();
  return answer;
}

/// Who serves a workload.
enum class Server {
  Process,
  BackgroundProcess, ///< of lower priority, for MPS and for a runtime that shares
  LowStream,         ///< a thread with a stream of the lowest priority
  HighStream         ///< of the highest
};

bool isThread(Server server) {
  return server == Server::LowStream || server == Server::HighStream;
}

cudaStream_t makeStream(Server server) {
  int lowest = 0, highest = 0;
  require(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "stream priorities");
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                       server == Server::HighStream ? highest : lowest),
          "stream");
  return stream;
}

/// Answers every order; returns when the pipe ends.
void serve(const Registration& entry, Server server, Size size, int orders, int answers) {
  std::unique_ptr<Workload> workload = entry.make();
  workload->setup(size, 1);
  const cudaStream_t stream = makeStream(server);
  workload->launch(stream);
  require(cudaStreamSynchronize(stream), "warm-up");
  Answer answer; // the first says that this process is ready
  for (Order order = kOnce; write(answers, &answer, sizeof answer) == sizeof answer;) {
    if (read(orders, &order, 1) != 1)
      break;
    answer = obey(order, *workload, stream, orders);
  }
}

class Child {
public:
  Child(const std::string& name, Size size, Server server = Server::Process) {
    std::array<int, 2> orders, answers;
    if (pipe(orders.data()) || pipe(answers.data()))
      std::exit(3);
    const Registration* entry = Registration::first();
    while (entry && name != entry->name)
      entry = entry->next;
    orders_ = orders[1];
    answers_ = answers[0];
    if (isThread(server)) {
      thread_ = std::thread([=] {
        if (entry)
          serve(*entry, server, size, orders[0], answers[1]);
        close(orders[0]);
        close(answers[1]);
      });
      return;
    }
    process_ = fork();
    if (process_ == 0) {
      close(orders[1]);
      close(answers[0]);
      if (server == Server::BackgroundProcess) {
        setenv("CUDA_MPS_CLIENT_PRIORITY", "1", /*overwrite=*/1);
        setenv("GPUSCHED_PRIORITY", "low", /*overwrite=*/1);
      }
      if (entry)
        serve(*entry, server, size, orders[0], answers[1]);
      std::_Exit(entry ? 0 : 3);
    }
    close(orders[0]);
    close(answers[1]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    close(orders_);
    if (thread_.joinable())
      thread_.join();
    else
      waitpid(process_, nullptr, 0);
    close(answers_);
  }

  void go(Order order = kOnce) { failed_ = failed_ || write(orders_, &order, 1) != 1; }
  Answer answer() {
    Answer answer;
    failed_ = failed_ || read(answers_, &answer, sizeof answer) != sizeof answer;
    return answer;
  }
  bool failed() const { return failed_; }

private:
  pid_t process_ = -1;
  std::thread thread_;
  int orders_ = -1, answers_ = -1;
  bool failed_ = false;
};

/// That of which `share` of the values are at most as large.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, std::size_t(share * double(values.size())))];
}

/// Launches by themselves, with a pause of `restMs` before each.
std::vector<double> spansOf(Child& child, int samples, double restMs = 0) {
  std::vector<double> times;
  for (int i = 0; i < samples && !child.failed(); ++i) {
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(restMs));
    child.go();
    const Span span = child.answer().span;
    times.push_back(span.end - span.begin);
  }
  return times;
}

bool printFailure(const std::string& pair, const char* mode) {
  std::printf("{\"pair\": \"%s\", \"mode\": \"%s\", \"failed\": true}\n", pair.c_str(), mode);
  return false;
}

bool runTogether(const std::string& pair, Size size, int samples) {
  const std::size_t plus = pair.find('+');
  // The second child inherits the first one's pipe; it ends first, so nobody waits for it.
  Child first(pair.substr(0, plus), size), second(pair.substr(plus + 1), size);
  first.answer();
  second.answer();
  const std::vector<double> firstAlone = spansOf(first, samples);
  const std::vector<double> secondAlone = spansOf(second, samples);
  std::vector<double> times;
  for (int i = 0; i < samples && !first.failed() && !second.failed(); ++i) {
    first.go();
    second.go();
    const Span one = first.answer().span, two = second.answer().span;
    times.push_back(std::max(one.end, two.end) - std::min(one.begin, two.begin));
  }
  if (first.failed() || second.failed() || times.empty())
    return printFailure(pair, "processes");
  std::printf("{\"pair\": \"%s\", \"mode\": \"processes\", \"timed\": true, \"serial_ms\": %.6f, "
              "\"together_ms\": %.6f}\n",
              pair.c_str(), quantile(firstAlone, 0.5) + quantile(secondAlone, 0.5),
              quantile(times, 0.5));
  std::fflush(stdout);
  return true;
}

/// Launches a millisecond of one that repeats while `meanwhile` runs.
template <class Function> double rateOf(Child& child, const Function& meanwhile) {
  child.go(kRepeat);
  meanwhile();
  child.go(kOnce); // ends it, and is answered, too
  const Answer repeated = child.answer();
  child.answer();
  return double(repeated.launches) / (repeated.span.end - repeated.span.begin);
}

/// The first repeats; somebody waits for each launch of the second, which comes when the last one
/// has been over for as long as it takes alone.
bool runBackground(const std::string& pair, bool byThreads, Size size, int samples) {
  const std::size_t plus = pair.find('+');
  const char* const mode = byThreads ? "urgent" : "background";
  Child behind(pair.substr(0, plus), size,
               byThreads ? Server::LowStream : Server::BackgroundProcess);
  Child front(pair.substr(plus + 1), size, byThreads ? Server::HighStream : Server::Process);
  behind.answer();
  front.answer();
  std::vector<double> alone = spansOf(front, samples), beside;
  const double rest = alone.empty() ? 0 : quantile(alone, 0.5);
  alone = spansOf(front, samples, rest);
  const double rateAlone = rateOf(behind, [&] {
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(2 * rest * samples));
  });
  const double rateBeside = rateOf(behind, [&] { beside = spansOf(front, samples, rest); });
  if (behind.failed() || front.failed() || beside.empty())
    return printFailure(pair, mode);
  std::printf("{\"pair\": \"%s\", \"mode\": \"%s\", \"timed\": true, \"alone_ms\": %.6f, "
              "\"alone_p99_ms\": %.6f, \"beside_ms\": %.6f, \"beside_p99_ms\": %.6f, "
              "\"background_rate\": %.6f}\n",
              pair.c_str(), mode, quantile(alone, 0.5), quantile(alone, 0.99),
              quantile(beside, 0.5), quantile(beside, 0.99), rateBeside / rateAlone);
  std::fflush(stdout);
  return true;
}

} // namespace

int pairsOfProcesses(const std::vector<std::string>& pairs, ProcessMode mode, Size size,
                     int samples, std::chrono::steady_clock::time_point end) {
  int failed = 0;
  for (const std::string& pair : pairs)
    if (Clock::now() < end)
      failed += !(mode == ProcessMode::Together
                      ? runTogether(pair, size, samples)
                      : runBackground(pair, mode == ProcessMode::Urgent, size, samples));
  return failed ? 1 : 0;
}

} // namespace bench
