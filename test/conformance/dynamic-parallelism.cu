// Kernels launch kernels: order in a block's stream, in streams of their own, behind events, as tails;
// a grid ends after all that it launched.
// RUN: %nvcc -arch=sm_90 -rdc=true -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

struct Step {
  int factor, add;
  char pad[5];
  double scale;
};

/// Slow, so that a successor that does not wait overtakes it.
__global__ void apply(int* value, Step step) {
  int sum = 0;
  for (volatile int i = 0; i < 2000; ++i)
    sum += i & 1;
  value[threadIdx.x] = value[threadIdx.x] * step.factor + step.add + int(step.scale) + sum - 1000;
}

/// 0 -> 1 -> 13 -> 134, by two threads of a block.
__global__ void blockOrder(int* values) {
  int* const mine = values + blockIdx.x;
  if (threadIdx.x == 0)
    apply<<<1, 1>>>(mine, {1, 0, {}, 1.5});
  __syncthreads();
  if (threadIdx.x == 40) {
    apply<<<1, 1>>>(mine, {10, 3, {}, 0});
    apply<<<1, 1>>>(mine, {10, 4, {}, 0});
  }
}

/// Two streams, joined by an event: 5, then 5 * 7 + 1 from the other.
__global__ void streams(int* values) {
  cudaStream_t first, second;
  cudaEvent_t done;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  apply<<<1, 32, 0, first>>>(values, {0, 5, {}, 0});
  cudaEventRecord(done, first);
  cudaStreamWaitEvent(second, done, 0);
  apply<<<1, 32, 0, second>>>(values, {7, 1, {}, 0});
  cudaEventDestroy(done);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}

__global__ void addOne(int* sum) { atomicAdd(sum, 1); }
__global__ void copySum(int* sum) { sum[1] = sum[0]; }
__global__ void doubled(int* sum) { sum[2] = 2 * sum[1]; }

/// The tails see what all threads of all blocks launched, and each other, in order.
__global__ void tails(int* sum) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    copySum<<<1, 1, 0, cudaStreamTailLaunch>>>(sum);
    doubled<<<1, 1, 0, cudaStreamTailLaunch>>>(sum);
  }
  addOne<<<2, 1, 0, cudaStreamFireAndForget>>>(sum);
  addOne<<<1, 1>>>(sum);
}

/// Each thread launches two, to a depth; leaves count.
__global__ void tree(int* leaves, int depth) {
  if (depth == 0)
    atomicAdd(leaves, 1);
  else
    tree<<<1, 2>>>(leaves, depth - 1);
}

/// A loop of tails.
__global__ void loop(int* count, int left) {
  ++*count;
  if (left > 1)
    loop<<<1, 1, 0, cudaStreamTailLaunch>>>(count, left - 1);
}

__global__ void memory(int* values, int* processors) {
  int* scratch = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&scratch), 64 * sizeof(int));
  for (int i = 0; i < 64; ++i)
    scratch[i] = i;
  apply<<<1, 64>>>(scratch, {1, 1, {}, 0});
  cudaMemcpyAsync(values, scratch, 64 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
  cudaMemsetAsync(values + 60, 0xff, 4 * sizeof(int), 0);
  cudaDeviceGetAttribute(processors, cudaDevAttrMultiProcessorCount, 0);
}

/// 4x3x2 ints in rows of 5 and planes of 4 rows: all 9, then the inner 2x2x2 from a packed box.
constexpr int kBoxPitch = 5, kBoxRows = 4, kBoxInts = kBoxPitch * kBoxRows * 2;
__global__ void boxes(int* values) {
  int* packed = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&packed), 8 * sizeof(int));
  for (int i = 0; i < 8; ++i)
    packed[i] = i + 1;
  const cudaPitchedPtr box = {values, kBoxPitch * sizeof(int), 0, kBoxRows};
  cudaMemset3DAsync(box, 9, cudaExtent{4 * sizeof(int), 3, 2}, 0);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = {packed, 2 * sizeof(int), 0, 2};
  copy.dstPtr = box;
  copy.dstPos = {sizeof(int), 1, 0};
  copy.extent = {2 * sizeof(int), 2, 2};
  copy.kind = cudaMemcpyDeviceToDevice;
  cudaMemcpy3DAsync(&copy, 0);
}

static int inBoxes(int index) {
  const int x = index % kBoxPitch, y = index / kBoxPitch % kBoxRows;
  const int z = index / kBoxPitch / kBoxRows;
  if (x >= 1 && x < 3 && y >= 1 && y < 3)
    return 1 + (x - 1) + 2 * (y - 1) + 4 * z;
  return x < 4 && y < 3 ? 0x09090909 : 0;
}

/// Too large a block: the launch fails with an error that is asked for once.
__global__ void wrongShape(int* errors) {
  addOne<<<1, 4096>>>(errors + 3);
  errors[0] = cudaPeekAtLastError();
  errors[1] = cudaGetLastError();
  errors[2] = cudaGetLastError();
}

int main() {
  int* values = deviceArray<int>(64);
  blockOrder<<<4, 64>>>(values);
  expect<int>("block order", values, 4, [](std::size_t) { return 134; });

  values = deviceArray<int>(32);
  streams<<<1, 1>>>(values);
  apply<<<1, 32>>>(values, {1, 100, {}, 0}); // after the grid's children
  expect<int>("streams", values, 32, [](std::size_t) { return 136; });

  values = deviceArray<int>(3);
  tails<<<8, 32>>>(values);
  expect<int>("tails", values, 3, [](std::size_t index) { return index == 2 ? 1536 : 768; });

  values = deviceArray<int>(1);
  tree<<<1, 1>>>(values, 8);
  expect<int>("tree", values, 1, [](std::size_t) { return 256; });

  values = deviceArray<int>(1);
  loop<<<1, 1>>>(values, 20);
  expect<int>("loop", values, 1, [](std::size_t) { return 20; });

  values = deviceArray<int>(64);
  int* processors = deviceArray<int>(1);
  int known = 0;
  must(cudaDeviceGetAttribute(&known, cudaDevAttrMultiProcessorCount, 0), "attribute");
  memory<<<1, 1>>>(values, processors);
  expect<int>("memory", values, 64, [](std::size_t index) { return index < 60 ? int(index) + 1 : -1; });
  expect<int>("processors", processors, 1, [&](std::size_t) { return known; });

  values = deviceArray<int>(kBoxInts);
  boxes<<<1, 1>>>(values);
  expect<int>("boxes", values, kBoxInts, [](std::size_t index) { return inBoxes(int(index)); });

  values = deviceArray<int>(4);
  wrongShape<<<1, 1>>>(values);
  expect<int>("wrong shape", values, 4, [](std::size_t index) {
    return index < 2 ? int(cudaErrorInvalidConfiguration) : 0;
  });
}
