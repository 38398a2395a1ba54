// Suite.cu - all workloads in one process: alone, or in pairs, one line of JSON each.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   suite MODE [--size=test|small|large] [--samples=N] [--kernels=A,B] [--pairs=A+B,C+D]
//   [--seconds=N] [--no-check]
//
//   alone                            every workload by itself: times, hash of its result; with
//                                    --no-check times alone, for profiles
//   streams|priorities|green|padding every pair (default: all there are) at once, best setting
//   processes                        every pair as two processes; under MPS they share the device
//   background                       the same, the first all the time and with lower priority, the
//                                    second now and then: its median and P99, alone and beside the
//                                    first, and what is left of the first's rate
//   urgent                           the same in one process: two threads, and two streams, of the
//                                    lowest and of the highest priority
//
// One process for all of them: on a GPU a start costs more than most kernels. Together-times are
// from the first launch to the last end; serial is the sum of the two alone. A result that differs
// from the one it had alone is "equal": false, and the exit status is 1. Programs whose
// device keeps no time (the cpu device) print "timed": false and no times.
#include "benchmarks/kernels/Options.h"
#include "benchmarks/suite/Processes.h"
#include "benchmarks/suite/Sharing.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

namespace {

using Clock = std::chrono::steady_clock;
using Names = std::vector<std::string>;

struct Request {
  std::string mode;
  bench::Size size = bench::Size::Small;
  int samples = 5;
  double seconds = 1e9;
  bool checks = true;
  Names kernels, pairs;
};

struct Runner {
  std::unique_ptr<bench::Workload> workload;
  cudaEvent_t begin = nullptr, end = nullptr;
  bench::Bytes result;
  double aloneMs = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Names split(const std::string& list, char at) {
  Names words;
  for (std::size_t start = 0; start < list.size();) {
    const std::size_t end = std::min(list.find(at, start), list.size());
    words.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

Names allKernels() {
  Names names;
  for (auto* entry = bench::Registration::first(); entry; entry = entry->next)
    names.push_back(entry->name);
  std::sort(names.begin(), names.end());
  return names;
}

[[noreturn]] void stop(const std::string& reason) {
  std::fprintf(stderr, "suite: %s; see the head of benchmarks/suite/Suite.cu\n", reason.c_str());
  std::exit(2);
}

Request parse(int count, char** arguments) {
  Request request;
  request.kernels = allKernels();
  if (count < 2)
    stop("no mode given");
  request.mode = arguments[1];
  const Names modes = {"alone",   "streams",   "priorities", "green",
                       "padding", "processes", "background", "urgent"};
  if (std::find(modes.begin(), modes.end(), request.mode) == modes.end())
    stop("no mode '" + request.mode + "'");
  for (int i = 2; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::size_t equals = std::min(argument.find('='), argument.size() - 1);
    const std::string key = argument.substr(0, equals), value = argument.substr(equals + 1);
    if (key == "--size" && (value == "test" || value == "small" || value == "large"))
      request.size = value == "test"    ? bench::Size::Test
                     : value == "small" ? bench::Size::Small
                                        : bench::Size::Large;
    else if (key == "--samples" && std::atoi(value.c_str()) > 0)
      request.samples = std::atoi(value.c_str());
    else if (argument == "--no-check")
      request.checks = false;
    else if (key == "--seconds")
      request.seconds = std::atof(value.c_str());
    else if (key == "--kernels")
      request.kernels = split(value, ',');
    else if (key == "--pairs")
      request.pairs = split(value, ',');
    else
      stop("bad argument '" + argument + "'");
  }
  return request;
}

/// FNV-1a over words, the last filled up with zeros: equal results, equal hashes; compared between
/// programs and forms.
unsigned long long hash(const bench::Bytes& bytes) {
  unsigned long long value = 0xcbf29ce484222325ull;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof value) {
    unsigned long long word = 0;
    std::memcpy(&word, &bytes[at], std::min(sizeof word, bytes.size() - at));
    value = (value ^ word) * 0x100000001b3ull;
    value ^= value >> 32;
  }
  return value;
}

const bench::Registration* find(const std::string& name) {
  for (auto* entry = bench::Registration::first(); entry; entry = entry->next)
    if (name == entry->name)
      return entry;
  stop("no workload '" + name + "'");
}

/// The cpu device comes in as a preloaded library.
bool deviceKeepsTime() {
  const char* preloaded = std::getenv("LD_PRELOAD");
  return std::string(preloaded ? preloaded : "").find("gpusched_cudart") == std::string::npos;
}

float elapsed(cudaEvent_t begin, cudaEvent_t end) {
  float milliseconds = 0;
  bench::require(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  return milliseconds;
}

class Suite {
public:
  explicit Suite(Request request) : request_(std::move(request)), timed_(deviceKeepsTime()) {
    bench::require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
  }

  /// One warm-up, then the samples; prints the line.
  void alone(const std::string& name, bool print) {
    Runner& runner = prepare(name);
    std::vector<double> times;
    for (int sample = -1; sample < request_.samples; ++sample) {
      enqueue(runner, name, stream_);
      bench::require(cudaStreamSynchronize(stream_), name);
      if (sample >= 0)
        times.push_back(elapsed(runner.begin, runner.end));
    }
    runner.aloneMs = median(times);
    if (request_.checks)
      runner.result = runner.workload->result();
    if (!print)
      return;
    std::printf("{\"kernel\": \"%s\"", name.c_str());
    if (request_.checks) {
      const bool right = runner.workload->check(runner.result).passed();
      failures_ += !right;
      std::printf(", \"right\": %s, \"hash\": \"%016llx\"", right ? "true" : "false",
                  hash(runner.result));
    }
    std::printf(", \"timed\": %s", timed_ ? "true" : "false");
    if (timed_) {
      std::printf(", \"median_ms\": %.6f, \"ms\": [", runner.aloneMs);
      for (std::size_t i = 0; i < times.size(); ++i)
        std::printf("%s%.6f", i ? ", " : "", times[i]);
      std::printf("]");
    }
    std::printf("}\n");
    std::fflush(stdout);
  }

  void pair(const std::string& first, const std::string& second) {
    for (const std::string& name : {first, second})
      if (runners_.find(name) == runners_.end())
        alone(name, false);
    Runner &one = runners_.at(first), &two = runners_.at(second);
    double best = 0;
    std::string bestSetting;
    bool equal = true;
    for (const bench::StreamPair& setting : settings()) {
      const double time = together(one, first, two, second, setting);
      equal = equal && one.workload->result() == one.result && two.workload->result() == two.result;
      if (best == 0 || time < best) {
        best = time;
        bestSetting = setting.setting;
      }
    }
    failures_ += !equal;
    std::printf("{\"pair\": \"%s+%s\", \"mode\": \"%s\", \"equal\": %s, \"timed\": %s",
                first.c_str(), second.c_str(), request_.mode.c_str(), equal ? "true" : "false",
                timed_ ? "true" : "false");
    if (timed_)
      std::printf(", \"serial_ms\": %.6f, \"together_ms\": %.6f, \"setting\": \"%s\"",
                  one.aloneMs + two.aloneMs, best, bestSetting.c_str());
    std::printf("}\n");
    std::fflush(stdout);
  }

  /// False, and a line that says why, when the machine does not offer the mode.
  bool offered() {
    if (!settings().empty())
      return true;
    std::printf("{\"mode\": \"%s\", \"missing\": \"%s\"}\n", request_.mode.c_str(), why_.c_str());
    return false;
  }
  int failures() const { return failures_; }

private:
  Runner& prepare(const std::string& name) {
    Runner& runner = runners_[name];
    runner.workload = find(name)->make();
    runner.workload->setup(request_.size, /*seed=*/1);
    bench::require(cudaEventCreate(&runner.begin), "cudaEventCreate");
    bench::require(cudaEventCreate(&runner.end), "cudaEventCreate");
    bench::require(cudaDeviceSynchronize(), "setup");
    return runner;
  }

  void enqueue(Runner& runner, const std::string& name, cudaStream_t stream) {
    bench::require(cudaEventRecord(runner.begin, stream), "cudaEventRecord");
    runner.workload->launch(stream);
    bench::require(cudaGetLastError(), "launch of " + name);
    bench::require(cudaEventRecord(runner.end, stream), "cudaEventRecord");
  }

  double together(Runner& one, const std::string& first, Runner& two, const std::string& second,
                  const bench::StreamPair& setting) {
    std::vector<double> times;
    bench::padLaunches(bench::paddingOf(setting));
    for (int sample = -1; sample < request_.samples; ++sample) {
      enqueue(one, first, setting.first);
      enqueue(two, second, setting.second);
      bench::require(cudaStreamSynchronize(setting.first), first);
      bench::require(cudaStreamSynchronize(setting.second), second);
      // Both begin with the first launch: an event of the other stream may come later.
      if (sample >= 0)
        times.push_back(std::max(elapsed(one.begin, one.end), elapsed(one.begin, two.end)));
    }
    bench::padLaunches(0);
    return median(times);
  }

  const std::vector<bench::StreamPair>& settings() {
    if (!settings_)
      settings_ = bench::settingsOf(request_.mode, why_);
    return *settings_;
  }

  Request request_;
  bool timed_;
  cudaStream_t stream_ = nullptr;
  std::map<std::string, Runner> runners_;
  std::optional<std::vector<bench::StreamPair>> settings_;
  std::string why_;
  int failures_ = 0;
};

Names pairsOf(const Request& request) {
  if (!request.pairs.empty())
    return request.pairs;
  Names pairs;
  for (std::size_t i = 0; i < request.kernels.size(); ++i)
    for (std::size_t j = i + 1; j < request.kernels.size(); ++j)
      pairs.push_back(request.kernels[i] + "+" + request.kernels[j]);
  return pairs;
}

} // namespace

int main(int count, char** arguments) {
  const Request request = parse(count, arguments);
  const Names todo = request.mode == "alone" ? request.kernels : pairsOf(request);
  const Clock::time_point end =
      Clock::now() +
      std::chrono::milliseconds(static_cast<long long>(std::min(request.seconds, 1e6) * 1000));
  const std::map<std::string, bench::ProcessMode> apart = {
      {"processes", bench::ProcessMode::Together},
      {"background", bench::ProcessMode::Background},
      {"urgent", bench::ProcessMode::Urgent}};
  if (const auto mode = apart.find(request.mode); mode != apart.end()) // no CUDA until it forks
    return bench::pairsOfProcesses(todo, mode->second, request.size, request.samples, end);
  Suite suite(request);
  if (request.mode != "alone" && !suite.offered())
    return 0;
  std::size_t done = 0;
  for (; done < todo.size() && Clock::now() < end; ++done) {
    const Names names = split(todo[done], '+');
    if (request.mode == "alone")
      suite.alone(todo[done], true);
    else if (names.size() == 2)
      suite.pair(names[0], names[1]);
    else
      stop("'" + todo[done] + "' is no pair like A+B");
  }
  if (done < todo.size())
    std::printf("{\"mode\": \"%s\", \"skipped\": %zu}\n", request.mode.c_str(), todo.size() - done);
  return suite.failures() ? 1 : 0;
}
