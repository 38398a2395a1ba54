// --check=memory reports each kind of bad access with its line, thread and nearest allocation, and
// goes on; the exit code says that something was found.
// RUN: %nvcc -arch=sm_80 -lineinfo -o %t %s
// RUN: sh -c '%gpusched run --device=cpu --check=memory --check-report=%t.txt -- %t; echo "exit $?"' > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=OUT < %t.out
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// RUN: FileCheck %s --check-prefix=LIST < %t.txt
#include <cstdio>

__global__ void overrun(int* p, int n) { p[blockIdx.x * blockDim.x + threadIdx.x] = n; }
__global__ void late(const int* freed, int* out) { out[threadIdx.x] = freed[threadIdx.x]; }
__global__ void skewed(char* p) { *reinterpret_cast<int*>(p + threadIdx.x * 4 + 1) = 1; }
__global__ void unwritten(int* out) {
  __shared__ int tile[64];
  if (threadIdx.x < 32)
    tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void beyond(int n) {
  extern __shared__ int tile[];
  tile[threadIdx.x + n] = 1;
}
__global__ void stack(int* out, int n) {
  int array[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  array[n] = 3;
  out[threadIdx.x] = array[n & 7];
}
__global__ void host(int* p) { p[0] = 1; }
__global__ void fine(int* p) { p[threadIdx.x] = 5; }

int main() {
  static int onHost[4];
  int *small, *large, *freed, last = 0;
  cudaMalloc(&small, 100 * 4);
  cudaMalloc(&large, 4096);
  cudaMalloc(&freed, 4096);
  cudaFree(freed);
  overrun<<<4, 32>>>(small, 1);
  late<<<1, 32>>>(freed, large);
  skewed<<<1, 32>>>((char*)large);
  unwritten<<<1, 64>>>(large);
  beyond<<<1, 32, 128>>>(8);
  stack<<<1, 32>>>(large, 4096);
  host<<<1, 1>>>(onHost);
  fine<<<1, 32>>>(large);
  cudaMemcpy(&last, large + 31, 4, cudaMemcpyDeviceToHost);
  printf("%s %d %d\n", cudaGetErrorString(cudaDeviceSynchronize()), last, onHost[0]);
}

// OUT: no error 5 0
// OUT: exit 99

// ERR: check: memory: out of bounds global write of 4 bytes at {{.*}}memory.cu:10 in kernel 'overrun(int*, int)'
// ERR-NEXT: block (3,0,0), thread (4,0,0), address 0x{{[0-9a-f]+}}: 1 bytes after the end of the 400 bytes of device memory at 0x
// ERR-NEXT: kernel 'overrun(int*, int)', {{.*}}memory.cu:10, PTX line {{[0-9]+}} `st.global.u32
// ERR: inside the 4096 bytes of device memory at 0x{{.*}}, which have been freed
// ERR: thread (32,0,0){{.*}}no thread of the block has written these bytes: '{{.*}}tile' + 128
// ERR: check: 7 findings (165 occurrences)

// LIST: memory: misaligned write of 4 bytes at {{.*}}memory.cu:12 in kernel 'skewed(char*)'
// LIST-NEXT: memory: out of bounds global write of 4 bytes at {{.*}}memory.cu:10 in kernel 'overrun(int*, int)'
// LIST-NEXT: memory: out of bounds global write of 4 bytes at {{.*}}memory.cu:29 in kernel 'host(int*)'
// LIST-NEXT: memory: out of bounds local write of 4 bytes at {{.*}}memory.cu:26 in kernel 'stack(int*, int)'
// LIST-NEXT: memory: out of bounds shared write of 4 bytes at {{.*}}memory.cu:22 in kernel 'beyond(int)'
// LIST-NEXT: memory: uninitialised shared read of 4 bytes at {{.*}}memory.cu:18 in kernel 'unwritten(int*)'
// LIST-NEXT: memory: use after free: global read of 4 bytes at {{.*}}memory.cu:11 in kernel 'late(int const*, int*)'
// LIST-NOT: {{.}}
