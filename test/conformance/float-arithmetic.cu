// Operations that IEEE 754 defines exactly: the device must give the host's bits.
// RUN: %nvcc -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

#include <cmath>
#include <cstring>

__global__ void arithmetic(const float* in, float* out, double* wide, int count) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count)
    return;
  const float a = in[index], b = in[(index + 1) % count], c = in[(index + 2) % count];
  float* to = out + index * 8;
  to[0] = __fadd_rn(__fmul_rn(a, b), c);
  to[1] = fmaf(a, b, c);
  to[2] = __fdiv_rn(a, b);
  to[3] = sqrtf(fabsf(a));
  to[4] = fminf(a, b) + fmaxf(b, c);
  to[5] = truncf(a) + floorf(b) + ceilf(c);
  to[6] = rintf(a);
  to[7] = static_cast<float>(static_cast<int>(a * 0.5f));
  wide[2 * index] = fma(double(a), double(b), double(c)) / (fabs(double(c)) + 3);
  wide[2 * index + 1] = sqrt(fabs(double(a)) + 0.1);
}

int main() {
  std::vector<float> in = {0.5f, -0.0f, 1.5f, 2.5f, -3.5f, 1e-30f, -1e20f, 3.0f, 16777217.0f};
  for (int index = 1; index < 300; ++index)
    in.push_back(std::sin(index * 0.7f) * index);
  const int count = static_cast<int>(in.size());
  float* out = deviceArray<float>(count * 8);
  double* wide = deviceArray<double>(count * 2);
  arithmetic<<<(count + 63) / 64, 64>>>(deviceCopy(in), out, wide, count);
  auto at = [&](std::size_t index) { return in[index % count]; };
  expect<float>("single", out, count * 8, [&](std::size_t index) {
    const volatile float a = at(index / 8), b = at(index / 8 + 1), c = at(index / 8 + 2);
    const volatile float product = a * b;
    const float values[8] = {product + c, std::fma(a, b, c), a / b, std::sqrt(std::fabs(a)),
                             std::fmin(a, b) + std::fmax(b, c),
                             std::trunc(a) + std::floor(b) + std::ceil(c), std::rint(a),
                             static_cast<float>(a > -4e9f ? static_cast<int>(a * 0.5f) : -2147483647 - 1)};
    return values[index % 8];
  });
  expect<double>("double", wide, count * 2, [&](std::size_t index) {
    const double a = at(index / 2), b = at(index / 2 + 1), c = at(index / 2 + 2);
    return index % 2 ? std::sqrt(std::fabs(a) + 0.1) : std::fma(a, b, c) / (std::fabs(c) + 3);
  });
}
