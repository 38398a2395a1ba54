// Main.cu - the program around one workload.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links with exactly one workload: sets it up, launches it --repeat times on a stream of its
// own, checks the result of the last launch and writes it out. Prints "NAME: ok" or the first
// wrong element and exits 1.
#include "benchmarks/kernels/Options.h"

#include <cstdio>

int main(int count, char** arguments) {
  const bench::Options options = bench::parseOptions(count, arguments, false);
  const bench::Registration* entry = bench::Registration::first();
  std::unique_ptr<bench::Workload> workload = entry->make();
  workload->setup(options.size, options.seed);

  cudaStream_t stream = nullptr;
  bench::require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  bench::require(cudaDeviceSynchronize(), "setup"); // uploads went to the default stream
  for (int round = 0; round < options.repeat; ++round)
    workload->launch(stream);
  bench::require(cudaGetLastError(), std::string("launch of ") + entry->name);
  bench::require(cudaStreamSynchronize(stream), std::string("run of ") + entry->name);
  const bench::Bytes result = workload->result();
  bench::require(cudaStreamDestroy(stream), "cudaStreamDestroy");

  if (!options.output.empty())
    bench::writeFile(options.output, result);
  if (!options.check) {
    std::printf("%s: ran, not checked\n", entry->name);
    return 0;
  }
  const bench::Comparison comparison = workload->check(result);
  std::printf("%s: %s (%s)\n", entry->name, comparison.passed() ? "ok" : "WRONG",
              comparison.text().c_str());
  return comparison.passed() ? 0 : 1;
}
