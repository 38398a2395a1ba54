// Check.h - check macros of the C++ unit tests.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A test is a plain main(): CHECK prints file, line and text of what is false and goes on;
// CHECK_EQUAL also prints both values; `return checkResult();` is 0 when all held. Operands are
// arguments of one call, so what they borrow from temporaries is alive while it is compared.
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

inline void check(bool holds, const char* text, const char* file, int line) {
  if (!holds)
    checkFailed(file, line) << "not true: " << text << "\n";
}

template <class Left, class Right>
void checkEqual(const Left& left, const Right& right, const char* text, const char* file,
                int line) {
  if (!(left == right))
    checkFailed(file, line) << text << " is " << left << ", expected " << right << "\n";
}

inline void checkNear(double left, double right, double tolerance, const char* text,
                      const char* file, int line) {
  if (!(std::fabs(left - right) <= tolerance))
    checkFailed(file, line) << text << " is " << left << ", expected " << right << " +- "
                            << tolerance << "\n";
}

#define CHECK(condition) check(bool(condition), #condition, __FILE__, __LINE__)
#define CHECK_EQUAL(left, right) checkEqual((left), (right), #left, __FILE__, __LINE__)
#define CHECK_NEAR(left, right, tolerance)                                                         \
  checkNear((left), (right), (tolerance), #left, __FILE__, __LINE__)
