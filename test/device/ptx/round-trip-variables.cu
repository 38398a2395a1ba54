// Variables: numbers, strings, nested arrays, addresses, packed addresses, storage: printed from the parsed form, it assembles to the same code.
// RUN: %nvcc -ptx -arch=compute_90 %s -o %t.ptx
// RUN: grep -v "[.]pragma" %t.ptx > %t.original.ptx
// RUN: %build/test-bin/ptx-ModulePrinter %t.ptx > %t.printed.ptx
// RUN: %cuda/bin/ptxas -c -arch=sm_90 -O1 %t.original.ptx -o %t.original.cubin
// RUN: %cuda/bin/ptxas -c -arch=sm_90 -O1 %t.printed.ptx -o %t.printed.cubin
// RUN: %build/test-bin/image-SameCode %t.original.cubin %t.printed.cubin
struct __attribute__((packed)) Packed {
  char c;
  int* p;
  short s;
};
__device__ int numbers[4] = {1, -2, 3};
__device__ double reals[2] = {1.5, -0.0};
__constant__ float pi = 3.14159f;
__device__ const char* names[3] = {"abc", "de\n", nullptr};
__device__ int* pointer = &numbers[2];
__device__ Packed packed[2] = {{'a', numbers + 1, 3}, {'b', numbers, 4}};
__device__ short nested[2][3] = {{1, 2, 3}, {4, 5}};
__managed__ int managed = 7;
extern __shared__ double dynamic[];

template <int N> __global__ void kernel(int* out, int n) {
  __shared__ float tile[N];
  int local[32];
  for (int i = 0; i < n; ++i)
    local[i & 31] = nested[1][i & 1] + *packed[i & 1].p;
  tile[threadIdx.x] = float(reals[n & 1]) + pi;
  dynamic[threadIdx.x] = *pointer;
  __syncthreads();
  out[0] = local[n & 31] + int(tile[n]) + int(dynamic[n + 1]) + names[n & 1][0] + managed;
}
template __global__ void kernel<64>(int*, int);
template __global__ void kernel<32>(int*, int);
