// The block's barrier in assembly is __syncthreads() by another name: it is replaced where threads can leave before it.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --implicit-check-not=remark:
// RUN: grep -v '^ *// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
#define WAIT() asm volatile("bar.sync 0;")

// OUT: void k__gs_body({{.*}}const ::gpusched::BodyBarrier __syncthreads{{.*}}int n)
__global__ void k(int* p, int n) {
  if (threadIdx.x >= n)
    return;
  p[threadIdx.x] = blockIdx.x;
  // OUT: {{^}}  __syncthreads.operator()();
  asm volatile("bar.sync 0;");
  // OUT: {{^}}  __syncthreads.ofGroup();
  asm volatile("barrier.sync 0;" ::: "memory");
  // OUT: {{^}}  __syncthreads.operator()();
  asm("bar.sync %0;" ::"n"(0));
}

// In a function and a template.
// OUT: struct wait__gs_call {{.*}}void operator()() const { __syncthreads.operator()(); }
__device__ void wait() { asm volatile("bar.sync 0;"); }
template <class T> __global__ void t(T* p, T n) {
  if (threadIdx.x >= n)
    return;
  // OUT: {{^}}  __syncthreads.operator()(); p[0] = blockIdx.x;
  asm volatile("bar.sync 0;"); p[0] = blockIdx.x;
  wait();
}
template __global__ void t<int>(int*, int);

// In a loop that threads leave at different rounds, and behind others that some threads pass more often.
// OUT: void rounds__gs_body({{.*}}const ::gpusched::BodyBarrier __syncthreads
__global__ void rounds(int* p) {
  if (threadIdx.x >= 32)
    __syncthreads();
  for (int i = threadIdx.x; i < 100; i += 7)
    // OUT: {{^}}    __syncthreads.operator()();
    asm volatile("bar.cta.sync 0;");
  p[threadIdx.x] = blockIdx.x;
}

// Nobody leaves.
__global__ void stays(int* p) {
  // OUT: {{^}}  asm volatile("bar.sync 0;");
  asm volatile("bar.sync 0;");
  p[threadIdx.x] = blockIdx.x;
}

// A macro, a number that nobody knows, and more than the barrier.
// CHECK: [[#@LINE+2]]:3: remark: kernel 'macro' kept native: [GS040]
__global__ void macro(int* p, int n) {
  if (threadIdx.x < n)
    WAIT();
  p[threadIdx.x] = blockIdx.x;
}
// CHECK: [[#@LINE+2]]:3: remark: kernel 'unknown' kept native: [GS040]
__global__ void unknown(int* p, int n) {
  if (threadIdx.x < n)
    asm volatile("bar.sync %0;" ::"r"(n));
  p[threadIdx.x] = blockIdx.x;
}
// CHECK: [[#@LINE+2]]:3: remark: kernel 'more' kept native: [GS040]
__global__ void more(int* p, int n) {
  if (threadIdx.x < n)
    asm volatile("bar.sync 0; membar.gl;");
  p[threadIdx.x] = blockIdx.x;
}
// A lambda that captures nothing does not see the object.
// CHECK: [[#@LINE+2]]:20: remark: kernel 'lambda' kept native: [GS040]
__global__ void lambda(int* p, int n) {
  auto wait = [] { asm volatile("bar.sync 0;"); };
  if (threadIdx.x < n)
    wait();
  p[threadIdx.x] = blockIdx.x;
}
