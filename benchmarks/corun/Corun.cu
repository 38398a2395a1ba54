// Corun.cu - runs several workloads alone and then together, and compares.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   corun NAME... [--order=given|reverse] [--serial] [--threads] [--samples=N] [Options.h]
//
//   set up all -> each alone on its stream, checked -> all at once on their own non-blocking
//   streams -> every result must equal, byte for byte, the one it had alone
//
// A workload may be named more than once. --serial puts the second phase on one stream, --threads
// launches each workload from a host thread of its own. On a GPU every phase is timed with events
// and the ratios of this run are printed, medians over --samples=N; the cpu device gives results
// only, so there no times are shown. Writes the results of the second phase, in the order given, to
// --output.
#include "benchmarks/kernels/Options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

struct Runner {
  const bench::Registration* entry = nullptr;
  std::unique_ptr<bench::Workload> workload;
  cudaStream_t stream = nullptr;
  cudaEvent_t begin = nullptr, end = nullptr;
  bench::Bytes alone, together;
  std::vector<float> aloneMs, togetherMs;
};

const bench::Registration* find(const std::string& name) {
  for (const bench::Registration* entry = bench::Registration::first(); entry; entry = entry->next)
    if (name == entry->name)
      return entry;
  std::fprintf(stderr, "corun: no workload '%s'; see corun --help for the list\n", name.c_str());
  std::exit(1);
}

float median(std::vector<float> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// The cpu device comes in as a preloaded library; under any other device times mean something.
bool deviceKeepsTime() {
  const char* preloaded = std::getenv("LD_PRELOAD");
  return std::string(preloaded ? preloaded : "").find("gpusched_cudart") == std::string::npos;
}

std::vector<Runner> prepare(const bench::Options& options) {
  std::vector<Runner> runners(options.names.size());
  for (std::size_t index = 0; index < runners.size(); ++index) {
    Runner& runner = runners[index];
    runner.entry = find(options.names[index]);
    runner.workload = runner.entry->make();
    runner.workload->setup(options.size, options.seed);
    bench::require(cudaStreamCreateWithFlags(&runner.stream, cudaStreamNonBlocking), "stream");
    bench::require(cudaEventCreate(&runner.begin), "cudaEventCreate");
    bench::require(cudaEventCreate(&runner.end), "cudaEventCreate");
  }
  bench::require(cudaDeviceSynchronize(), "setup");
  return runners;
}

void enqueue(Runner& runner, cudaStream_t stream, int repeat) {
  bench::require(cudaEventRecord(runner.begin, stream), "cudaEventRecord");
  for (int round = 0; round < repeat; ++round)
    runner.workload->launch(stream);
  bench::require(cudaGetLastError(), std::string("launch of ") + runner.entry->name);
  bench::require(cudaEventRecord(runner.end, stream), "cudaEventRecord");
}

void finish(Runner& runner, cudaStream_t stream, std::vector<float>& times) {
  float milliseconds = 0;
  bench::require(cudaStreamSynchronize(stream), std::string("run of ") + runner.entry->name);
  bench::require(cudaEventElapsedTime(&milliseconds, runner.begin, runner.end),
                 "cudaEventElapsedTime");
  times.push_back(milliseconds);
}

void runAlone(std::vector<Runner>& runners, const bench::Options& options) {
  for (Runner& runner : runners) {
    for (int sample = 0; sample < options.samples; ++sample) {
      enqueue(runner, runner.stream, options.repeat);
      finish(runner, runner.stream, runner.aloneMs);
    }
    runner.alone = runner.workload->result();
  }
}

/// Returns the time from the first launch to the last end, in milliseconds.
float runTogether(std::vector<Runner>& runners, const bench::Options& options) {
  std::vector<Runner*> order;
  for (Runner& runner : runners)
    order.push_back(&runner);
  if (options.reversed)
    std::reverse(order.begin(), order.end());
  std::vector<std::thread> threads;
  for (Runner* runner : order) {
    const cudaStream_t stream = options.serial ? order[0]->stream : runner->stream;
    if (options.threads)
      threads.emplace_back(enqueue, std::ref(*runner), stream, options.repeat);
    else
      enqueue(*runner, stream, options.repeat);
  }
  for (std::thread& thread : threads)
    thread.join();
  for (Runner* runner : order)
    finish(*runner, options.serial ? order[0]->stream : runner->stream, runner->togetherMs);

  float total = 0;
  for (Runner& first : runners)
    for (Runner& last : runners) {
      float span = 0;
      bench::require(cudaEventElapsedTime(&span, first.begin, last.end), "cudaEventElapsedTime");
      total = std::max(total, span);
    }
  return total;
}

/// Prints one line; false when a result is wrong.
bool report(const Runner& runner, const bench::Options& options, bool timed) {
  bool right = runner.alone == runner.together;
  std::string text = right ? "together equals alone" : "together DIFFERS from alone";
  if (options.check) {
    const bench::Comparison comparison = runner.workload->check(runner.together);
    right = right && comparison.passed();
    text += ", " + comparison.text();
  }
  std::printf("%s: %s (%s)", runner.entry->name, right ? "ok" : "WRONG", text.c_str());
  if (timed)
    std::printf("  alone %.3f ms, together %.3f ms, slowdown %.3f", median(runner.aloneMs),
                median(runner.togetherMs), median(runner.togetherMs) / median(runner.aloneMs));
  std::printf("\n");
  return right;
}

void writeResults(const std::vector<Runner>& runners, const std::string& path) {
  bench::Bytes all;
  for (const Runner& runner : runners)
    all.insert(all.end(), runner.together.begin(), runner.together.end());
  bench::writeFile(path, all);
}

} // namespace

int main(int count, char** arguments) {
  const bench::Options options = bench::parseOptions(count, arguments, true);
  std::vector<Runner> runners = prepare(options);
  runAlone(runners, options);
  std::vector<float> spans;
  for (int sample = 0; sample < options.samples; ++sample)
    spans.push_back(runTogether(runners, options));
  for (Runner& runner : runners)
    runner.together = runner.workload->result();

  const bool timed = deviceKeepsTime();
  bool right = true;
  float serial = 0;
  for (const Runner& runner : runners) {
    right = report(runner, options, timed) && right;
    serial += median(runner.aloneMs);
  }
  if (timed)
    std::printf("corun: one after the other %.3f ms, together %.3f ms, speedup %.3f\n", serial,
                median(spans), serial / median(spans));
  if (!options.output.empty())
    writeResults(runners, options.output);
  std::printf("corun: %s\n", right ? "ok" : "WRONG");
  return right ? 0 : 1;
}
