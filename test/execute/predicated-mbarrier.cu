// An mbarrier that one thread begins by a predicate in assembly, and ends so: the twin notes it for the threads for which the
// predicate holds.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-arch=sm_90" --outlined=native
// RUN: %gpusched run --device=cpu --check=memory --variant=persistent --sms=0 --blocks-per-sm=1 -- %t/gpusched
#include "Inputs/Expect.h"

constexpr int kBlocks = 70, kThreads = 64;

__global__ void shift(int* out) {
  __shared__ uint64_t word;
  __shared__ int values[kThreads];
  const unsigned at = uint32_t(__cvta_generic_to_shared(&word)), thread = threadIdx.x;
  asm volatile("{ .reg .pred first;\n setp.eq.u32 first, %1, 0;\n"
               "@first mbarrier.init.shared::cta.b64 [%0], %2; }" ::"r"(at), "r"(thread), "r"(kThreads) : "memory");
  __syncthreads();
  values[thread] = blockIdx.x + thread;
  asm volatile("{ .reg .b64 state; .reg .pred done;\n mbarrier.arrive.shared.b64 state, [%0];\n"
               "again: mbarrier.test_wait.shared.b64 done, [%0], state;\n @!done bra again; }" ::"r"(at)
               : "memory");
  out[blockIdx.x * kThreads + thread] = values[kThreads - 1 - thread];
  __syncthreads();
  asm volatile("{ .reg .pred others;\n setp.ne.u32 others, %1, 0;\n"
               "@!others mbarrier.inval.shared.b64 [%0]; }" ::"r"(at), "r"(thread) : "memory");
}

int main() {
  int* const out = deviceArray<int>(kBlocks * kThreads);
  shift<<<kBlocks, kThreads>>>(out);
  expect<int>("shift", out, kBlocks * kThreads,
              [](std::size_t i) { return i / kThreads + kThreads - 1 - i % kThreads; });
}
