// Plan.h - what is done with a command: nvcc as it is, or compiles of ours and a last step.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decided from the arguments and the file system alone, before anything is started. Whatever the
// plan does not understand is a reason to pass the command through: nvcc is the reference.
#pragma once

#include "tools/gpusched-cc/CommandLine.h"
#include "tools/gpusched-cc/SourceScan.h"

#include <string>
#include <vector>

namespace gpusched::cc {

/// What a compile of one input leaves.
enum class Product {
  Linked, ///< objects of ours, then nvcc links or archives them
  Object, ///< -c -dc -dw
  Device, ///< -ptx -cubin -fatbin
};

/// One input that gpusched-cc compiles itself.
struct PlannedFile {
  std::string path;    ///< as the user wrote it
  size_t argument = 0; ///< its place in CommandLine::arguments()
  CudaUse use = CudaUse::None;
};

struct Plan {
  std::string passThrough; ///< why nvcc gets the command as it is; empty = the plan below
  Product product = Product::Object;
  std::vector<PlannedFile> files;
  bool transforms() const { return passThrough.empty(); }
};

/// Replaces options files by their contents when inputs, outputs or a phase are among them.
void makeDivisible(CommandLine& line);

/// REQUIRES: makeDivisible(line) has been called.
Plan makePlan(const CommandLine& line);

/// "src/k.cu" -> "k": what nvcc names its outputs after.
std::string stemOf(const std::string& path);

} // namespace gpusched::cc
