// Steps.h - the nvcc commands of one compile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   nvcc -O3 a.cu b.cpp c.cu -o app      becomes
//     nvcc -O3 -c <folder>/0/a.cu -o <folder>/0/a.o     one per CUDA file, side by side
//     nvcc -O3 -c <folder>/2/c.cu -o <folder>/2/c.o
//     nvcc -O3 <folder>/0/a.o b.cpp <folder>/2/c.o -o app
//
// A step is the user's command with the other inputs left out, so options that are unknown to us
// reach nvcc in their place and order. The launch redirection is limited to the CUDA files this
// way; a .cpp file of the same command must not see it.
#pragma once

#include "tools/gpusched-cc/Plan.h"
#include "tools/gpusched-cc/Process.h"

#include <set>
#include <string>
#include <vector>

namespace gpusched::cc {

/// What stands in front of "ptxas": an option of nvcc that its help does not list.
constexpr const char* kPtxasPrefix = "--ptxas-prefix";
/// The same for "cicc".
constexpr const char* kCiccPrefix = "--cicc-prefix";

/// The compile of one CUDA file.
struct CompileStep {
  PlannedFile file;
  std::string copy;           ///< rewritten file to compile instead; empty = the user's own
  std::string object;         ///< what it writes, for the profile; "" when that is not an object
  std::string dependencyFile; ///< "" = none
  Command command;            ///< with everything of ours
  Command plainCommand; ///< the original file as nvcc alone would compile it, output discarded
};

struct StepContext {
  const CommandLine& line;
  const Plan& plan;
  std::string nvcc;
  std::string folder;                  ///< private folder of this run
  std::string launchHeader;            ///< Launch.h
  std::string ptxasPrefix;             ///< gpusched-ptxas; "" = nvcc starts ptxas itself
  std::string ciccPrefix;              ///< gpusched-cicc; "" = no twin is a shell
  bool telemetry = false;              ///< twins that write records
  bool profiled = true;                ///< ask ptxas for what the profile needs and only it knows
  std::set<std::string> withheld = {}; ///< of the options above: they do not work here
};

/// `copy` as in CompileStep, with the folders that its quoted includes need. `index` is the file's
/// place in the plan.
CompileStep makeStep(const StepContext& context, size_t index, const std::string& copy,
                     const std::vector<std::string>& quoteFolders);

/// May twins be shells that gpusched-cicc gives their kernels' PTX? Not where there is none, nor
/// with debug information, whose labels belong to one body.
bool maySplice(const StepContext& context);

/// `command` without the option and its value, for an nvcc that refuses it.
void dropOption(Command& command, const std::string& option);

/// What is left to do after the compiles: link, archive, or compile the other inputs. Empty when
/// nothing is. `steps`: those that replace an input.
Command makeLastCommand(const StepContext& context, const std::vector<CompileStep>& steps);

/// Folder of `index`'s own files inside the private folder.
std::string folderOf(const StepContext& context, size_t index);

} // namespace gpusched::cc
