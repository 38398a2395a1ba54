// Mbarriers that begin where no text can say so: in a macro, a constructor, an operator, a library, by a generic
// address and out of line; in dynamic memory and in a kernel whose static memory leaves no room beside it.
// RUN: rm -rf %t.lib && mkdir -p %t.lib/c++ && cp %s %t.lib/Begin.cuh
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_90 -std=c++17 -diag-suppress=20054 -isystem %t.lib" --outlined=native
// RUN: %gpusched run --device=cpu --check=memory --variant=persistent --sms=0 --blocks-per-sm=1 -- %t/gpusched beside
#ifndef TWICE
#define TWICE
#include "Inputs/Expect.h"

#include <cuda/barrier>
#include <new>

#include <Begin.cuh>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int kBlocks = 70, kThreads = 64;
#define BEGIN(WORD, COUNT) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(WORD), "r"(COUNT) : "memory")

__device__ uint32_t addressOf(const void* word) { return uint32_t(__cvta_generic_to_shared(word)); }

/// All arrive, all wait for the phase.
__device__ void meet(const uint64_t* word) {
  asm volatile("{ .reg .b64 state; .reg .pred done;\n mbarrier.arrive.shared.b64 state, [%0];\n"
               "again: mbarrier.test_wait.shared.b64 done, [%0], state;\n @!done bra again; }" ::"r"(addressOf(word))
               : "memory");
}

struct Opened {
  uint64_t* word;
  __device__ explicit Opened(uint64_t* at) : word(at) {
    asm volatile("mbarrier.init.b64 [%0], %1;" ::"l"(at), "r"(kThreads) : "memory");
  }
  __device__ void operator()() const { meet(word); }
};

template <class Begin> __device__ void shift(int* out, uint64_t* word, int* values, const Begin& begin) {
  if (threadIdx.x == 0)
    begin(word);
  __syncthreads();
  values[threadIdx.x] = blockIdx.x + threadIdx.x;
  meet(word);
  out[blockIdx.x * kThreads + threadIdx.x] = values[(threadIdx.x + 1) % kThreads];
}

__global__ void ofMacro(int* out) {
  __shared__ uint64_t word;
  __shared__ int values[kThreads];
  shift(out, &word, values, [](uint64_t* at) { BEGIN(addressOf(at), kThreads); });
}

__global__ void ofConstructor(int* out) {
  __shared__ uint64_t word;
  __shared__ int values[kThreads];
  shift(out, &word, values, [](uint64_t* at) { new (at) Barrier(kThreads); });
}

__global__ void ofGenericAddress(int* out) {
  __shared__ uint64_t word[2];
  __shared__ int values[kThreads];
  shift(out, &word[1], values, [](uint64_t* at) { Opened opened(at); });
}

__noinline__ __device__ void apart(uint64_t* at) { library::begin(at, kThreads); }
__global__ void ofLibrary(int* out) {
  extern __shared__ __align__(8) unsigned char memory[];
  shift(out, reinterpret_cast<uint64_t*>(memory) + 1, reinterpret_cast<int*>(memory + 16), apart);
}

__global__ void ofFullMemory(int* out) {
  __shared__ uint64_t words[12 * 512];
  shift(out, words + 3, reinterpret_cast<int*>(words + 4), apart);
}

int main(int argc, char**) {
  int* const out = deviceArray<int>(kBlocks * kThreads);
  const auto check = [&](const char* name) {
    expect<int>(name, out, kBlocks * kThreads,
                [](std::size_t i) { return int(i / kThreads + (i + 1) % kThreads); });
    must(cudaMemset(out, 0, kBlocks * kThreads * sizeof(int)), "clear");
  };
  ofMacro<<<kBlocks, kThreads>>>(out);
  check("macro");
  ofConstructor<<<kBlocks, kThreads>>>(out);
  check("constructor");
  ofGenericAddress<<<kBlocks, kThreads>>>(out);
  check("generic");
  if (argc > 1)
    return 0;
  ofLibrary<<<kBlocks, kThreads, 16 + kThreads * sizeof(int)>>>(out);
  check("library");
  ofFullMemory<<<kBlocks, kThreads>>>(out);
  check("full");
}
#else
namespace library {
static __device__ void begin(uint64_t* at, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(uint32_t(__cvta_generic_to_shared(at))), "r"(count) : "memory");
}
} // namespace library
#endif
