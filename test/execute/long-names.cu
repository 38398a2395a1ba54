// Kernels whose symbols are longer than libstdc++ demangles: more than a thousand letters.
// RUN: %gpusched-cc --gpusched-strict -arch=sm_90 -std=c++17 -ptx %s -o %t.ptx && FileCheck %s < %t.ptx
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags="-std=c++17"
// CHECK: .entry _Z8fill__gsI5LayerILi140
// CHECK: mov.b32 gpusched_ctaid_x
#include "Inputs/Expect.h"

template <int kNumber, class... Inner> struct Layer {
  static constexpr int kValue = (kNumber + ... + Inner::kValue);
};
template <int kDepth> struct Nested {
  using Type = Layer<kDepth, typename Nested<kDepth - 1>::Type, Layer<kDepth % 7>>;
};
template <> struct Nested<0> {
  using Type = Layer<0>;
};

template <class Layers> __global__ void fill(Layers, int* out) {
  if (threadIdx.x == 0)
    out[blockIdx.x] = Layers::kValue + static_cast<int>(blockIdx.x);
}

template <int kDepth> void check(const char* name, int value) {
  int* out = deviceArray<int>(70);
  fill<<<70, 32>>>(typename Nested<kDepth>::Type(), out);
  expect<int>(name, out, 70, [=](std::size_t block) { return value + static_cast<int>(block); });
}

int main() {
  check<3>("short", 12);
  check<140>("long", 140 * 141 / 2 + 20 * 21);
}
