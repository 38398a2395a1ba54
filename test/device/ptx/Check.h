// Check.h - the check macros of the PTX and image test programs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A failed check prints where and what, and the program's exit status says so; the other
// checks still run.
#pragma once

#include <iostream>

namespace gpusched::test {

inline int failures = 0;

inline void report(bool ok, const char* file, int line, const char* what) {
  if (ok)
    return;
  ++failures;
  std::cerr << file << ":" << line << ": failed: " << what << "\n";
}

template <class A, class B>
void reportEqual(const A& a, const B& b, const char* file, int line, const char* what) {
  if (a == b)
    return;
  ++failures;
  std::cerr << file << ":" << line << ": failed: " << what << ": '" << a << "' is not '" << b
            << "'\n";
}

/// The exit status of main().
inline int finish() {
  if (failures == 0)
    std::cout << "all checks passed\n";
  return failures != 0;
}

} // namespace gpusched::test

#define CHECK(condition) gpusched::test::report(bool(condition), __FILE__, __LINE__, #condition)
#define CHECK_EQUAL(a, b) gpusched::test::reportEqual((a), (b), __FILE__, __LINE__, #a " == " #b)
