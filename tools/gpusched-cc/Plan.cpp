// Plan.cpp - decides whether gpusched-cc has anything to do with a command.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options that ask for nvcc alone are marked in NvccOptions.def; here are the combinations that do,
// and the search for the inputs that hold CUDA.
#include "tools/gpusched-cc/Plan.h"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace gpusched::cc {
namespace fs = std::filesystem;
namespace {

using Id = OptionId;

/// A command with these in NVCC_PREPEND_FLAGS or NVCC_APPEND_FLAGS cannot be divided, because they
/// reach each nvcc that is started; an options file that holds them must give them up first.
constexpr OptionId kStructural[] = {
    Id::Input,    Id::Compile,          Id::DeviceC,         Id::DeviceW,
    Id::Ptx,      Id::CubinPhase,       Id::FatbinPhase,     Id::Link,
    Id::Archive,  Id::Output,           Id::OutputDirectory, Id::DependenciesWithCompile,
    Id::Language, Id::DependencyTarget, Id::DependencyFile,  Id::DependenciesUserWithCompile,
};

std::string forbiddenOption(const CommandLine& line) {
  for (const Argument& argument : line.arguments())
    if (std::string_view reason = reasonToLeave(argument.id); !reason.empty())
      return std::string(reason);
  for (OptionId id : kStructural)
    if (line.comesFrom(Argument::Origin::Environment, id))
      return "files or phases in NVCC_PREPEND_FLAGS or NVCC_APPEND_FLAGS";
  return "";
}

int countPhases(const CommandLine& line) {
  int count = 0;
  for (OptionId id : {Id::Compile, Id::DeviceC, Id::DeviceW, Id::Ptx, Id::CubinPhase,
                      Id::FatbinPhase, Id::Link, Id::Archive})
    count += line.has(id);
  return count;
}

Product productOf(const CommandLine& line) {
  if (line.hasAny({Id::Compile, Id::DeviceC, Id::DeviceW}))
    return Product::Object;
  if (line.hasAny({Id::Ptx, Id::CubinPhase, Id::FatbinPhase}))
    return Product::Device;
  return Product::Linked;
}

/// Combinations that nvcc itself refuses, or whose output names depend on the whole command.
std::string impossible(const CommandLine& line, Product product) {
  std::vector<std::string> inputs = line.inputs();
  if (inputs.empty())
    return "no input";
  if (std::count(inputs.begin(), inputs.end(), "-"))
    return "input from stdin";
  if (countPhases(line) > 1)
    return "several phases";
  bool oneName = line.has(Id::DependencyFile) || line.has(Id::DependencyTarget) ||
                 (line.has(Id::Output) &&
                  (product != Product::Linked ||
                   line.hasAny({Id::DependenciesWithCompile, Id::DependenciesUserWithCompile})));
  if (inputs.size() > 1 && oneName)
    return "several inputs and one output";
  for (const std::string& path : inputs)
    if (::access(path.c_str(), R_OK) != 0)
      return "'" + path + "' cannot be read";
  return "";
}

bool isCuda(const std::string& path, const std::string& language) {
  const fs::path extension = fs::path(path).extension();
  if (extension == ".o" || extension == ".a" || extension == ".so")
    return false;
  return language.empty() ? extension == ".cu" : language == "cu";
}

std::vector<PlannedFile> cudaFiles(const CommandLine& line) {
  SourceScan scan(textSourcesOf(line));
  std::vector<PlannedFile> files;
  const std::string language = line.last(Id::Language);
  for (size_t i = 0; i < line.arguments().size(); ++i) {
    const Argument& argument = line.arguments()[i];
    if (argument.id == Id::Input && isCuda(argument.value, language))
      files.push_back({argument.value, i, scan.scan(argument.value)});
  }
  return files;
}

/// Two inputs with one stem overwrite each other's outputs in nvcc; leave that to nvcc.
bool stemsDiffer(const std::vector<std::string>& inputs) {
  std::set<std::string> stems;
  return std::all_of(inputs.begin(), inputs.end(),
                     [&](const std::string& path) { return stems.insert(stemOf(path)).second; });
}

} // namespace

std::string stemOf(const std::string& path) {
  return fs::path(path).stem().string();
}

void makeDivisible(CommandLine& line) {
  for (OptionId id : kStructural)
    if (line.comesFrom(Argument::Origin::OptionsFile, id))
      return line.inlineOptionsFiles();
}

Plan makePlan(const CommandLine& line) {
  Plan plan;
  plan.product = productOf(line);
  plan.passThrough = forbiddenOption(line);
  if (plan.passThrough.empty())
    plan.passThrough = impossible(line, plan.product);
  if (!plan.passThrough.empty())
    return plan;
  plan.files = cudaFiles(line);
  bool anyCuda = std::any_of(plan.files.begin(), plan.files.end(),
                             [](const PlannedFile& file) { return file.use != CudaUse::None; });
  if (!anyCuda)
    plan.passThrough = "no input holds kernels or launches";
  else if (line.inputs().size() > 1 && plan.product != Product::Linked &&
           !stemsDiffer(line.inputs()))
    plan.passThrough = "two inputs have one name";
  else if (plan.product == Product::Linked && line.has(Id::Language) &&
           plan.files.size() != line.inputs().size())
    plan.passThrough = "-x with inputs that are not CUDA";
  return plan;
}

} // namespace gpusched::cc
