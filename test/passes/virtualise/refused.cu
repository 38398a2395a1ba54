// Forms of calls and functions that an object cannot stand for: the kernel stays native and the
// remark names the function, what it reads and why it cannot be told.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
__device__ int over(int) { return blockIdx.x; }
__device__ int over(float) { return 0; }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'a' kept native: [GS020] {{.*}}: calls 'over' (blockIdx at {{.*}}refused.cu:5:{{[0-9]+}}); which is overloaded
__global__ void a(int* p) { p[over(1)] = 0; }

__device__ int read() { return blockIdx.x; }
// CHECK: kernel 'b' {{.*}} 'read' {{.*}}; which is not called in the plain way everywhere
__global__ void b(int* p) { p[::read()] = 0; }

struct Grid { __device__ int size() const { return gridDim.x; } };
// CHECK: kernel 'c' {{.*}} 'size' (gridDim {{.*}}; which is a member or an operator
__global__ void c(int* p) { p[Grid().size()] = 0; }

__device__ int late();
// CHECK: kernel 'd' {{.*}}; which is defined after its caller
__global__ void d(int* p) { p[late()] = 0; }
__device__ int late() { return blockIdx.x; }

__device__ int again(int n) { return n ? again(n - 1) : blockIdx.x; }
// CHECK: kernel 'e' {{.*}}; which calls itself
__global__ void e(int* p) { p[again(2)] = 0; }

#define DEVICE static __device__
DEVICE int hidden() { return blockIdx.x; }
// CHECK: kernel 'f' {{.*}}; whose specifiers cannot be taken
__global__ void f(int* p) { p[hidden()] = 0; }
