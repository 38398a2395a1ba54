// Connections.cu - which streams a stream that waits holds back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   connections [--streams=40]
//
// Streams reach the GPU by CUDA_DEVICE_MAX_CONNECTIONS queues, 8 unless it says otherwise. Where
// two share one, what is given to the second behind a wait of the first waits, too. That decides
// whether streams of the runtime's own may wait for kernels to end (rt/launch/Settings.cpp).
//
// A kernel holds stream 0. Each other stream in turn waits for it, then all others are given a
// kernel of a few instructions. Those that have not come after a while are held back. One line of
// JSON:
//
//   held_mean, held_most   streams held back, over the streams that waited
//   own_held               of stream 0's connection, streams that were so without any wait
//   distances              how far behind the waiting one those were that it held back, ascending
//
// Plain CUDA, without gpusched: it asks the driver.
#include "benchmarks/kernels/Workload.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

__global__ void hold(const volatile unsigned* stop) {
  while (*stop == 0)
    __nanosleep(1000);
}

__global__ void come(unsigned* flag) {
  *flag = 1;
}

class Streams {
public:
  explicit Streams(unsigned count) : streams_(count) {
    for (cudaStream_t& stream : streams_)
      bench::require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    bench::require(cudaEventCreateWithFlags(&held_, cudaEventDisableTiming), "event");
    bench::require(
        cudaMallocHost(reinterpret_cast<void**>(&words_), (count + 1) * sizeof(unsigned)),
        "pinned");
    for (unsigned stream = 0; stream < count; ++stream) // loads the kernel
      give(stream);
    bench::require(cudaDeviceSynchronize(), "first kernels");
  }

  /// The streams that did not get on while stream 0 was held and `waiting`, unless 0, waited for
  /// it.
  std::vector<unsigned> heldBack(unsigned waiting) {
    const unsigned count = unsigned(streams_.size());
    std::memset(words_, 0, (count + 1) * sizeof(unsigned));
    hold<<<1, 1, 0, streams_[0]>>>(words_ + count);
    bench::require(cudaEventRecord(held_, streams_[0]), "record");
    if (waiting > 0)
      bench::require(cudaStreamWaitEvent(streams_[waiting], held_, 0), "wait");
    std::vector<unsigned> given;
    for (unsigned stream = 1; stream < count; ++stream)
      if (stream != waiting)
        give(stream), given.push_back(stream);
    const auto isHeld = [&](unsigned stream) {
      return static_cast<volatile unsigned*>(words_)[stream] == 0;
    };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(10);
    while (std::any_of(given.begin(), given.end(), isHeld) &&
           std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    given.erase(std::remove_if(given.begin(), given.end(),
                               [&](unsigned stream) { return !isHeld(stream); }),
                given.end());
    *static_cast<volatile unsigned*>(words_ + count) = 1;
    bench::require(cudaDeviceSynchronize(), "kernels");
    return given;
  }

private:
  void give(unsigned stream) {
    come<<<1, 1, 0, streams_[stream]>>>(words_ + stream);
    bench::require(cudaGetLastError(), "kernel");
  }

  std::vector<cudaStream_t> streams_;
  cudaEvent_t held_ = nullptr;
  unsigned* words_ = nullptr; ///< a flag for each stream, and what ends the holding kernel
};

int main(int count, char** arguments) {
  unsigned streams = 40;
  for (int i = 1; i < count; ++i)
    if (std::strncmp(arguments[i], "--streams=", 10) == 0)
      streams = unsigned(std::atoi(arguments[i] + 10));
  if (streams < 3 || streams > 1000) {
    std::fprintf(stderr, "connections: --streams: expected 3 to 1000\n");
    return 2;
  }
  Streams all(streams);
  const std::vector<unsigned> own = all.heldBack(0);
  unsigned sum = 0, most = 0;
  std::set<int> distances;
  for (unsigned waiting = 1; waiting < streams; ++waiting) {
    unsigned held = 0;
    for (unsigned stream : all.heldBack(waiting)) {
      if (std::find(own.begin(), own.end(), stream) != own.end())
        continue;
      ++held;
      distances.insert(int(stream) - int(waiting));
    }
    sum += held;
    most = std::max(most, held);
  }
  const char* const given = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
  std::printf("{\"connections\": \"%s\", \"streams\": %u, \"held_mean\": %.3f, \"held_most\": %u, "
              "\"own_held\": %zu, \"distances\": [",
              given && *given ? given : "default", streams, double(sum) / (streams - 1), most,
              own.size());
  const char* separator = "";
  for (int distance : distances)
    std::printf("%s%d", separator, distance), separator = ", ";
  std::printf("]}\n");
}
