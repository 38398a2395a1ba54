// Launches of one stream that the program calls independent are made as one; what follows in the stream
// sees both done. Where nobody promised it, the second of one stream sees what the first did.
// RUN: %gpusched-cc -arch=sm_90 -I%root/rt/include %s -o %t && %nvcc -arch=sm_90 -I%root/rt/include %s -o %t.native
// RUN: %gpusched run --device=cpu -- %t.native > %t.reference
// RUN: %gpusched run --device=cpu --fuse=always --trace=%t.json -- %t | diff %t.reference -
// RUN: %gpusched run --device=cpu --fuse=never --variant=persistent --trace=%t.never.json -- %t | diff %t.reference -
// RUN: %gpusched run --device=cpu --fuse=always --policy=even -- %t | diff %t.reference -
// RUN: %gpusched-cc -arch=sm_90 -I%root/rt/include --gpusched-profile=%t.static.json -c %s -o %t.o && grep '"kernel": "add + twice"' %t.static.json
// RUN: grep -c 'add + twice' %t.json | grep -qx 5 && not grep ' + ' %t.never.json
#include "Inputs/Expect.h"

#include "gpusched/Independent.h"

__global__ void add(int* a, int n) { a[blockIdx.x * blockDim.x + threadIdx.x] += n; }
__global__ void twice(int* a) { a[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }

int* begin(const std::vector<int*>& arrays, int number) { return arrays[number]; }

int main() {
  const std::vector<int*> arrays = {deviceArray<int>(50 * 64), deviceArray<int>(20 * 64)};
  for (int round = 0; round < 5; ++round) {
    {
      gpusched::Independent independent;
      add<<<50, 64>>>(begin(arrays, 0), 3);
      twice<<<20, 64>>>(begin(arrays, 1));
    }
    add<<<50, 64>>>(arrays[0], 1);
    add<<<20, 64>>>(arrays[1], 1);
  }
  expect<int>("first", arrays[0], 50 * 64, [](std::size_t) { return 20; });
  expect<int>("second", arrays[1], 20 * 64, [](std::size_t) { return 31; });
  add<<<20, 64>>>(arrays[1], 1);
  twice<<<20, 64>>>(arrays[1]);
  expect<int>("in order", arrays[1], 20 * 64, [](std::size_t) { return 64; });
}
