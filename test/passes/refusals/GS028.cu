// Assembly that names the block index or ends a thread, in the kernel and in a callee.
// RUN: %gpusched-opt --explain %s 2>&1 >%t.out | FileCheck %s
// RUN: cmp %s %t.out
__device__ unsigned index() {
  unsigned i;
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(i));
  return i;
}
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'a' kept native: [GS028] {{.*}}calls 'index'
__global__ void a(int* p) { p[index()] = 1; }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'b' kept native: [GS028]
__global__ void b(int* p) { if (p[0]) asm("exit;"); p[0] = 1; }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'c' kept native: [GS028]
__global__ void c(int* p) { asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;"); }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'd' kept native: [GS028] {{.*}}: { .reg .u32 t;  mov.u32 t, %%nctaid.
__global__ void d(int* p) { asm volatile("{\n.reg .u32 t;\n\tmov.u32 t, %%nctaid.x;\n}"); }
// What is `ret` in a kernel ends the thread; a register of that name does not.
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'e' kept native: [GS028] {{.*}}ret;
__global__ void e(int* p) { if (p[0]) asm volatile("ret;"); p[0] = 1; }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'f' kept native: [GS028]
__global__ void f(int* p) { asm volatile("{ .reg .pred q; setp.ne.u32 q, %0, 0;\n @q ret.uni; }" ::"r"(p[0])); }
// A twin has shared memory of its own.
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'g' kept native: [GS028]
__global__ void g(int* p) { asm("mov.u32 %0, %%total_smem_size;" : "=r"(p[0])); }
// CHECK: [[@LINE+1]]:{{[0-9]+}}: remark: kernel 'h' kept native: [GS028]
__global__ void h(int* p) { asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(p[0])); }
