// Processes.cpp - forks, pipes and clocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmarks/suite/Processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Span {
  double begin = 0, end = 0; // ms
};

double now() {
  return std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
}

/// Answers every byte with the span of one launch; ends when the pipe does.
[[noreturn]] void serve(const std::string& name, Size size, int orders, int answers) {
  const Registration* entry = Registration::first();
  while (entry && name != entry->name)
    entry = entry->next;
  if (!entry)
    std::_Exit(3);
  std::unique_ptr<Workload> workload = entry->make();
  workload->setup(size, 1);
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  workload->launch(stream);
  require(cudaStreamSynchronize(stream), "warm-up");
  Span span; // the first answer says that this process is ready
  for (char order = 0; write(answers, &span, sizeof span) == sizeof span;) {
    if (read(orders, &order, 1) != 1)
      break;
    span.begin = now();
    workload->launch(stream);
    require(cudaStreamSynchronize(stream), name);
    span.end = now();
  }
  std::_Exit(0);
}

class Child {
public:
  Child(const std::string& name, Size size) {
    std::array<int, 2> orders, answers;
    if (pipe(orders.data()) || pipe(answers.data()))
      std::exit(3);
    process_ = fork();
    if (process_ == 0) {
      close(orders[1]);
      close(answers[0]);
      serve(name, size, orders[0], answers[1]);
    }
    close(orders[0]);
    close(answers[1]);
    orders_ = orders[1];
    answers_ = answers[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    close(orders_);
    close(answers_);
    waitpid(process_, nullptr, 0);
  }

  void go() { failed_ = failed_ || write(orders_, "g", 1) != 1; }
  Span answer() {
    Span span;
    failed_ = failed_ || read(answers_, &span, sizeof span) != sizeof span;
    return span;
  }
  bool failed() const { return failed_; }

private:
  pid_t process_ = -1;
  int orders_ = -1, answers_ = -1;
  bool failed_ = false;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double aloneMs(Child& child, int samples) {
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    child.go();
    const Span span = child.answer();
    times.push_back(span.end - span.begin);
  }
  return median(times);
}

bool runPair(const std::string& pair, Size size, int samples) {
  const std::size_t plus = pair.find('+');
  // The second child inherits the first one's pipe; it ends first, so nobody waits for it.
  Child first(pair.substr(0, plus), size), second(pair.substr(plus + 1), size);
  first.answer();
  second.answer();
  const double serial = aloneMs(first, samples) + aloneMs(second, samples);
  std::vector<double> times;
  for (int i = 0; i < samples && !first.failed() && !second.failed(); ++i) {
    first.go();
    second.go();
    const Span one = first.answer(), two = second.answer();
    times.push_back(std::max(one.end, two.end) - std::min(one.begin, two.begin));
  }
  if (first.failed() || second.failed() || times.empty()) {
    std::printf("{\"pair\": \"%s\", \"mode\": \"processes\", \"failed\": true}\n", pair.c_str());
    return false;
  }
  std::printf("{\"pair\": \"%s\", \"mode\": \"processes\", \"timed\": true, \"serial_ms\": %.6f, "
              "\"together_ms\": %.6f}\n",
              pair.c_str(), serial, median(times));
  std::fflush(stdout);
  return true;
}

} // namespace

int pairsOfProcesses(const std::vector<std::string>& pairs, Size size, int samples,
                     std::chrono::steady_clock::time_point end) {
  int failed = 0;
  for (const std::string& pair : pairs)
    if (Clock::now() < end)
      failed += !runPair(pair, size, samples);
  return failed ? 1 : 0;
}

} // namespace bench
