// Kernels over closures of function templates. The function is a part of the kernel's symbol, and so are
// its template parameters: packs and not, of values, types and templates, of a member of a class template.
// Clang and nvcc do not abbreviate the kernel's own parameters the same way then.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-std=c++17 --extended-lambda"
#include "Inputs/Expect.h"

template <class T> struct Box {
  T value;
};

template <int kMore, class F, class... A> __global__ void pack(F f, A... a) {
  f(kMore + (0 + ... + a));
}
template <int kMore, class F, class... A> __global__ void packOfPointers(F f, const A*... a) {
  f(kMore + (0 + ... + static_cast<int>(sizeof(*a))));
}
template <int kMore, class F, class A> __global__ void one(F f, A a) {
  f(kMore + a);
}
template <int kMore, class F, class A> __global__ void onePointer(F f, const A*) {
  f(kMore + static_cast<int>(sizeof(A)));
}
template <class F, int kSize, class A> __global__ void array(F f, A (*)[kSize]) {
  f(kSize);
}
template <class F, template <class> class Holder> __global__ void holder(F f, Holder<int> h) {
  f(h.value);
}
template <class F> __global__ void overloaded(F f, int) {
  f(6);
}
template <class F> __global__ void overloaded(F f, int, int) {
  f(7);
}

void check(const char* name, const int* out, int expected) {
  expect<int>(name, out, 80, [=](std::size_t block) { return expected + static_cast<int>(block); });
}

template <class F> void launchAll(const char* name, F f, int* out) {
  std::printf("%s\n", name);
  pack<1><<<80, 32>>>(f, 1, 2);
  check("pack", out, 4);
  packOfPointers<1><<<80, 32>>>(f, out, out);
  check("pack of pointers", out, 9);
  one<2><<<80, 32>>>(f, 1);
  check("one", out, 3);
  onePointer<2><<<80, 32>>>(f, out);
  check("one pointer", out, 6);
  array<<<80, 32>>>(f, static_cast<int(*)[5]>(nullptr));
  check("array", out, 5);
  holder<<<80, 32>>>(f, Box<int>{8});
  check("holder", out, 8);
  overloaded<<<80, 32>>>(f, 0);
  check("overloaded", out, 6);
  overloaded<<<80, 32>>>(f, 0, 0);
  check("overloaded again", out, 7);
}

#define STORE(out) \
  [=] __device__(int x) { if (threadIdx.x == 0) out[blockIdx.x] = x + static_cast<int>(blockIdx.x); }

template <class A, class B, class C> void types(A, B, C, int* out) {
  launchAll("types", STORE(out), out);
}
template <class A, class B, class... C> void packs(A, B, int* out, C...) {
  launchAll("packs", STORE(out), out);
}
template <class A, template <class> class B, class C> void templates(B<A>, const C*, int* out) {
  launchAll("templates", STORE(out), out);
}
template <class T> struct Class {
  template <class A, class B> void member(T, A, B, int* out) { launchAll("member", STORE(out), out); }
};
template <class F, class A> void around(F f, A, int* out) {
  launchAll("around another", [=] __device__(int x) { f(x); }, out);
}

int main() {
  int* out = deviceArray<int>(80);
  types(1, 2.f, 3, out);
  packs(1, 2.f, out, 3, 4.f);
  templates(Box<int>(), out, out);
  Class<int>().member(1, 2.f, 3, out);
  around(STORE(out), 1, out);
}
