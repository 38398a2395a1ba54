// Mbarriers that a twin cannot be told of: begun by a constructor, an operator, a macro, a lambda that
// sees no parameter, a library, or in assembly of another form; and more than the twin has room for.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
#include <cstdint>
#include <cuda/barrier>
#include <cuda/std/memory>
#include <new>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
// CHECK: GS029.cu:[[@LINE+3]]:14: remark: kernel 'constructed' kept native: [GS029] {{.*}}calls 'barrier' (init
__global__ void constructed() {
  __shared__ Barrier bar;
  new (&bar) Barrier(3);
}
struct Gate {
  Barrier bar;
  __device__ void operator~() { init(&bar, 1); }
};
// CHECK: GS029.cu:[[@LINE+3]]:3: remark: kernel 'operation' kept native: [GS029] {{.*}}calls 'operator~' (init in 'operator~'); which is an operator
__global__ void operation() {
  __shared__ Gate gate;
  ~gate;
}
#define BEGIN(BAR, COUNT) init(&(BAR), COUNT)
// CHECK: GS029.cu:[[@LINE+3]]:3: remark: kernel 'macro' kept native: [GS029] {{.*}}: init
__global__ void macro() {
  __shared__ Barrier bar;
  BEGIN(bar, 4);
}
// CHECK: GS029.cu:[[@LINE+3]]:43: remark: kernel 'lambda' kept native: [GS029] {{.*}}: init
__global__ void lambda() {
  __shared__ Barrier bar;
  const auto begin = [](Barrier* given) { init(given, 4); };
  begin(&bar);
}
// CHECK: GS029.cu:[[@LINE+5]]:3: remark: kernel 'library' kept native: [GS029] {{.*}}calls 'destroy_at'
__global__ void library() {
  __shared__ Barrier bar;
  init(&bar, 4);
  __syncthreads();
  cuda::std::destroy_at(&bar);
}
// CHECK: GS029.cu:[[@LINE+3]]:3: remark: kernel 'generic' kept native: [GS029] {{.*}}mbarrier in asm
__global__ void generic() {
  __shared__ uint64_t bar;
  asm volatile("mbarrier.init.b64 [%0], 1;" ::"l"(&bar));
}
// CHECK: GS029.cu:[[@LINE+2]]:3: remark: kernel 'predicated' kept native: [GS029] {{.*}}mbarrier in asm
__global__ void predicated(unsigned bar) {
  asm volatile("{ .reg .pred p; elect.sync _|p, -1; @p mbarrier.init.shared.b64 [%0], 1; }" ::"r"(bar));
}
// CHECK: GS029.cu:[[@LINE+1]]:17: remark: kernel 'many' kept native: [GS029] {{.*}}: 65 of them
__global__ void many() {
  __shared__ Barrier bars[5][13];
  init(&bars[0][0], 4);
}
