// divisor_test - multiply-and-shift division against division, at and around every edge.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/Divisor.h"
#include "test/Check.h"

#include <random>

using namespace gpusched;

static void agrees(uint32_t dividend, uint32_t divisor) {
  uint32_t quotient = divide(dividend, makeDivisor(divisor));
  if (quotient != dividend / divisor)
    checkFailed(__FILE__, __LINE__) << dividend << " / " << divisor << " gave " << quotient << "\n";
}

/// Where the quotient changes, and the ends of the range.
static void edges(uint32_t divisor) {
  uint32_t last = UINT32_MAX / divisor * divisor;
  for (uint32_t dividend : {0u, 1u, divisor - 1, divisor, divisor + 1, last - 1, last, last + 1,
                            UINT32_MAX - 1, UINT32_MAX})
    agrees(dividend, divisor);
}

int main() {
  for (uint32_t divisor = 1; divisor <= 70'000; ++divisor)
    edges(divisor);
  for (uint32_t bit = 0; bit < 32; ++bit)
    for (uint32_t near : {-1, 0, 1})
      if (uint32_t divisor = (1u << bit) + near; divisor > 0)
        edges(divisor);
  std::mt19937 random(1);
  for (int i = 0; i < 1'000'000; ++i)
    agrees(uint32_t(random()), uint32_t(random() >> random() % 31) | 1u);
  return checkResult();
}
