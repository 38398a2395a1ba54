// Calls: by value, of results, through pointers, virtual, recursive: printed from the parsed form, it assembles to the same code.
// RUN: %nvcc -ptx -arch=compute_90 -rdc=true %s -o %t.ptx
// RUN: grep -v "[.]pragma" %t.ptx > %t.original.ptx
// RUN: %build/test-bin/ptx-ModulePrinter %t.ptx > %t.printed.ptx
// RUN: %cuda/bin/ptxas -c -arch=sm_90 -O1 %t.original.ptx -o %t.original.cubin
// RUN: %cuda/bin/ptxas -c -arch=sm_90 -O1 %t.printed.ptx -o %t.printed.cubin
// RUN: %build/test-bin/image-SameCode %t.original.cubin %t.printed.cubin
struct Big {
  int words[7];
  double d;
  char c[3];
};
struct Base {
  int v;
  __device__ virtual int f(int x) { return x + v; }
};
struct Derived : Base {
  __device__ int f(int x) override { return x * v; }
};
extern __device__ int other(int);
__device__ __noinline__ Big change(Big b, int i) {
  b.words[i] += 3;
  return b;
}
__device__ __noinline__ long fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ __noinline__ int add(int a, float b) { return a + int(b); }
__device__ __noinline__ int multiply(int a, float b) { return a * int(b); }
__device__ int (*table[2])(int, float) = {add, multiply};

__global__ void kernel(int* out, int n, const Big b) {
  Derived derived;
  derived.v = n;
  Base* base = n > 3 ? &derived : new Base;
  out[0] = base->f(n) + table[n & 1](n, 2.f);
  out[1] = change(b, n & 3).words[1] + int(fibonacci(n)) + other(n);
  delete base;
}
