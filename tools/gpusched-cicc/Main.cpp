// Main.cpp - gpusched-cicc, behind cicc: gives twins the PTX of their kernels.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   nvcc --cicc-prefix gpusched-cicc
//     runs gpusched-cicc cicc ... -o k.ptx
//
//     cicc as asked; then, where the PTX has twins without a body, k.ptx with the kernels' bodies
//     in them (Splice.h)
//
// What cannot be spliced is an error, with a line for each twin: such twins would do nothing.
// Kernels for two launches that cannot be are left empty, which --gpusched-explain shows.
#include "tools/gpusched-cc/Process.h"
#include "tools/gpusched-cicc/Pairs.h"
#include "tools/gpusched-cicc/Splice.h"

#include "rt/schema/TextFile.h"
#include "rt/support/Environment.h"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>

using namespace gpusched;

namespace {

constexpr int kUsageExitCode = 1, kSpliceExitCode = 1;

std::string outputOf(const cc::Command& command) {
  const auto found = std::find(command.begin(), command.end(), "-o");
  return found == command.end() || found + 1 == command.end() ? "" : found[1];
}

Status splice(const std::string& path) {
  Result<std::string> ptx = readTextFile(path);
  if (!ptx || !(cicc::hasShells(*ptx) || cicc::hasPairs(*ptx)))
    return ptx.status();
  Result<cicc::SplicedText> spliced = cicc::spliceBodies(*ptx);
  if (!spliced)
    return spliced.status();
  if (environmentFlag("GPUSCHED_CC_EXPLAIN"))
    for (const std::string& note : spliced->notes)
      std::fprintf(stderr, "gpusched-cicc: %s\n", note.c_str());
  return writeTextFile(path, spliced->ptx);
}

} // namespace

int main(int argc, char** argv) {
  const cc::Command command(argv + 1, argv + argc);
  if (command.empty()) {
    std::fputs("usage: gpusched-cicc CICC ARGUMENTS...\n"
               "nvcc runs it in front of cicc, see docs/gpusched-cc.md\n",
               stderr);
    return kUsageExitCode;
  }
  if (const int code = cc::runAttached(command); code != 0)
    return code;
  const Status status = splice(outputOf(command));
  std::istringstream reasons(status.ok() ? std::string() : status.message());
  for (std::string reason; std::getline(reasons, reason);)
    std::fprintf(stderr, "gpusched-cicc: error: %s\n", reason.c_str());
  return status.ok() ? 0 : kSpliceExitCode;
}
