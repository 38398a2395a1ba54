// Placement.cu - where a GPU puts the blocks of which a budget keeps some.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   placement [--beside=N] [--rounds=1024]
//
// A worker learns its SM when it runs and stays if less than `budget` others have come there
// (rt/launch/WorkerPlan.h). Who comes first is the hardware's choice, and so is beside which of the
// SM's four schedulers (%warpid modulo 4) its warps are. One line of JSON for each block size and
// budget, in two forms: "surplus", as many blocks as fit at once, as the runtime launches them, and
// "exact", budget x SMs. --beside: N blocks an SM, of 128 threads, of another kernel are there
// already.
//
//   workers_least, _mean, _most   of one SM, of those that stayed
//   busiest_scheduler             warps beside the busiest scheduler of an SM over the mean of its
//                                 four, mean over SMs: 1 is even, 2 is two schedulers idle
//   slowest_warp                  the same by time, should %warpid say something else: those that
//                                 stayed keep the unit for special functions busy, of which each
//                                 scheduler has one; time of an SM's slowest over that of a warp
//                                 alone, by a quarter of its warps
//
// Plain CUDA, without gpusched: it asks the hardware.
#include "benchmarks/kernels/Workload.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

constexpr unsigned kMaxSms = 1024, kMaxWarps = 32, kSchedulers = 4;
constexpr unsigned kPatience = 100000; // rounds of a microsecond: nobody waits for ever

struct Place {
  unsigned sm, warp; ///< %smid and 1; %warpid
  unsigned cycles;   ///< of busy()
};

struct Census {
  unsigned arrived;
  unsigned onSm[kMaxSms];
  float sink;
};

__device__ unsigned smOfThisThread() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

/// Eight chains, with which a warp by itself has its scheduler's unit busy. How long it took.
__device__ unsigned busy(unsigned rounds, float* sink) {
  float values[8] = {1.f + threadIdx.x, 2.f, 3.f, 4.f, 5.f, 6.f, 7.f, 8.f};
  const unsigned begin = clock();
#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round)
    for (float& value : values)
      asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(value));
  const unsigned cycles = unsigned(clock()) - begin;
  for (const float value : values)
    if (value == 0.5f)
      *sink = value;
  return cycles;
}

/// Every warp of a block that stays writes its place; all wait for all to come, then are busy.
__global__ void enter(Census* census, unsigned budget, unsigned rounds, Place* places) {
  __shared__ unsigned stays;
  const unsigned sm = smOfThisThread();
  if (threadIdx.x == 0) {
    stays = atomicAdd(&census->onSm[sm], 1u) < budget;
    if (!stays)
      atomicSub(&census->onSm[sm], 1u);
    atomicAdd(&census->arrived, 1u);
  }
  __syncthreads();
  if (!stays)
    return;
  unsigned warp;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
  volatile const unsigned* arrived = &census->arrived;
  for (unsigned i = 0; threadIdx.x == 0 && i < kPatience && *arrived < gridDim.x; ++i)
    __nanosleep(1000);
  __syncthreads();
  const unsigned cycles = busy(rounds, &census->sink);
  if (threadIdx.x % 32 == 0)
    places[blockIdx.x * kMaxWarps + threadIdx.x / 32] = {sm + 1, warp, cycles};
}

__global__ void hold(volatile const unsigned* stop, unsigned* there) {
  if (threadIdx.x == 0)
    atomicAdd(there, 1u);
  for (unsigned i = 0; i < 10 * kPatience && *stop == 0; ++i)
    __nanosleep(1000);
}

/// One SM's warps that stayed.
struct Sm {
  unsigned schedulers[kSchedulers] = {}, warps = 0, cycles = 0;
};

/// `alone`: cycles of a warp that has an SM to itself.
static void print(const std::vector<Place>& places, unsigned sms, unsigned threads, unsigned budget,
                  const char* form, unsigned beside, unsigned alone) {
  const unsigned warps = (threads + 31) / 32;
  std::vector<Sm> all(sms);
  for (const Place& place : places)
    if (place.sm > 0 && place.sm <= sms) {
      Sm& sm = all[place.sm - 1];
      ++sm.schedulers[place.warp % kSchedulers];
      ++sm.warps;
      sm.cycles = std::max(sm.cycles, place.cycles);
    }
  unsigned least = ~0u, most = 0, used = 0;
  double total = 0, busiest = 0, slowest = 0;
  for (const Sm& sm : all) {
    least = std::min(least, sm.warps / warps);
    most = std::max(most, sm.warps / warps);
    total += sm.warps / warps;
    if (sm.warps == 0)
      continue;
    ++used;
    const double mean = double(sm.warps) / kSchedulers;
    busiest += *std::max_element(sm.schedulers, sm.schedulers + kSchedulers) / mean;
    slowest += alone ? double(sm.cycles) / alone / mean : 0;
  }
  std::printf("{\"threads\": %u, \"budget\": %u, \"form\": \"%s\", \"beside\": %u, "
              "\"workers_least\": %u, \"workers_mean\": %.3f, \"workers_most\": %u, "
              "\"slowest_warp\": %.3f, \"busiest_scheduler\": %.3f}\n",
              threads, budget, form, beside, least, total / sms, most, used ? slowest / used : 0,
              used ? busiest / used : 0);
}

/// A kernel that holds its place until this object goes.
class Holder {
public:
  explicit Holder(unsigned blocks) : blocks_(blocks) {
    bench::require(cudaMallocHost(reinterpret_cast<void**>(&stop_), sizeof *stop_), "pinned");
    *stop_ = 0;
    if (blocks_ == 0)
      return;
    there_.allocate(1);
    there_.clear(nullptr);
    bench::require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    hold<<<blocks_, 128, 0, stream_>>>(stop_, there_.get());
    bench::require(cudaGetLastError(), "holding kernel");
  }
  ~Holder() {
    *static_cast<volatile unsigned*>(stop_) = 1;
    if (stream_)
      bench::require(cudaStreamSynchronize(stream_), "holding kernel");
  }

private:
  unsigned blocks_;
  unsigned* stop_ = nullptr;
  cudaStream_t stream_ = nullptr;
  bench::DeviceArray<unsigned> there_;
};

/// The fewest cycles of a warp.
static unsigned fewest(const std::vector<Place>& places) {
  unsigned cycles = ~0u;
  for (const Place& place : places)
    if (place.sm > 0)
      cycles = std::min(cycles, place.cycles);
  return cycles;
}

static std::vector<Place> measure(unsigned sms, unsigned threads, unsigned budget, bool exact,
                                  unsigned beside, unsigned rounds) {
  int fits = 0;
  bench::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fits, enter, int(threads), 0),
                 "occupancy");
  if (budget > unsigned(fits))
    return {};
  const unsigned blocks = sms * (exact ? budget : unsigned(fits));
  bench::DeviceArray<Census> census;
  bench::DeviceArray<Place> places;
  census.allocate(1);
  places.allocate(std::size_t(blocks) * kMaxWarps);
  cudaStream_t stream;
  bench::require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  census.clear(stream);
  places.clear(stream);
  bench::require(cudaStreamSynchronize(stream), "clear");
  {
    const Holder holder(beside * sms);
    enter<<<blocks, threads, 0, stream>>>(census.get(), budget, rounds, places.get());
    bench::require(cudaStreamSynchronize(stream), "placement kernel");
  }
  bench::require(cudaStreamDestroy(stream), "stream");
  return bench::view<Place>(places.take());
}

static unsigned number(int count, char** arguments, const std::string& option, unsigned otherwise) {
  unsigned value = otherwise;
  for (int i = 1; i < count; ++i)
    if (std::string(arguments[i]).rfind(option, 0) == 0)
      value = unsigned(std::atoi(arguments[i] + option.size()));
  return value;
}

int main(int count, char** arguments) {
  const unsigned beside = number(count, arguments, "--beside=", 0);
  const unsigned rounds = number(count, arguments, "--rounds=", 1024);
  int device = 0, multiprocessors = 0;
  bench::require(cudaGetDevice(&device), "device");
  bench::require(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
                 "SMs");
  const unsigned sms = unsigned(multiprocessors);
  measure(sms, 32, 1, true, 0, rounds); // warms up
  const unsigned alone = fewest(measure(sms, 32, 1, true, 0, rounds));
  for (unsigned threads : {32u, 64u, 96u, 128u, 192u, 256u})
    for (unsigned budget : {1u, 2u, 4u, 8u, 16u})
      for (bool exact : {false, true}) {
        measure(sms, threads, budget, exact, beside, rounds); // warms up
        const std::vector<Place> places = measure(sms, threads, budget, exact, beside, rounds);
        if (!places.empty())
          print(places, sms, threads, budget, exact ? "exact" : "surplus", beside, alone);
      }
  return 0;
}
