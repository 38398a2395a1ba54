// Check.h - check macros of the cudart tests: the first thing that is wrong ends the program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK_IS(EXPRESSION, EXPECTED)                                                             \
  do {                                                                                             \
    auto checkedValue = (EXPRESSION);                                                              \
    if (!(checkedValue == (EXPECTED))) {                                                           \
      std::printf("%s:%d: %s is %lld, not %s\n", __FILE__, __LINE__, #EXPRESSION,                  \
                  (long long)checkedValue, #EXPECTED);                                             \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (false)

#define CHECK_TRUE(EXPRESSION) CHECK_IS(bool(EXPRESSION), true)
#define CHECK_OK(CALL) CHECK_IS(CALL, cudaSuccess)
