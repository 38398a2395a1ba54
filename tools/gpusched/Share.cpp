// Share.cpp - gpusched share: which processes share a GPU, and what each runs there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks at the board of `gpusched run --share` once, and takes no seat there. A budget is the one
// that the process wrote last; "native" kernels have none.
#include "tools/gpusched/Subcommand.h"

#include "rt/policy/Priorities.h"
#include "rt/sharing/Board.h"

#include <cstdio>
#include <memory>

namespace gpusched::tool {
namespace {

/// As nvidia-smi begins to write it: enough to tell devices apart.
std::string shortUuid(const DeviceUuid& device) {
  std::string text = "GPU-";
  for (size_t i = 0; i < 4; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", unsigned(uint8_t(device[i])));
    text += digits;
  }
  return text;
}

std::string budgetOf(const SharedKernel& kernel) {
  return kernel.blocksPerSm == 0 ? "native" : std::to_string(kernel.blocksPerSm);
}

const char* priorityOf(const SharedKernel& kernel) {
  return kernel.priority < kNormalPriority   ? "low"
         : kernel.priority > kNormalPriority ? "high"
                                             : "normal";
}

void printRow(const Board::Sitter& sitter, const SharedKernel* kernel) {
  std::printf("%8d  %-20s %-12s %-8s %9s  %s\n", sitter.pid, sitter.program.c_str(),
              kernel ? shortUuid(kernel->device).c_str() : "-", kernel ? priorityOf(*kernel) : "-",
              kernel ? budgetOf(*kernel).c_str() : "-",
              kernel ? kernelOf(*kernel).name.c_str() : "-");
}

int share(const std::string& folder) {
  const Result<std::vector<Board::Sitter>> sitters = Board::look(folder);
  if (!sitters)
    return fail(kToolFailed, "share: " + sitters.message());
  if (sitters->empty())
    std::printf("nobody shares in %s\n", folder.c_str());
  else
    std::printf("%8s  %-20s %-12s %-8s %9s  %s\n", "pid", "program", "device", "priority",
                "blocks/SM", "kernel");
  for (const Board::Sitter& sitter : *sitters) {
    if (sitter.kernels.empty())
      printRow(sitter, nullptr);
    for (const SharedKernel& kernel : sitter.kernels)
      printRow(sitter, &kernel);
  }
  return 0;
}

} // namespace

void addShare(Command& command) {
  std::shared_ptr<std::string> folder = std::make_shared<std::string>();
  Options sub = command.add("share", "List the processes that share a GPU, and their kernels",
                            [folder] { return share(*folder); });
  const std::string named = Board::namedFolder();
  *folder = named.empty() ? Board::defaultFolder() : named;
  sub.add("--folder", *folder, "Where they do, as in GPUSCHED_SHARE").showDefault();
}

} // namespace gpusched::tool
