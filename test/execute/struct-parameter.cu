// Parameters by value: a large struct, a struct with odd alignment, bool, char, and a pointer to
// a pointer.
// RUN: python3 %S/compare.py %s -o %t --build=%build --nvcc=%nvcc
#include "Inputs/Expect.h"

struct Large {
  double weights[40];
  int* target;
};
struct Odd {
  char first;
  short second;
  double third;
  char fourth[3];
};

__global__ void mix(Large large, bool negate, Odd odd, char shift, double** rows) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  const double value = large.weights[index % 40] + odd.first + odd.second + odd.third +
                       odd.fourth[2] + rows[index % 2][blockIdx.x];
  large.target[index] = static_cast<int>(negate ? -value : value) << shift;
}

int main() {
  constexpr int blocks = 33, threads = 64;
  Large large;
  for (int index = 0; index < 40; ++index)
    large.weights[index] = index * 3;
  large.target = deviceArray<int>(blocks * threads);
  const Odd odd = {1, 300, 0.5, {5, 6, 7}};
  std::vector<double> row(blocks, 2.0), otherRow(blocks, 40.0);
  double** rows = deviceCopy<double*>({deviceCopy(row), deviceCopy(otherRow)});
  mix<<<blocks, threads>>>(large, true, odd, 1, rows);
  expect<int>("mix", large.target, blocks * threads, [](std::size_t index) {
    const double value = static_cast<double>(index % 40 * 3) + 308.5 + (index % 2 ? 40 : 2);
    return static_cast<int>(-value) * 2;
  });
}
