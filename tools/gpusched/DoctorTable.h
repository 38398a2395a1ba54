// DoctorTable.h - the lines that gpusched doctor prints.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ok: works. missing: not there, and the next step. blocked: there, but something is in the way.
// -: not looked at, because it needs an earlier line.
#pragma once

#include <cstdio>
#include <string>

namespace gpusched::tool {

class DoctorTable {
public:
  void ok(const char* what, const std::string& found) { line("ok", what, found, ""); }
  void missing(const char* what, const std::string& found, const std::string& next) {
    line("missing", what, found, next);
  }
  void blocked(const char* what, const std::string& found, const std::string& next) {
    line("blocked", what, found, next);
  }
  void skipped(const char* what, const std::string& needs) {
    line("-", what, "needs " + needs, "");
  }
  /// ok() or missing().
  bool check(bool good, const char* what, const std::string& found, const std::string& next) {
    good ? ok(what, found) : missing(what, found, next);
    return good;
  }

private:
  static void line(const char* state, const char* what, const std::string& found,
                   const std::string& next) {
    std::printf("%-8s %-18s %s\n", state, what, found.c_str());
    if (!next.empty())
      std::printf("%-8s %-18s -> %s\n", "", "", next.c_str());
  }
};

/// Driver, GPU, green contexts, MPS, CUPTI and the permission to count, in the safe order.
void checkCuda(DoctorTable& table);

} // namespace gpusched::tool
