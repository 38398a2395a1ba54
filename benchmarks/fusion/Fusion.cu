// Fusion.cu - two launches as one, beside the two apart: in one stream and in two.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   fusion [--samples=20] [--size=large|test]
//
// For each pair of kernels a line of JSON: the median time of both, launched side by side in one
// stream (the program calls them independent) and in two. The form is chosen from outside: as
// launched (GPUSCHED=0) or as one (GPUSCHED=1 GPUSCHED_FUSE=always). `right`: both results are what
// the CPU computes of them.
//
//   compute   a chain of multiplications a thread, nothing else
//   memory    one read and one write a thread
//   few       the same as compute, in fewer blocks than an H200 has SMs
//
// compute+memory wait for different things, so they should gain; compute+compute cannot, but for
// the end of the first; few+few leave SMs idle when one comes after the other.
#include "rt/include/gpusched/Independent.h"

#include "benchmarks/kernels/Workload.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

constexpr unsigned kThreads = 256;
constexpr int kRepeats = 10; // pairs of launches in one sample

__global__ void __launch_bounds__(kThreads) compute(unsigned* out, unsigned rounds) {
  const unsigned index = blockIdx.x * kThreads + threadIdx.x;
  unsigned value = index;
  for (unsigned i = 0; i < rounds; ++i)
    value = value * 1664525u + 1013904223u;
  out[index] = value;
}

__global__ void __launch_bounds__(kThreads) memory(const uint4* in, uint4* out) {
  const size_t index = size_t(blockIdx.x) * kThreads + threadIdx.x;
  uint4 value = in[index];
  value.x += 1;
  out[index] = value;
}

namespace {

struct Work {
  unsigned *computed[2] = {}, rounds = 0, fewRounds = 0;
  unsigned computeBlocks = 0, fewBlocks = 0, memoryBlocks = 0;
  uint4 *in = nullptr, *out[2] = {};
};

using Pair = void (*)(const Work&, cudaStream_t, cudaStream_t);

void computeMemory(const Work& work, cudaStream_t s, cudaStream_t t) {
  gpusched::Independent independent;
  compute<<<work.computeBlocks, kThreads, 0, s>>>(work.computed[0], work.rounds);
  memory<<<work.memoryBlocks, kThreads, 0, t>>>(work.in, work.out[0]);
}
void computeCompute(const Work& work, cudaStream_t s, cudaStream_t t) {
  gpusched::Independent independent;
  compute<<<work.computeBlocks, kThreads, 0, s>>>(work.computed[0], work.rounds);
  compute<<<work.computeBlocks, kThreads, 0, t>>>(work.computed[1], work.rounds);
}
void memoryMemory(const Work& work, cudaStream_t s, cudaStream_t t) {
  gpusched::Independent independent;
  memory<<<work.memoryBlocks, kThreads, 0, s>>>(work.in, work.out[0]);
  memory<<<work.memoryBlocks, kThreads, 0, t>>>(work.in, work.out[1]);
}
void fewFew(const Work& work, cudaStream_t s, cudaStream_t t) {
  gpusched::Independent independent;
  compute<<<work.fewBlocks, kThreads, 0, s>>>(work.computed[0], work.fewRounds);
  compute<<<work.fewBlocks, kThreads, 0, t>>>(work.computed[1], work.fewRounds);
}
void fewMemory(const Work& work, cudaStream_t s, cudaStream_t t) {
  gpusched::Independent independent;
  compute<<<work.fewBlocks, kThreads, 0, s>>>(work.computed[0], work.fewRounds);
  memory<<<work.memoryBlocks, kThreads, 0, t>>>(work.in, work.out[0]);
}

template <class T> T* buffer(size_t count) {
  void* data = nullptr;
  bench::require(cudaMalloc(&data, count * sizeof(T)), "cudaMalloc");
  bench::require(cudaMemset(data, 0, count * sizeof(T)), "cudaMemset");
  return static_cast<T*>(data);
}

Work makeWork(bool large) {
  Work work;
  // On an H200 compute and memory take about 0.15 ms each then, by their counts, and few 0.05.
  work.rounds = large ? 1000 : 10;
  work.fewRounds = large ? 20000 : 10;
  work.computeBlocks = large ? 8448 : 24; // 64 for each of an H200's SMs
  work.memoryBlocks = large ? 65536 : 40;
  work.fewBlocks = large ? 60 : 6;
  for (int i = 0; i < 2; ++i) {
    work.computed[i] = buffer<unsigned>(size_t(work.computeBlocks) * kThreads);
    work.out[i] = buffer<uint4>(size_t(work.memoryBlocks) * kThreads);
  }
  work.in = buffer<uint4>(size_t(work.memoryBlocks) * kThreads);
  return work;
}

/// In microseconds, of one pair of launches.
float timeOf(Pair pair, const Work& work, cudaStream_t s, cudaStream_t t) {
  cudaEvent_t begin, end, other;
  for (cudaEvent_t* event : {&begin, &end, &other})
    bench::require(cudaEventCreate(event), "event");
  bench::require(cudaDeviceSynchronize(), "warm-up");
  bench::require(cudaEventRecord(begin, s), "record");
  bench::require(cudaStreamWaitEvent(t, begin, 0), "wait");
  for (int i = 0; i < kRepeats; ++i)
    pair(work, s, t);
  bench::require(cudaEventRecord(other, t), "record");
  bench::require(cudaStreamWaitEvent(s, other, 0), "wait");
  bench::require(cudaEventRecord(end, s), "record");
  bench::require(cudaEventSynchronize(end), "run");
  float milliseconds = 0;
  bench::require(cudaEventElapsedTime(&milliseconds, begin, end), "time");
  for (cudaEvent_t event : {begin, end, other})
    bench::require(cudaEventDestroy(event), "event");
  return milliseconds * 1000 / kRepeats;
}

float median(Pair pair, const Work& work, cudaStream_t s, cudaStream_t t, int samples) {
  std::vector<float> times;
  for (int i = -1; i < samples; ++i)
    if (const float time = timeOf(pair, work, s, t); i >= 0)
      times.push_back(time);
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void clear(const Work& work) {
  for (int i = 0; i < 2; ++i) {
    bench::require(cudaMemset(work.computed[i], 0, size_t(work.computeBlocks) * kThreads * 4),
                   "clear");
    bench::require(cudaMemset(work.out[i], 0, size_t(work.memoryBlocks) * kThreads * 16), "clear");
  }
  bench::require(cudaDeviceSynchronize(), "clear");
}

/// Blocks of `out` that hold compute's result, from the first on.
bool computed(const Work& work, int which, unsigned blocks, unsigned rounds) {
  std::vector<unsigned> got(size_t(work.computeBlocks) * kThreads);
  bench::require(cudaMemcpy(got.data(), work.computed[which], got.size() * sizeof(unsigned),
                            cudaMemcpyDeviceToHost),
                 "result");
  for (unsigned index = 0; index < got.size(); index += 37) { // sampled
    unsigned value = index;
    for (unsigned i = 0; i < rounds; ++i)
      value = value * 1664525u + 1013904223u;
    if (got[index] != (index < blocks * kThreads ? value : 0))
      return false;
  }
  return true;
}

bool copied(const Work& work, int which, bool isUsed) {
  std::vector<uint4> got(size_t(work.memoryBlocks) * kThreads);
  bench::require(
      cudaMemcpy(got.data(), work.out[which], got.size() * sizeof(uint4), cudaMemcpyDeviceToHost),
      "result");
  return std::all_of(got.begin(), got.end(), [&](const uint4& value) {
    return value.x == (isUsed ? 1u : 0u) && value.y == 0 && value.z == 0 && value.w == 0;
  });
}

struct Case {
  const char* name;
  Pair pair;
  unsigned computedBlocks[2]; ///< of each buffer
  bool copies[2];
};

} // namespace

int main(int count, char** arguments) {
  int samples = 20;
  bool large = true;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument.rfind("--samples=", 0) == 0 && std::atoi(argument.c_str() + 10) > 0)
      samples = std::atoi(argument.c_str() + 10);
    else if (argument == "--size=test" || argument == "--size=large")
      large = argument == "--size=large";
    else
      return std::fprintf(stderr, "usage: fusion [--samples=20] [--size=large|test]\n"), 2;
  }
  const Work work = makeWork(large);
  const unsigned many = work.computeBlocks, few = work.fewBlocks;
  const Case cases[] = {{"compute+memory", computeMemory, {many, 0}, {true, false}},
                        {"compute+compute", computeCompute, {many, many}, {false, false}},
                        {"memory+memory", memoryMemory, {0, 0}, {true, true}},
                        {"few+few", fewFew, {few, few}, {false, false}},
                        {"few+memory", fewMemory, {few, 0}, {true, false}}};
  cudaStream_t s, t;
  bench::require(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
  bench::require(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking), "stream");
  bool allRight = true;
  for (const Case& one : cases)
    for (int streams = 1; streams <= 2; ++streams) {
      clear(work);
      const float time = median(one.pair, work, s, streams == 1 ? s : t, samples);
      const unsigned rounds = one.computedBlocks[0] == few ? work.fewRounds : work.rounds;
      bool right = true;
      for (int i = 0; i < 2; ++i)
        right = right && computed(work, i, one.computedBlocks[i], rounds) &&
                copied(work, i, one.copies[i]);
      allRight = allRight && right;
      std::printf("{\"pair\": \"%s\", \"streams\": %d, \"pair_us\": %.3f, \"right\": %s}\n",
                  one.name, streams, time, right ? "true" : "false");
    }
  return allRight ? 0 : 1;
}
