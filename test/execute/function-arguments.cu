// Kernels over functions: in an unnamed namespace, instantiations of templates, by pointer and by
// reference, and inside of the type of a functor; over types and enumerators of an unnamed namespace.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-std=c++17"
#include "Inputs/Expect.h"

namespace space {
using Function = int (*)(int);
inline namespace version {
namespace {
enum Factor { kOne = 1, kFive = 5 };
template <class T> struct Size {
  static constexpr int kValue = sizeof(T);
};
__device__ int hidden(int x) {
  return x + 1;
}
template <int kMore, class T> __device__ int more(int x) {
  return x + kMore + static_cast<int>(sizeof(T));
}
} // namespace
__device__ int open(int x) {
  return x + 3;
}
} // namespace version

template <Function kFunction> __global__ void byPointer(int* out) {
  if (threadIdx.x == 0)
    out[blockIdx.x] = kFunction(static_cast<int>(blockIdx.x));
}
template <int (&function)(int)> __global__ void byReference(int* out) {
  if (threadIdx.x == 0)
    out[blockIdx.x] = function(static_cast<int>(blockIdx.x));
}
template <Function kFunction> struct Apply {
  __device__ int operator()(int x) const { return kFunction(x); }
};
template <class F> __global__ void inType(int* out, F f) {
  if (threadIdx.x == 0)
    out[blockIdx.x] = f(static_cast<int>(blockIdx.x));
}
template <Factor kFactor, template <class> class Holder> __global__ void byEnumerator(int* out) {
  if (threadIdx.x == 0)
    out[blockIdx.x] = static_cast<int>(blockIdx.x) + kFactor * Holder<short>::kValue;
}
} // namespace space

void check(const char* name, int* out, int added) {
  expect<int>(name, out, 80, [=](std::size_t block) { return static_cast<int>(block) + added; });
}

int main() {
  int* out = deviceArray<int>(80);
  space::byPointer<space::hidden><<<80, 32>>>(out);
  check("hidden", out, 1);
  space::byPointer<space::more<2, char>><<<80, 32>>>(out);
  check("instantiation", out, 3);
  space::byPointer<space::more<2, space::Size<int>>><<<80, 32>>>(out);
  check("over a hidden type", out, 3);
  space::byPointer<&space::open><<<80, 32>>>(out);
  check("open", out, 3);
  space::byReference<space::hidden><<<80, 32>>>(out);
  check("reference", out, 1);
  space::byReference<space::more<4, int>><<<80, 32>>>(out);
  check("reference of an instantiation", out, 8);
  space::inType<<<80, 32>>>(out, space::Apply<space::hidden>());
  check("in a type", out, 1);
  space::inType<<<80, 32>>>(out, space::Apply<space::more<7, double>>());
  check("instantiation in a type", out, 15);
  space::inType<<<80, 32>>>(out, space::Apply<space::open>());
  check("open in a type", out, 3);
  space::byEnumerator<space::kFive, space::Size><<<80, 32>>>(out);
  check("enumerator", out, 10);
}
