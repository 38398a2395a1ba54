// A pass of the compiler would see a kernel without its twin.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#ifdef __CUDA_ARCH__
// CHECK: [[@LINE+1]]:17: remark: kernel 'k' kept native: [GS007] {{.*}}: nvcc's host pass sees no definition of it
__global__ void k(int* a) { a[blockIdx.x] = 1; }
// CHECK: [[@LINE+1]]:17: remark: kernel 'm' kept native: [GS007] {{.*}}: the host's definition ({{.*}}GS007.cu:[[#@LINE+7]]:1) cannot have a twin: the kernel's signature comes from a macro
__global__ void m(int* a) { a[blockIdx.x] = 1; }
__device__ int which() { return blockIdx.x; }
#else
__global__ void k(int* a);
__device__ int which() { return 0; }
#define STUB(name, type) __global__ void name(type*) {}
STUB(m, int)
#endif
// CHECK: [[@LINE+1]]:17: remark: kernel 'n' kept native: [GS020] {{.*}}: calls 'which', which not every pass of the compiler sees
__global__ void n(int* a) { a[which()] = 1; }
