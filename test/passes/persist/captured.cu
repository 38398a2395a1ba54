// What a lambda only reads stays as uniform as it is: `rounds` keeps the lanes together, so that
// the primitive names nobody who has left. What a lambda assigns may differ between threads.
// RUN: %gpusched-opt --explain %s 2>%t.err >%t.cu
// RUN: FileCheck %s <%t.err
// RUN: count 1 <%t.err
__device__ void multiply(int* out) { asm volatile("mma.sync.aligned" ::"l"(out)); }

__global__ void reads(int* out, int n) {
  int rounds = n / 16;
  auto load = [&](int round) { if (round < rounds) out[round] = threadIdx.x; };
  for (int round = 0; round < rounds; ++round) {
    load(round);
    multiply(out);
  }
}

// CHECK: kernel 'assigns' kept native: [GS041]
__global__ void assigns(int* out, int n) {
  int rounds = n / 16;
  auto shorten = [&] { rounds -= threadIdx.x; };
  shorten();
  for (int round = 0; round < rounds; ++round)
    multiply(out);
}
