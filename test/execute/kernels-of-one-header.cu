// A header that is included again and again makes a kernel each time, under a name that a macro joins; first
// it only declares one, which is launched before its definition.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --outlined=some
#include "Inputs/Expect.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#define KERNEL_NAME(x, ...) x##_twice##__VA_ARGS__
#define DECLARATION_ONLY
#include "Inputs/Steps.inc"
#undef DECLARATION_ONLY

static void launchEarly(int* out) {
  step_twice_plain<<<40, 64>>>(out);
}

#define FACTOR 2
#include "Inputs/Steps.inc"
#define WITH_SUM
#include "Inputs/Steps.inc"
#undef FACTOR
#undef KERNEL_NAME
#define FACTOR 3
#define KERNEL_NAME(x, ...) JOIN(JOIN(x, _thrice), __VA_ARGS__)
namespace other {
#include "Inputs/Steps.inc"
}

int main() {
  int* out = deviceArray<int>(40 * 64);
  launchEarly(out);
  expect<int>("twice", out, 40 * 64,
              [](std::size_t index) { return index % 5 == 0 ? 0 : 2 * static_cast<int>(index); });
  step_twice_sum<<<1, 5>>>(out);
  expect<int>("sum", out, 5,
              [](std::size_t index) { return index == 0 ? 0 : static_cast<int>(index) * 2 + 4; });
  other::step_thrice_sum<<<1, 5>>>(out);
  expect<int>("other", out, 5,
              [](std::size_t index) { return index == 0 ? 0 : static_cast<int>(index) * 3 + 4; });
}
