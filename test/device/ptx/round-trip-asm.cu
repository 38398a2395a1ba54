// Inline assembly: scopes that shadow, labels, pairs, vectors, special registers: printed from the parsed form, it assembles to the same code.
// RUN: %nvcc -ptx -arch=compute_90 %s -o %t.ptx
// RUN: grep -v "[.]pragma" %t.ptx > %t.original.ptx
// RUN: %build/test-bin/ptx-ModulePrinter %t.ptx > %t.printed.ptx
// RUN: %cuda/bin/ptxas -c -arch=sm_90 -O1 %t.original.ptx -o %t.original.cubin
// RUN: %cuda/bin/ptxas -c -arch=sm_90 -O1 %t.printed.ptx -o %t.printed.cubin
// RUN: %build/test-bin/image-SameCode %t.original.cubin %t.printed.cubin
__global__ void kernel(unsigned* out, unsigned long long* wide, unsigned a) {
  unsigned b;
  asm("{ .reg .u32 t; .reg .pred p; mov.u32 t, %%laneid; setp.eq.u32 p, t, 3; @p add.u32 t, t, 5;"
      "{ .reg .u32 t; mov.u32 t, 9; add.u32 %0, t, 1; } add.u32 %0, %0, t; }"
      : "=r"(b));
  for (int i = 0; i < 2; ++i)
    asm volatile("{ .reg .pred p; AGAIN: ld.global.u32 %0, [%1+4]; setp.ne.u32 p, %0, 0;"
                 "@!p bra AGAIN; bra OUT; trap; OUT: }"
                 : "=r"(b)
                 : "l"(out + i));
  asm("{ .reg .b16 low, high; mov.b32 {low, high}, %1; mov.b32 %0, {high, low}; }"
      : "=r"(out[0])
      : "r"(a));
  asm volatile("{ .reg .pred p, q; setp.lt.and.u32 p|q, %1, 3, !q; elect.sync _|p, 0xffffffff;"
               "@q st.global.u32 [%0 + 4 * 16], 2; }" ::"l"(out), "r"(a));
  asm("vadd.u32.u32.u32.sat %0, %1.b1, %2.h1, %1;" : "=r"(out[1]) : "r"(a), "r"(b));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(wide[0]));
  asm volatile("bar.sync 1, 64; barrier.cta.sync 2, 64;");
  asm("fma.rn.f32 %0, 0f3F800000, 1.5, -2.5;" : "=r"(out[2]));
}
