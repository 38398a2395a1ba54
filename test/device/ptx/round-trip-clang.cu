// PTX written by clang: printed from the parsed form, it assembles to the same code.
// RUN: %llvm/bin/clang++ -x cuda --cuda-device-only -S -O2 --cuda-gpu-arch=sm_90 -Wno-unknown-cuda-version -nocudainc -nocudalib --cuda-path=%cuda %s -o %t.ptx
// RUN: grep -v "[.]pragma" %t.ptx > %t.original.ptx
// RUN: %build/test-bin/ptx-ModulePrinter %t.ptx > %t.printed.ptx
// RUN: %cuda/bin/ptxas -c -arch=sm_90 -O1 %t.original.ptx -o %t.original.cubin
// RUN: %cuda/bin/ptxas -c -arch=sm_90 -O1 %t.printed.ptx -o %t.printed.cubin
// RUN: %build/test-bin/image-SameCode %t.original.cubin %t.printed.cubin
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

struct Pair { int a; double b; };
__device__ int numbers[3] = {1, 2, 3};
__device__ int* pointer = numbers + 1;
__device__ __attribute__((noinline)) Pair swap(Pair p) { return {int(p.b), double(p.a)}; }
__device__ __attribute__((noinline)) int twice(int x) { return 2 * x; }
__device__ int (*functions[2])(int) = {twice, twice};

__global__ void kernel(int* out, int n, Pair p) {
  __shared__ int tile[64];
  tile[__nvvm_read_ptx_sreg_tid_x()] = *pointer;
  __syncthreads();
  out[0] = swap(p).a + tile[n] + functions[n & 1](n) + numbers[n];
}
