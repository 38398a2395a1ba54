// Latency.cu - what a launch costs its caller, and how long a pause takes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   latency launch [--launches=N] [--blocks=N]
//                                   host time of one launch of an empty kernel, median and P99; the
//                                   form is chosen from outside (GPUSCHED, GPUSCHED_VARIANT). More
//                                   blocks than fit at once take another way than a few
//   latency beside [--launches=N] [--fill=N] [--rounds=N]
//                                   the same while another thread keeps its stream's queue full;
//                                   also the longest, and the time until the kernel is over. The
//                                   other has made --fill launches by then, of so many dependent
//                                   multiplications; the defaults are for a GPU
//   latency pause [--pauses=N]      time from gpusched_rt_pause_all until no block of a running
//                                   persistent kernel is left, and from resume to the end
//
// One line of JSON. The difference between forms of `launch` is the launch path's cost; with a
// policy it contains the decision. A block of the pause kernel takes about 20 microseconds on a
// GPU. Blocks count themselves in and out in device memory, and the first in and the last out say
// so in pinned memory, so the host sees the device fall idle: were it each of them, the bus would
// be what is measured.
#include "benchmarks/kernels/Workload.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

__global__ void nothing() {}

__global__ void some(float* values, unsigned rounds) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = values[i];
  for (unsigned round = 0; round < rounds; ++round)
    value = value * 0.5f + 1.0f;
  values[i] = value;
}

__global__ void busy(unsigned* running, unsigned* done, volatile unsigned* some, unsigned cycles) {
  if (threadIdx.x == 0 && atomicAdd(running, 1u) == 0)
    *some = 1;
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(done, 1u);
    if (atomicSub(running, 1u) == 1)
      *some = 0;
  }
}

static double microseconds(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double, std::micro>(end - begin).count();
}

static int launches(int count, int blocks) {
  cudaStream_t stream;
  bench::require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  std::vector<double> times;
  for (int i = -100; i < count; ++i) {
    const Clock::time_point begin = Clock::now();
    nothing<<<blocks, 32, 0, stream>>>();
    const Clock::time_point end = Clock::now();
    if (i >= 0)
      times.push_back(microseconds(begin, end));
    if (i % 100 == 0) // the queue never fills up
      bench::require(cudaStreamSynchronize(stream), "empty kernel");
  }
  bench::require(cudaStreamSynchronize(stream), "empty kernel");
  std::sort(times.begin(), times.end());
  std::printf("{\"launch_us\": %.3f, \"p99_us\": %.3f, \"launches\": %d, \"blocks\": %d}\n",
              times[times.size() / 2], times[times.size() * 99 / 100], count, blocks);
  return 0;
}

/// Launches without end, so that CUDA lets it wait for room.
class FullQueue {
public:
  FullQueue(cudaStream_t stream, unsigned fill, unsigned rounds) {
    values_.allocate(kBlocks * kThreads);
    values_.clear(stream);
    thread_ = std::thread([this, stream, rounds] {
      for (; !over_; ++launched_)
        some<<<kBlocks, kThreads, 0, stream>>>(values_.get(), rounds);
    });
    while (launched_ < fill)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ~FullQueue() {
    over_ = true;
    thread_.join();
  }

private:
  static constexpr unsigned kBlocks = 64, kThreads = 128;
  bench::DeviceArray<float> values_;
  std::atomic<bool> over_{false};
  std::atomic<unsigned> launched_{0};
  std::thread thread_;
};

static int besideFullQueue(int count, unsigned fill, unsigned rounds) {
  cudaStream_t streams[2];
  for (cudaStream_t& stream : streams)
    bench::require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  std::vector<double> calls, ends;
  {
    const FullQueue full(streams[0], fill, rounds);
    for (int i = -5; i < count; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const Clock::time_point begin = Clock::now();
      nothing<<<8, 128, 0, streams[1]>>>();
      const Clock::time_point called = Clock::now();
      bench::require(cudaStreamSynchronize(streams[1]), "empty kernel");
      if (i < 0)
        continue;
      calls.push_back(microseconds(begin, called));
      ends.push_back(microseconds(begin, Clock::now()));
    }
  }
  bench::require(cudaDeviceSynchronize(), "full queue");
  std::sort(calls.begin(), calls.end());
  std::sort(ends.begin(), ends.end());
  std::printf("{\"launch_us\": %.3f, \"p99_us\": %.3f, \"worst_us\": %.3f, \"end_us\": %.3f, "
              "\"launches\": %d}\n",
              calls[calls.size() / 2], calls[calls.size() * 99 / 100], calls.back(),
              ends[ends.size() / 2], count);
  return 0;
}

static int pauses(int count) {
  using Pause = std::size_t (*)();
  using Resume = void (*)();
  const char* path = std::getenv("GPUSCHED_RT");
  void* runtime = dlopen(path ? path : "libgpusched_rt.so", RTLD_NOW);
  Pause pause =
      runtime ? reinterpret_cast<Pause>(dlsym(runtime, "gpusched_rt_pause_all")) : nullptr;
  Resume resume =
      runtime ? reinterpret_cast<Resume>(dlsym(runtime, "gpusched_rt_resume_all")) : nullptr;
  if (!pause || !resume) {
    std::fprintf(stderr, "latency: no runtime; set GPUSCHED_RT\n");
    return 2;
  }
  bench::DeviceArray<unsigned> counters; // running, done
  counters.allocate(2);
  unsigned* some = nullptr;
  bench::require(cudaMallocHost(reinterpret_cast<void**>(&some), sizeof *some), "pinned");
  cudaStream_t stream;
  bench::require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  const unsigned blocks = 20000;
  std::vector<double> times;
  volatile unsigned* const seen = some;
  for (int i = 0; i < count; ++i) {
    *seen = 0;
    counters.clear(stream);
    busy<<<blocks, 64, 0, stream>>>(counters.get(), counters.get() + 1, seen, 36000);
    while (*seen == 0 && cudaStreamQuery(stream) == cudaErrorNotReady) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20)); // into the second round of blocks
    const Clock::time_point begin = Clock::now();
    const std::size_t paused = pause();
    while (*seen != 0) {
    }
    const double time = microseconds(begin, Clock::now());
    const bool early = cudaStreamQuery(stream) == cudaErrorNotReady;
    resume();
    bench::require(cudaStreamSynchronize(stream), "busy kernel");
    const std::vector<unsigned> ran = bench::view<unsigned>(counters.take());
    if (ran[1] != blocks) {
      std::fprintf(stderr, "latency: %u of %u blocks ran\n", ran[1], blocks);
      return 1;
    }
    if (paused && early)
      times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  if (times.empty())
    std::printf("{\"pauses\": 0}\n");
  else
    std::printf("{\"pause_us\": %.1f, \"worst_us\": %.1f, \"pauses\": %zu}\n",
                times[times.size() / 2], times.back(), times.size());
  return 0;
}

/// The number behind `--name=` among the options; 0 without one.
static int numberOf(const std::string& name, int count, char** arguments) {
  const std::string begin = "--" + name + "=";
  for (int i = 2; i < count; ++i)
    if (std::string(arguments[i]).rfind(begin, 0) == 0)
      return std::atoi(arguments[i] + begin.size());
  return 0;
}

int main(int count, char** arguments) {
  const std::string mode = count > 1 ? arguments[1] : "";
  const auto number = [&](const char* name, int otherwise) {
    const int given = numberOf(name, count, arguments);
    return given > 0 ? given : otherwise;
  };
  if (mode == "launch")
    return launches(number("launches", 20000), number("blocks", 1));
  if (mode == "beside")
    return besideFullQueue(number("launches", 200), unsigned(number("fill", 2048)),
                           unsigned(number("rounds", 4000)));
  if (mode == "pause")
    return pauses(number("pauses", 20));
  std::fprintf(stderr, "latency: say launch, beside or pause; see the head of Latency.cu\n");
  return 2;
}
