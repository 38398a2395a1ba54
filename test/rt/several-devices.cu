// A program for three devices, with a thread, streams and the default stream on each: the runtime
// keeps their launches apart (nobody waits for another device's kernels), and results are right.
//
// RUN: %gpusched-cc -arch=sm_90 -std=c++17 %s -o %t
// RUN: %gpusched run --device=cpu --devices=3 -- %t | FileCheck %s
// RUN: %gpusched run --device=cpu --devices=3 --policy=serial --trace=%t.serial -- %t | FileCheck %s
// RUN: %gpusched run --device=cpu --devices=3 --policy=even --trace=%t.even -- %t | FileCheck %s
// RUN: env GPUSCHED_SHARE=%t.board %gpusched run --device=cpu --devices=3 --policy=even -- %t | FileCheck %s
// RUN: %gpusched run --device=cpu --devices=3 --variant=persistent --blocks-per-sm=1 -- %t | FileCheck %s
// RUN: not %gpusched run --device=cpu --devices=2 -- %t | FileCheck --check-prefix=TWO %s
// RUN: python3 -c "import json,sys; \
// RUN:   l = {x['sequence']: x for x in json.load(open('%t.serial'))['launches']}; \
// RUN:   assert {x['device'] for x in l.values()} == {0, 1, 2}; \
// RUN:   waits = [(x['device'], l[a]['device']) for x in l.values() for a in x['after']]; \
// RUN:   assert waits and all(a == b for a, b in waits), waits"
// CHECK: 3 devices, peers: 6 of 6; all right
// TWO: 2 devices
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

static constexpr int kCount = 64 * 128, kRounds = 6;

__global__ void add(int* values, int amount) {
  values[blockIdx.x * blockDim.x + threadIdx.x] += amount;
}
__global__ void scale(int* values, int factor) {
  values[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}

static void work(int device, int* right) {
  cudaSetDevice(device);
  cudaStream_t streams[2];
  int* values[3];
  for (int*& array : values) {
    cudaMalloc(&array, kCount * sizeof(int));
    cudaMemset(array, 0, kCount * sizeof(int));
  }
  cudaDeviceSynchronize();
  for (cudaStream_t& stream : streams)
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int round = 0; round < kRounds; ++round) {
    for (int s = 0; s < 2; ++s) {
      add<<<64, 128, 0, streams[s]>>>(values[s], device + 1);
      scale<<<64, 128, 0, streams[s]>>>(values[s], 2);
    }
    add<<<64, 128>>>(values[2], device + 1);
  }
  int now = -1;
  cudaGetDevice(&now);
  bool ok = cudaDeviceSynchronize() == cudaSuccess && now == device;
  int expected[3] = {0, 0, kRounds * (device + 1)};
  for (int round = 0; round < kRounds; ++round)
    expected[0] = expected[1] = (expected[0] + device + 1) * 2;
  for (int s = 0; s < 3; ++s) {
    std::vector<int> host(kCount);
    cudaMemcpy(host.data(), values[s], kCount * sizeof(int), cudaMemcpyDeviceToHost);
    for (int value : host)
      ok = ok && value == expected[s];
  }
  *right = ok;
}

/// Each has a bus of its own, by all ways to ask, and a name of its own.
static bool areTold(int count) {
  bool right = true;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp one, other;
    int bus = -1, found = -1;
    char text[32] = "";
    cudaGetDeviceProperties(&one, device);
    cudaGetDeviceProperties(&other, (device + 1) % count);
    cudaDeviceGetAttribute(&bus, cudaDevAttrPciBusId, device);
    cudaDeviceGetPCIBusId(text, sizeof text, device);
    cudaDeviceGetByPCIBusId(&found, text);
    right = right && found == device && bus == one.pciBusID && bus != other.pciBusID &&
            std::strtol(text + 5, nullptr, 16) == bus &&
            std::memcmp(&one.uuid, &other.uuid, sizeof one.uuid) != 0;
  }
  return right;
}

int main() {
  int count = 0, peers = 0, right[3] = {};
  cudaGetDeviceCount(&count);
  for (int a = 0; a < count; ++a)
    for (int b = 0, can = 0; b < count; ++b)
      peers += cudaDeviceCanAccessPeer(&can, a, b) == cudaSuccess && can;
  std::vector<std::thread> threads;
  for (int device = 0; device < 3; ++device)
    threads.emplace_back(work, device, &right[device]);
  for (std::thread& thread : threads)
    thread.join();
  bool all = areTold(count) && right[0] && right[1] && right[2] && cudaSetDevice(count) == cudaErrorInvalidDevice;
  std::printf("%d devices, peers: %d of 6; %s\n", count, peers, all ? "all right" : "wrong");
  return !all;
}
