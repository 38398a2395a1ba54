// Calls through pointers and of virtual functions: what they may reach is looked up in the file.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --implicit-check-not=remark:
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
// RUN: %gpusched-opt --rdc --explain %s 2>&1 >/dev/null | FileCheck %s --check-prefix=RDC
__device__ int one(int) { return 1; }
using Function = int (*)(int);
__device__ Function table[] = {one, [](int v) { return v; }};
// RDC: remark: kernel 'pointer' kept native: [GS022] {{.*}}a function pointer
// OUT: void pointer__gs_body(
__global__ void pointer(int* p, Function f) { p[blockIdx.x] = f(1) + table[1](1); }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'unknown' kept native: [GS022] {{.*}}a function pointer
__global__ void unknown(int* p, float (*f)(float)) { p[blockIdx.x] = f(1); }

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual int block() const { return 0; }
};
struct Square : Shape {
  __device__ int area() const override { return 4; }
};
struct Tall : Square {
  __device__ int area() const override { return 8; }
  __device__ int block() const override { return blockIdx.x; }
};
// RDC: remark: kernel 'object' kept native: [GS022] {{.*}}virtual function Shape::area
// OUT: void object__gs_body(
__global__ void object(int* p, Shape* shape) { p[blockIdx.x] = shape->area(); }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'reads' kept native: [GS022] {{.*}}calls 'block' (blockIdx at {{.*}}); through a pointer or a virtual function
__global__ void reads(int* p, Shape* shape) { p[blockIdx.x] = shape->block(); }

__device__ void wait(int) { __syncthreads(); }
__device__ void (*waits)(int) = wait;
// OUT: void together__gs_body(
__global__ void together(int* p) { waits(*p); }
// CHECK: remark: kernel 'apart' kept native: [GS022] {{.*}}calls 'wait' (__syncthreads in 'wait'); through
__global__ void apart(int* p, int n) {
  if (threadIdx.x < n) waits(*p);
}
// OUT: void member__gs_body(
// CHECK: remark: kernel 'throughMember' kept native: [GS022]
__global__ void throughMember(int* p) {
  int (Square::*const f)() const = &Square::area;
  *p = (Square().*f)();
}
__global__ void member(int* p) { *p = Square().area(); }

// A function that is passed to a function of the file: all callers are in sight, with -rdc too.
__device__ long first(long v) { return v; }
template <class F> __device__ long call(F&& f, long v) { return f(v); }
__device__ long hand(long (*f)(long), long v) { return f(v); }
// RDC-NOT: kernel 'passes'
// OUT: void passes__gs_body(
__global__ void passes(long* p) { *p = call(first, 1) + hand(*p ? &first : first, 2); }
__device__ char block(char v) { return blockIdx.x + v; }
template <class F> __device__ char callBlock(F&& f, char v) { return f(v); }
// CHECK: remark: kernel 'passesReader' kept native: [GS022] {{.*}}calls 'block' (blockIdx at
// RDC: remark: kernel 'passesReader' kept native: [GS022] {{.*}}calls 'block' (blockIdx at
__global__ void passesReader(char* p) { *p = callBlock(block, 1); }
__device__ short small(short v) { return v; }
__device__ short changed(short (*f)(short), short v) { if (v) f = &small; return f(v); }
// RDC: remark: kernel 'changes' kept native: [GS022] {{.*}}a function pointer
__global__ void changes(short* p) { *p = changed(small, 1); }
__device__ short open(short (*f)(short), short v) { return f(v); }
__device__ short (*taken)(short (*)(short), short) = open;
// RDC: remark: kernel 'anybody' kept native: [GS022] {{.*}}a function pointer
__global__ void anybody(short* p) { *p = open(small, 1); }
