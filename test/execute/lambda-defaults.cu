// Templates over lambdas whose parameters have defaults, or no name, or both: of types, values and templates, with
// closers that stick together, in conditions on a type, from macros, and of the function itself.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-std=c++17 --extended-lambda"
#include "Inputs/Expect.h"

#include <type_traits>

#define ZERO 0
#define EITHER(a, b) Pair<a, Box<b>>

template <class T> struct Box {};
template <class T, class U = int> struct Pair {};

template <class F, int kTimes = 3> __global__ void value(F f, int* out) {
  f(out, kTimes);
}
template <class F, class = Pair<int, Box<Box<int>>>, class = EITHER(int, Box<int>)> __global__ void type(F f, int* out) {
  f(out, 4);
}
template <class F, std::enable_if_t<std::is_class<F>::value, bool> = true> __global__ void condition(F f, int* out) {
  f(out, 5);
}
template <class, class F, int, std::enable_if_t<!std::is_same_v<F, int>, int> = ZERO>
__global__ void unnamed(F f, int* out) {
  f(out, 6);
}
template <class F, template <class...> class Holder = Pair, class... Rest>
__global__ void nested(F f, int* out, Holder<int>, Rest... rest) {
  f(out, 7 + static_cast<int>(sizeof...(Rest)) + (0 + ... + rest));
}
template <class F, int kShift = (sizeof(F) > 400) ? 1 : 2> __global__ void ofFunction(F f, int* out, int more = 8, int = kShift) {
  f(out, more + kShift);
}
template <class F, class Number = std::integral_constant<int, (4 > 3) ? 9 : 0>> __global__ void closers(F f, int* out) {
  f(out, Number::value);
}
template <class F, int kMore = 11> __global__ void declared(F f, int* out);
template <class F, int kMore> __global__ void declared(F f, int* out) {
  f(out, kMore);
}
void check(const char* name, int* out, int times) {
  expect<int>(name, out, 80, [=](std::size_t block) { return times * static_cast<int>(block); });
}

int main() {
  const auto f = [] __device__(int* to, int factor) {
    if (threadIdx.x == 0)
      to[blockIdx.x] = factor * static_cast<int>(blockIdx.x);
  };
  int* out = deviceArray<int>(80);
  value<<<80, 32>>>(f, out);
  check("value", out, 3);
  type<<<80, 32>>>(f, out);
  check("type", out, 4);
  condition<<<80, 32>>>(f, out);
  check("condition", out, 5);
  unnamed<int, decltype(f), 2><<<80, 32>>>(f, out);
  check("unnamed", out, 6);
  nested<<<80, 32>>>(f, out, Pair<int>(), 1, 2);
  check("nested", out, 12);
  ofFunction<<<80, 32>>>(f, out);
  check("of function", out, 10);
  closers<<<80, 32>>>(f, out);
  check("closers", out, 9);
  declared<<<80, 32>>>(f, out);
  check("declared", out, 11);
}
