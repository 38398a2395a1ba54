// Damaged PTX of a real compiler neither crashes nor hangs the parser. A million mutants:
// the same program with 1000000 instead of 10000.
// RUN: %nvcc -ptx -arch=compute_90 %s -o %t.ptx
// RUN: %nvcc -ptx -arch=compute_75 -G %s -o %t.debug.ptx
// RUN: %build/test-bin/ptx-ParserFuzz 10000 1 %t.ptx %t.debug.ptx | FileCheck %s
// CHECK: 10000 mutants
#include <cassert>
#include <cstdio>

struct Node {
  int value;
  __device__ virtual int get(int x) { return value + x; }
};
__device__ int table[4] = {1, 2, 3, 4};
__device__ int* pointer = &table[2];
__device__ const char* names[2] = {"a", "bc"};
__device__ __noinline__ int recurse(int n) { return n < 2 ? n : recurse(n - 1) + recurse(n - 2); }

__global__ void __launch_bounds__(256) kernel(int* out, int n, Node node) {
  __shared__ int tile[256];
  int local[16];
  for (int i = 0; i < n; ++i)
    local[i & 15] = out[i];
  tile[threadIdx.x] = local[n & 15];
  __syncthreads();
  Node* p = n > 3 ? &node : new Node;
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 3; @p bra DONE; add.u32 %0, %0, 1; DONE: }"
               : "+r"(out[1])
               : "r"(n));
  assert(n > 0);
  printf("%d %s\n", p->get(n), names[n & 1]);
  switch (n) {
  case 0: out[0] = 1; break;
  case 1: out[2] = n * n; break;
  case 2: out[3] = recurse(3); break;
  case 3: out[4] = *pointer; break;
  case 4: out[5] = tile[n]; break;
  default: out[6] = __shfl_xor_sync(~0u, n, 1);
  }
}
