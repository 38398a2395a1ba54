// Bit counts, reversals, high products, funnel shifts, byte permutes and dot products.
// RUN: %nvcc -o %t %s && %gpusched run --device=auto -- %t
#include "../execute/Inputs/Expect.h"

__global__ void bits(const unsigned* in, unsigned* out, int count) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count)
    return;
  const unsigned a = in[index], b = in[(index + 1) % count];
  unsigned* to = out + index * 10;
  to[0] = __popc(a) * 100 + __clz(a);
  to[1] = __brev(a);
  to[2] = __ffs(a);
  to[3] = __umulhi(a, b);
  to[4] = __mulhi(static_cast<int>(a), static_cast<int>(b));
  to[5] = __funnelshift_l(a, b, index % 40);
  to[6] = __byte_perm(a, b, 0x5127);
  to[7] = __dp4a(static_cast<int>(a), static_cast<int>(b), index);
  to[8] = __usad(a, b, 7);
  to[9] = static_cast<unsigned>(static_cast<long long>(a >> 2) * (b >> 2) % 1000003 / (b % 7 + 1));
}

unsigned reversed(unsigned value) {
  unsigned result = 0;
  for (int bit = 0; bit < 32; ++bit)
    result |= (value >> bit & 1) << (31 - bit);
  return result;
}

unsigned hostValue(unsigned a, unsigned b, int index, int which) {
  const unsigned long long both = static_cast<unsigned long long>(b) << 32 | a;
  const int shift = index % 40 % 32;
  int dot = index;
  for (int byte = 0; byte < 4; ++byte)
    dot += static_cast<signed char>(a >> 8 * byte) * static_cast<signed char>(b >> 8 * byte);
  auto byteOf = [&](int selector) { return static_cast<unsigned>(both >> 8 * selector & 255); };
  switch (which) {
  case 0: return __builtin_popcount(a) * 100 + (a ? __builtin_clz(a) : 32);
  case 1: return reversed(a);
  case 2: return __builtin_ffs(static_cast<int>(a));
  case 3: return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
  case 4: return static_cast<unsigned>(static_cast<long long>(int(a)) * int(b) >> 32);
  case 5: return static_cast<unsigned>(both << shift >> 32);
  case 6: return byteOf(7) | byteOf(2) << 8 | byteOf(1) << 16 | byteOf(5) << 24;
  case 7: return static_cast<unsigned>(dot);
  case 8: return (a > b ? a - b : b - a) + 7;
  }
  return static_cast<unsigned>(static_cast<long long>(a >> 2) * (b >> 2) % 1000003 / (b % 7 + 1));
}

int main() {
  std::vector<unsigned> in = {0, 1, 0x80000000u, ~0u, 12345, 0xDEADBEEFu, 255, 1u << 16};
  for (unsigned index = 0; index < 200; ++index)
    in.push_back(index * 2654435761u);
  const int count = static_cast<int>(in.size());
  unsigned* out = deviceArray<unsigned>(count * 10);
  bits<<<(count + 31) / 32, 32>>>(deviceCopy(in), out, count);
  expect<unsigned>("bits", out, count * 10, [&](std::size_t at) {
    const int index = static_cast<int>(at / 10);
    return hostValue(in[index], in[(index + 1) % count], index, static_cast<int>(at % 10));
  });
}
