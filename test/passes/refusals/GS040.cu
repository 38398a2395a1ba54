// Threads leave before a barrier that is not the kernel's own __syncthreads().
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
struct Block { __device__ void operator~() const { __syncthreads(); } };
// CHECK: remark: kernel 'a' kept native: [GS040] {{.*}}__syncthreads in 'operator~'
__global__ void a(int* p, int n) {
  if (threadIdx.x >= n) return;
  ~Block();
  p[threadIdx.x] = 1;
}
// CHECK: remark: kernel 'b' kept native: [GS040] {{.*}}__barrier_sync
__global__ void b(int* p, int n) {
  if (threadIdx.x < n) __barrier_sync(p[0]);
}
// CHECK: remark: kernel 'c' kept native: [GS040] {{.*}}asm barrier
__global__ void c(int* p) {
  for (int i = threadIdx.x; i < 100; i += 7) asm volatile("bar.sync %0;" ::"r"(p[0]));
}
// A destructor that waits, wherever its object ends.
struct Waits { __device__ ~Waits() { __syncthreads(); } };
struct Holds { Waits waits; };
// CHECK: remark: kernel 'd' kept native: [GS040] {{.*}}__syncthreads in '~Waits'
__global__ void d(int* p, int n) {
  if (threadIdx.x >= n) return;
  { Holds holds; p[threadIdx.x] = 1; }
  p[0] = 1;
}
struct Joins { __device__ ~Joins() { __syncwarp(); } };
__device__ void join() { Joins(); }
// CHECK: remark: kernel 'e' kept native: [GS040] {{.*}}__syncwarp in '~Joins'
__global__ void e(int* p) { if (threadIdx.x < *p) join(); }
struct Asks { __device__ ~Asks() { __syncthreads_or(1); } };
// CHECK: remark: kernel 'f' kept native: [GS040] {{.*}}__syncthreads_or in '~Asks'
__global__ void f(int* p, int n) {
  if (threadIdx.x >= n) return;
  { Asks asks; p[threadIdx.x] = 1; }
  p[0] = 1;
}
// What default arguments and members' initialisers call, and what they leave.
__device__ int wait() { if (threadIdx.x > 40) return 0; __syncthreads(); return 2; }
__device__ int given(int n = wait()) { return n; }
// CHECK: remark: kernel 'g' kept native: [GS040] {{.*}}__syncthreads in 'wait'
__global__ void g(int* p) { p[threadIdx.x] = given(); }
struct Part { int n = wait(); };
// CHECK: remark: kernel 'h' kept native: [GS040] {{.*}}'wait' (__syncthreads in 'wait')
__global__ void h(int* p) { if (threadIdx.x > 50) return; Part part{}; *p = part.n; }
struct Owner { int n; __device__ Owner() : n(wait()) {} };
// CHECK: remark: kernel 'i' kept native: [GS040] {{.*}}calls 'Owner' (__syncthreads in 'wait')
__global__ void i(int* p) { Owner owner; *p = owner.n; }
// A declaration inside the body hides the parameter that would wait for those who have left.
// CHECK: remark: kernel 'j' kept native: [GS040] {{.*}}__syncthreads
__global__ void j(int* p, int n) {
  if (threadIdx.x >= n) return;
  if (n) { using ::__syncthreads; __syncthreads(); }
  p[threadIdx.x] = 1;
}
// CHECK: remark: kernel 'k' kept native: [GS040] {{.*}}asm barrier
__global__ void k(int* p) {
  if (threadIdx.x >= 32) return;
  asm volatile("bar.cta.sync %0;" ::"r"(p[0]));
  p[threadIdx.x] = 1;
}
// A barrier in assembly behind others that some threads pass more often.
// CHECK: remark: kernel 'l' kept native: [GS040] {{.*}}__syncthreads
__global__ void l(int* p) {
  if (threadIdx.x >= 32) __syncthreads();
  __syncthreads();
  asm volatile("bar.sync 0; membar.gl;");
  p[threadIdx.x] = 1;
}
