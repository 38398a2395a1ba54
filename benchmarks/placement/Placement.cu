// Placement.cu - where a GPU puts the blocks of which a budget keeps some.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   placement [--beside=N]
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

struct Census {
  unsigned arrived;
  unsigned onSm[kMaxSms];
};

__device__ unsigned smOfThisThread() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

/// Every warp of a block that stays writes its SM, from 1, and %warpid; all wait for all to come.
__global__ void enter(Census* census, unsigned budget, uint2* places) {
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
  if (threadIdx.x % 32 == 0) {
    unsigned warp;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    places[blockIdx.x * kMaxWarps + threadIdx.x / 32] = make_uint2(sm + 1, warp);
  }
  volatile const unsigned* arrived = &census->arrived;
  for (unsigned i = 0; threadIdx.x == 0 && i < kPatience && *arrived < gridDim.x; ++i)
    __nanosleep(1000);
  __syncthreads();
}

__global__ void hold(volatile const unsigned* stop, unsigned* there) {
  if (threadIdx.x == 0)
    atomicAdd(there, 1u);
  for (unsigned i = 0; i < 10 * kPatience && *stop == 0; ++i)
    __nanosleep(1000);
}

static void print(const std::vector<uint2>& places, unsigned sms, unsigned threads, unsigned budget,
                  const char* form, unsigned beside) {
  const unsigned warps = (threads + 31) / 32;
  std::vector<std::vector<unsigned>> schedulers(sms, std::vector<unsigned>(kSchedulers, 0));
  for (const uint2& place : places)
    if (place.x > 0 && place.x <= sms)
      ++schedulers[place.x - 1][place.y % kSchedulers];
  unsigned least = ~0u, most = 0, used = 0;
  double total = 0, busiest = 0;
  for (const std::vector<unsigned>& sm : schedulers) {
    unsigned here = 0;
    for (unsigned count : sm)
      here += count;
    least = std::min(least, here / warps);
    most = std::max(most, here / warps);
    total += here / warps;
    if (here == 0)
      continue;
    ++used;
    busiest += double(*std::max_element(sm.begin(), sm.end())) * kSchedulers / here;
  }
  std::printf("{\"threads\": %u, \"budget\": %u, \"form\": \"%s\", \"beside\": %u, "
              "\"workers_least\": %u, \"workers_mean\": %.3f, \"workers_most\": %u, "
              "\"busiest_scheduler\": %.3f}\n",
              threads, budget, form, beside, least, total / sms, most, used ? busiest / used : 0);
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

static void measure(unsigned sms, unsigned threads, unsigned budget, bool exact, unsigned beside,
                    bool warmsUp) {
  int fits = 0;
  bench::require(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fits, enter, int(threads), 0),
                 "occupancy");
  if (budget > unsigned(fits))
    return;
  const unsigned blocks = sms * (exact ? budget : unsigned(fits));
  bench::DeviceArray<Census> census;
  bench::DeviceArray<uint2> places;
  census.allocate(1);
  places.allocate(std::size_t(blocks) * kMaxWarps);
  cudaStream_t stream;
  bench::require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  census.clear(stream);
  places.clear(stream);
  bench::require(cudaStreamSynchronize(stream), "clear");
  {
    const Holder holder(beside * sms);
    enter<<<blocks, threads, 0, stream>>>(census.get(), budget, places.get());
    bench::require(cudaStreamSynchronize(stream), "placement kernel");
  }
  const std::vector<uint2> taken = bench::view<uint2>(places.take());
  if (!warmsUp)
    print(taken, sms, threads, budget, exact ? "exact" : "surplus", beside);
  bench::require(cudaStreamDestroy(stream), "stream");
}

int main(int count, char** arguments) {
  const std::string option = "--beside=";
  unsigned beside = 0;
  for (int i = 1; i < count; ++i)
    if (std::string(arguments[i]).rfind(option, 0) == 0)
      beside = unsigned(std::atoi(arguments[i] + option.size()));
  int device = 0, sms = 0;
  bench::require(cudaGetDevice(&device), "device");
  bench::require(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device), "SMs");
  for (unsigned threads : {32u, 64u, 96u, 128u, 192u, 256u})
    for (unsigned budget : {1u, 2u, 4u, 8u, 16u})
      for (bool exact : {false, true})
        for (bool warmsUp : {true, false})
          measure(unsigned(sms), threads, budget, exact, beside, warmsUp);
  return 0;
}
