// Barriers in assembly with a number and a count of threads: those who have left never counted
// there, so whole warps may leave before them. All else stays a barrier that cannot be replaced.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s --implicit-check-not=remark:
// RUN: grep -v '^// ' %t.out | FileCheck %s --check-prefix=OUT
// RUN: %reparse %t.out
// OUT: void warps__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* p)
__global__ void warps(int* p) {
  if (threadIdx.x / 32 >= 2) return;
  asm volatile("bar.sync 1, 64;");
  p[threadIdx.x] = 1;
}
constexpr int kNumber = 3;
template <int Count> __device__ void meet() {
  asm volatile("barrier.cta.sync %0, %1;" ::"n"(kNumber), "r"(Count) : "memory");
}
// OUT: void operands__gs_body(const ::uint3 blockIdx, const ::dim3 gridDim, int* p)
__global__ void operands(int* p) {
  const auto wait = [] { meet<64>(); };
  if (threadIdx.x / 32 < 2) { wait(); p[threadIdx.x] = 1; }
}
// CHECK: remark: kernel 'lanes' kept native: [GS041] {{.*}}: asm barrier of some warps
__global__ void lanes(int* p, int n) {
  if (threadIdx.x >= n) return;
  asm volatile("bar.sync 1, 64;");
}
// CHECK: remark: kernel 'zero' kept native: [GS040] {{.*}}: asm barrier
__global__ void zero() { if (threadIdx.x / 32 < 2) asm volatile("bar.sync 0, 64;"); }
// CHECK: remark: kernel 'all' kept native: [GS040] {{.*}}: asm barrier
__global__ void all() { if (threadIdx.x / 32 < 2) asm volatile("bar.sync 1;"); }
// CHECK: remark: kernel 'computed' kept native: [GS040] {{.*}}: asm barrier
__global__ void computed(int n) { if (threadIdx.x / 32 < 2) asm volatile("bar.sync %0, 64;" ::"r"(n)); }
// CHECK: remark: kernel 'arrives' kept native: [GS040] {{.*}}: asm barrier
__global__ void arrives() { if (threadIdx.x / 32 < 2) asm volatile("bar.arrive 1, 64;"); }
// CHECK: remark: kernel 'more' kept native: [GS040] {{.*}}: asm barrier
__global__ void more() { if (threadIdx.x / 32 < 2) asm volatile("bar.sync 1, 64; bar.sync 0;"); }
// CHECK: remark: kernel 'reduces' kept native: [GS040] {{.*}}: asm barrier
__global__ void reduces(int* p) {
  int some;
  if (threadIdx.x / 32 < 2) asm volatile("{ .reg .pred a, b; setp.ne.s32 a, %1, 0; bar.red.or.pred b, 1, 64, a; selp.s32 %0, 1, 0, b; }" : "=r"(some) : "r"(*p));
  *p = some;
}
