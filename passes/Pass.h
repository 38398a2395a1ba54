// Pass.h - what a pass is: a function from one kernel's facts to edits.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To add a pass: one file named after it, one line in PassList.def, one in CMakeLists.txt, a test
// folder test/passes/<flag>/ and a page docs/passes/<flag>.md. The runner calls a kernel pass once
// per kernel that no analysis refused, and a function pass once per device function that those
// kernels need, wherever their text is: main file or header. It calls a launch pass once per pair
// of launches that follow each other. A pass cannot refuse, touch files or see other kernels.
#pragma once

#include "passes/analysis/KernelInfo.h"
#include "passes/edit/EditSet.h"

#include <string>

namespace gpusched::passes {

/// All a pass may look at.
struct PassInput {
  const SourceFile& file; ///< that holds the kernel; the edits are of it
  const KernelInfo& kernel;
  bool isModule = false; ///< its kernels are found by name, in a binary of this file alone
};

/// The same for a pass over the device functions that kernels need, text by text.
enum class FunctionPart { Definition, Declaration, Specialisation, Friend };
struct FunctionPassInput {
  const SourceFile& file;
  const VirtualFunction& function;
  const KernelText& text; ///< one of the function's
  FunctionPart part = FunctionPart::Definition;
};

/// The same for a pass over launches that follow each other.
struct LaunchPassInput {
  const SourceFile& file; ///< the main file; the edits are of it
  const LaunchPair& pair;
  const std::vector<KernelInfo>& kernels;

  const KernelInfo& kernel(int side) const { return kernels[pair.places[side].kernel]; }
  const KernelInstance& instance(int side) const {
    return kernel(side).instances[pair.places[side].instance];
  }
};

using LaunchPass = EditSet (*)(const LaunchPassInput& input);
using KernelPass = EditSet (*)(const PassInput& input);
using FunctionPass = EditSet (*)(const FunctionPassInput& input);

#define GPUSCHED_KERNEL_PASS(file, flag, function, needs, help)                                    \
  EditSet function(const PassInput& input);
#define GPUSCHED_FUNCTION_PASS(file, flag, function, needs, help)                                  \
  EditSet function(const FunctionPassInput& input);
#define GPUSCHED_LAUNCH_PASS(file, flag, function, needs, help)                                    \
  EditSet function(const LaunchPassInput& input);
#include "passes/PassList.def"
#undef GPUSCHED_LAUNCH_PASS
#undef GPUSCHED_KERNEL_PASS
#undef GPUSCHED_FUNCTION_PASS

} // namespace gpusched::passes
