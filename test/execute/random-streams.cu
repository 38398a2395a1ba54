// Streams that nobody thought of: random programs of kernels, pairs of them, graphs, copies and host functions that wait for each
// other, the same ones each time; by one thread and by four. In every form and under every policy each
// leaves what it leaves when all is done one after the other. With other seeds: random-streams FIRST COUNT [THREADS].
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_90 -std=c++17 -I%S/../../rt/include" --expect=some
// RUN: sed 's/"sms": 132/"sms": 3/' %root/rt/device/descriptions/h200.json > %t/small.json && grep -q '"sms": 3,' %t/small.json
// RUN: env GPUSCHED_HOME=%t/store %gpusched profile --device=cpu --gpu=%t/small.json -o %t/profile.json -- %t/gpusched 1 10
// RUN: env GPUSCHED_PROFILE=%t/profile.json python3 %S/Inputs/under_policies.py --gpusched=%gpusched --gpu=%t/small.json %t/gpusched 1 6
// RUN: env GPUSCHED_PROFILE=%t/profile.json python3 %S/Inputs/under_policies.py --gpusched=%gpusched %t/gpusched 1 8 4
#include "Inputs/StreamProgram.h"

#include <atomic>
#include <dlfcn.h>

#include "gpusched/Independent.h"

__global__ void mix(Word* to, const Word* from, Word number) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = to[i] * 3 + from[i] + number;
}

__global__ void stir(Word* to, const Word* from, Word number) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  Word word = to[i];
  for (Word round = 0; round < number % 64; ++round)
    word = word * 1664525u + from[i];
  to[i] = word;
}

__global__ void reverse(Word* to, const Word* from, Word number) {
  __shared__ Word staged[kThreads];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  staged[threadIdx.x] = to[i] + from[i];
  __syncthreads();
  to[i] = staged[blockDim.x - 1 - threadIdx.x] + number;
}

__global__ void leave(Word* to, const Word* from, Word number) {
  __shared__ Word staged[kThreads];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 7 == number % 7)
    return;
  staged[threadIdx.x] = to[i];
  for (Word round = 0; round < number % 5; ++round) {
    __syncthreads();
    staged[threadIdx.x] += from[i] ^ round;
  }
  to[i] = staged[threadIdx.x];
}

/// It has no twin: for all that a compiler knows, it waits for a later block.
__global__ void waiting(Word* to, const Word* from, Word number) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const volatile Word* word = from + (gridDim.x - 1 - blockIdx.x);
  while ((*word ^ *word) != 0)
    ;
  to[i] = to[i] * 7 + from[i] * 5 + number;
}

/// It may begin before the one in front of it has ended.
__global__ void late(Word* to, const Word* from, Word number) {
  cudaGridDependencySynchronize();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = to[i] * 3 + from[i] + number;
}

__global__ void plane(Word* to, const Word* from, Word number) {
  const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
  const unsigned i = (block * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  to[i] = to[i] * 3 + from[i] + number;
}

/// Waits for the block before it.
__global__ void chain(Word* to, const Word* from, Word number, Sum* sums) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ Word before;
  if (threadIdx.x == 0) {
    before = 0;
    if (blockIdx.x > 0) {
      while (atomicAdd(&sums[blockIdx.x - 1].isThere, 0) == 0)
        ;
      __threadfence();
      before = *const_cast<volatile Word*>(&sums[blockIdx.x - 1].value);
    }
    sums[blockIdx.x].value = before + from[i];
    __threadfence();
    atomicExch(&sums[blockIdx.x].isThere, 1);
  }
  __syncthreads();
  to[i] = to[i] * 3 + from[i] + number + before;
}

template <void (*kKernel)(Word*, const Word*, Word)>
void launch(int blocks, cudaStream_t stream, Word* to, const Word* from, Word number) {
  kKernel<<<blocks, kThreads, 0, stream>>>(to, from, number);
}

void launchTwo(const int (&blocks)[2], const cudaStream_t (&streams)[2], Word* const (&to)[2], const Word* const (&from)[2],
               const Word (&numbers)[2]) {
  if (streams[0] != streams[1]) {
    mix<<<blocks[0], kThreads, 0, streams[0]>>>(to[0], from[0], numbers[0]);
    stir<<<blocks[1], kThreads, 0, streams[1]>>>(to[1], from[1], numbers[1]);
    return;
  }
  gpusched::Independent independent;
  mix<<<blocks[0], kThreads, 0, streams[0]>>>(to[0], from[0], numbers[0]);
  stir<<<blocks[1], kThreads, 0, streams[1]>>>(to[1], from[1], numbers[1]);
}

void launchPlane(dim3 grid, size_t sharedBytes, cudaStream_t stream, Word* to, const Word* from, Word number) {
  plane<<<grid, dim3(16, 4), sharedBytes, stream>>>(to, from, number);
}

void launchWith(unsigned attribute, int blocks, cudaStream_t stream, Word* to, const Word* from, Word number) {
  cudaLaunchAttribute said = {};
  if (attribute == 0)
    said.id = cudaLaunchAttributeCooperative, said.val.cooperative = 1;
  else if (attribute == 1)
    said.id = cudaLaunchAttributePriority, must(cudaDeviceGetStreamPriorityRange(nullptr, &said.val.priority), "priorities");
  else
    said.id = cudaLaunchAttributeProgrammaticStreamSerialization, said.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(unsigned(blocks));
  config.blockDim = dim3(kThreads);
  config.stream = stream;
  config.attrs = &said;
  config.numAttrs = 1;
  must(cudaLaunchKernelEx(&config, late, to, from, number), "a launch with an attribute");
}

void launchChain(int blocks, cudaStream_t stream, Word* to, const Word* from, Word number, Sum* sums) {
  chain<<<blocks, kThreads, 0, stream>>>(to, from, number, sums);
}

const std::vector<Kind> kinds = {
    {launch<mix>, [](const Words& to, const Words& from, Word number, unsigned i) { return to[i] * 3 + from[i] + number; }},
    {launch<stir>,
     [](const Words& to, const Words& from, Word number, unsigned i) {
       Word word = to[i];
       for (Word round = 0; round < number % 64; ++round)
         word = word * 1664525u + from[i];
       return word;
     }},
    {launch<reverse>,
     [](const Words& to, const Words& from, Word number, unsigned i) {
       const unsigned other = i - i % kThreads + kThreads - 1 - i % kThreads;
       return to[other] + from[other] + number;
     }},
    {launch<leave>,
     [](const Words& to, const Words& from, Word number, unsigned i) {
       Word word = to[i];
       for (Word round = 0; i % 7 != number % 7 && round < number % 5; ++round)
         word += from[i] ^ round;
       return word;
     }},
    {launch<waiting>, [](const Words& to, const Words& from, Word number, unsigned i) { return to[i] * 7 + from[i] * 5 + number; }},
};

int runAll(unsigned first, unsigned count, unsigned threads) {
  std::vector<std::thread> all;
  std::vector<int> wrong(threads);
  for (unsigned t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      for (unsigned seed = first + t; seed < first + count; seed += threads)
        if (!StreamProgram(seed, threads == 1).run(40))
          std::printf("seed %u\n", seed), ++wrong[t];
    });
  int sum = 0;
  for (unsigned t = 0; t < threads; ++t)
    all[t].join(), sum += wrong[t];
  std::printf("%u programs from %u on, %u threads: %d wrong\n", count, first, threads, sum);
  return sum;
}

/// Where launches may be stopped, stops what runs now and then, and lets it go on.
class Pauser {
public:
  Pauser() {
    const char* const path = std::getenv("GPUSCHED_PREEMPT") ? std::getenv("GPUSCHED_RT") : nullptr;
    void* const runtime = path ? dlopen(path, RTLD_NOW) : nullptr;
    if (!runtime)
      return;
    pause_ = reinterpret_cast<size_t (*)()>(dlsym(runtime, "gpusched_rt_pause_all"));
    resume_ = reinterpret_cast<void (*)()>(dlsym(runtime, "gpusched_rt_resume_all"));
    thread_ = std::thread([this] { work(); });
  }
  ~Pauser() {
    ended_ = true;
    if (thread_.joinable())
      thread_.join();
  }

private:
  void work() {
    for (unsigned round = 0; !ended_; ++round) {
      pause_();
      std::this_thread::sleep_for(std::chrono::microseconds(round * 37 % 200));
      resume_();
      std::this_thread::sleep_for(std::chrono::microseconds(round * 91 % 500));
    }
  }

  size_t (*pause_)() = nullptr;
  void (*resume_)() = nullptr;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

int main(int count, char** words) {
  const Pauser pauser;
  const auto given = [&](int index, unsigned otherwise) { return index < count ? unsigned(std::atoi(words[index])) : otherwise; };
  const unsigned first = given(1, 1), programs = given(2, 3), threads = given(3, 1);
  int wrong = runAll(first, programs, threads);
  if (count < 2)
    wrong += runAll(first, programs, 4);
  return wrong != 0;
}
