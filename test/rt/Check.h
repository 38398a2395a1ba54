// Check.h - check macros of the C++ unit tests.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test is a plain main(): CHECK prints file, line and text of what is false and goes on;
// CHECK_EQUAL also prints both values; `return checkResult();` is 0 when all held.
#pragma once

#include <cmath>
#include <iostream>

inline int& failedChecks() {
  static int failed = 0;
  return failed;
}

inline std::ostream& checkFailed(const char* file, int line) {
  ++failedChecks();
  return std::cerr << file << ":" << line << ": ";
}

inline int checkResult() {
  if (failedChecks())
    std::cerr << failedChecks() << " checks failed\n";
  return failedChecks() ? 1 : 0;
}

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition))                                                                              \
      checkFailed(__FILE__, __LINE__) << "not true: " #condition "\n";                             \
  } while (false)

#define CHECK_EQUAL(left, right)                                                                   \
  do {                                                                                             \
    const auto& checkedLeft = (left);                                                              \
    const auto& checkedRight = (right);                                                            \
    if (!(checkedLeft == checkedRight))                                                            \
      checkFailed(__FILE__, __LINE__)                                                              \
          << #left " is " << checkedLeft << ", expected " << checkedRight << "\n";                 \
  } while (false)

#define CHECK_NEAR(left, right, tolerance)                                                         \
  do {                                                                                             \
    if (!(std::fabs((left) - (right)) <= (tolerance)))                                             \
      checkFailed(__FILE__, __LINE__)                                                              \
          << #left " is " << (left) << ", expected " << (right) << " +- " << (tolerance) << "\n";  \
  } while (false)
