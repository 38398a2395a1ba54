// Device lambdas as kernel arguments: their types have no name, so kernel and twin are found by
// their symbols. From main, a static function, a template, a namespace without a name, behind a pack, as a
// host-device lambda, as an argument of another template, and two instantiations of one lambda.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc --flags=--extended-lambda
#include "Inputs/Expect.h"

template <class Function> __global__ void forEach(int count, Function function) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count)
    function(index);
}

namespace tools {
template <class First, class... Rest>
static __global__ void __launch_bounds__(64) applyAll(int* out, First first, Rest... rest) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int values[64];
  values[threadIdx.x] = first(index);
  __syncthreads();
  out[index] = values[blockDim.x - 1 - threadIdx.x] + (0 + ... + rest(index));
}
template <class Function> struct Twice {
  Function function;
  __device__ int operator()(int index) const { return 2 * function(index); }
};
template <class Function> Twice<Function> twice(Function function) { return {function}; }
} // namespace tools

namespace {
template <int N, class Value> __global__ void addTo(Value* out, int count) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count)
    out[index] += N;
}
void addLater(int* out) {
  forEach<<<32, 32>>>(1000, [=] __device__(int index) { out[index] += 7; });
  addTo<5><<<32, 32>>>(out, 1000);
}
} // namespace

template <class Value> void scale(Value* out, Value factor) {
  forEach<<<32, 32>>>(1000, [=] __device__(int index) { out[index] *= factor; });
}

static void addOne(int* out) {
  forEach<<<32, 32>>>(500, [=] __host__ __device__(int index) { out[index] += 1; });
}

int main() {
  int* out = deviceArray<int>(1000);
  const int factor = 3;
  forEach<<<32, 32>>>(1000, [=] __device__(int index) { out[index] = index * factor; });
  addOne(out);
  addLater(out);
  scale(out, 2);
  expect<int>("lambda", out, 1000, [](std::size_t index) {
    return 2 * (static_cast<int>(index) * 3 + (index < 500 ? 1 : 0) + 12);
  });
  float* reals = deviceArray<float>(1000);
  forEach<<<32, 32>>>(1000, [=] __device__(int index) { reals[index] = index; });
  scale(reals, 0.5f);
  expect<float>("template", reals, 1000, [](std::size_t index) { return index * 0.5f; });
  int* sums = deviceArray<int>(20 * 64);
  const auto square = [] __device__(int index) { return index * index; };
  tools::applyAll<<<20, 64>>>(sums, [=] __device__(int index) { return index + factor; },
                              tools::twice(square), square);
  expect<int>("pack", sums, 20 * 64, [](std::size_t index) {
    const int i = static_cast<int>(index);
    return i / 64 * 64 + 63 - i % 64 + 3 + 3 * i * i;
  });
}
