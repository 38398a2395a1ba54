// What CUDA refuses is refused in the same words, in the same places; attributes set on a kernel
// reach its twin; queries about a kernel give what they give without gpusched.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --expect=some
// RUN: %gpusched run --device=cpu -- %t/native > %t/reference
// RUN: %gpusched run --device=cpu --policy=serial --variant=persistent -- %t/gpusched | diff %t/reference -
// RUN: %gpusched run --device=cpu --variant=persistent -- %t/gpusched 2>&1 | not grep "persistent launch"
#include "Inputs/Expect.h"

#define _CG_LIMIT_INCLUDED_DEPENDENCIES // else libcu++, most of what is compiled
#include <cooperative_groups.h>

__global__ void count(int* out) { atomicAdd(out, 1 + gridDim.x * gridDim.y); }

extern __shared__ int scratch[];
__global__ void useShared(int* out, int words) {
  for (int i = threadIdx.x; i < words; i += blockDim.x)
    scratch[i] = i;
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(out, scratch[words - 1]);
}

__global__ void useStatic(int* out) {
  __shared__ int words[32];
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(out, words[31]);
}

__global__ void meet(int* out) {
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0)
    atomicAdd(out, 1);
}

__global__ void __launch_bounds__(64) bounded(int* out) { atomicAdd(out, 1); }

static void report(const char* what) {
  std::printf("%s: peek %s,", what, cudaGetErrorName(cudaPeekAtLastError()));
  std::printf(" get %s,", cudaGetErrorName(cudaGetLastError()));
  std::printf(" then %s\n", cudaGetErrorName(cudaGetLastError()));
}

static cudaError_t launchEx(dim3 grid, dim3 block, int* out, int attributes) {
  cudaLaunchAttribute list[2] = {};
  list[0].id = cudaLaunchAttributePriority;
  list[0].val.priority = 0;
  list[1].id = cudaLaunchAttributeCooperative;
  list[1].val.cooperative = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid, config.blockDim = block;
  config.attrs = list, config.numAttrs = unsigned(attributes);
  return cudaLaunchKernelEx(&config, count, out);
}

static void errors(int* out) {
  count<<<1, 2048>>>(out);
  report("block too large");
  count<<<dim3(1, 65536), 1>>>(out);
  report("grid too high");
  count<<<0, 32>>>(out);
  report("no blocks");
  bounded<<<1, 128>>>(out);
  report("above its bounds");
  useShared<<<1, 32, 200000>>>(out, 1);
  report("shared memory not asked for");
  count<<<1, 32>>>(out);
  report("after errors");
  std::printf("returned: %s\n", cudaGetErrorName(launchEx(1, 4096, out, 0)));
  report("returned before");
  void* arguments[] = {&out};
  std::printf("cooperative, too many: %s\n",
              cudaGetErrorName(cudaLaunchCooperativeKernel((const void*)meet, dim3(1 << 20), dim3(64),
                                                           arguments, 0, nullptr)));
  report("cooperative");
}

static void attributes(int* out) {
  cudaFuncAttributes before = {}, after = {};
  int blocks = 0;
  must(cudaFuncGetAttributes(&before, useShared), "attributes");
  must(cudaFuncSetAttribute(useShared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000), "set");
  must(cudaFuncSetAttribute(useShared, cudaFuncAttributePreferredSharedMemoryCarveout, 100), "set");
  must(cudaFuncSetCacheConfig(count, cudaFuncCachePreferShared), "cache");
  must(cudaFuncGetAttributes(&after, useShared), "attributes");
  must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, useShared, 64, 90000), "occupancy");
  std::printf("%d registers, %zu shared, dynamic %d then %d, %d blocks fit\n", before.numRegs,
              before.sharedSizeBytes, before.maxDynamicSharedSizeBytes,
              after.maxDynamicSharedSizeBytes, blocks);
  useShared<<<10, 64, 90000>>>(out, 22500);
  report("opt-in shared memory");
  // Set after a launch of the same configuration was refused, or made.
  must(cudaFuncSetAttribute(useShared, cudaFuncAttributeMaxDynamicSharedMemorySize, 120000), "set");
  useShared<<<10, 64, 110000>>>(out, 27500);
  report("more of it");
}

/// An error that nobody asked for is still there after a launch whose twin does not fit.
static void unreadError(int* out) {
  cudaFuncAttributes facts = {};
  must(cudaFuncGetAttributes(&facts, useStatic), "attributes");
  const int most = 232448 - int(facts.sharedSizeBytes);
  must(cudaFuncSetAttribute(useStatic, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "set");
  cudaFuncSetAttribute(useStatic, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20);
  useStatic<<<2, 32, most>>>(out);
  report("an error before the launch");
}

static void otherLaunches(int* out) {
  must(launchEx(3, 32, out, 0), "extended");
  must(launchEx(3, 32, out, 1), "extended with a priority");
  must(launchEx(3, 32, out, 2), "extended, cooperative");
  void* arguments[] = {&out};
  must(cudaLaunchCooperativeKernel((const void*)meet, dim3(8), dim3(64), arguments, 0, nullptr),
       "cooperative");
}

int main() {
  int* out = deviceArray<int>(4);
  errors(out);
  attributes(out + 1);
  otherLaunches(out + 2);
  unreadError(out + 3);
  const int results[] = {2 * 32, 10 * 22499 + 10 * 27499, 3 * 96 * 4 + 8, 62};
  expect<int>("sums", out, 4, [&](std::size_t index) { return results[index]; });
}
