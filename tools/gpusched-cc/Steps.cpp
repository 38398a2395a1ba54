// Steps.cpp - makes nvcc commands out of the user's.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything added goes in front of the user's arguments: there our -iquote precedes theirs, as
// the folder of the including file does in the original. Names that nvcc derives from the input
// need nothing: the copy has the original's name. Only objects that the user does not ask for (in
// a compile-and-link command) and their dependency files are named explicitly.
#include "tools/gpusched-cc/Steps.h"

#include "tools/gpusched-cc/ParseArguments.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace gpusched::cc {
namespace fs = std::filesystem;
namespace {

using Id = OptionId;
const std::set<Id> kDependencyOptions = {Id::DependenciesWithCompile,
                                         Id::DependenciesUserWithCompile, Id::DependencyTargets,
                                         Id::DependencyFile, Id::DependencyTarget};
const std::set<Id> kLinkPhases = {Id::Link, Id::Archive};
const std::set<Id> kKeepOptions = {Id::Keep, Id::KeepDirectory, Id::SaveTemps};

void append(Command& command, std::initializer_list<std::string> words) {
  command.insert(command.end(), words);
}

void append(Command& command, const Argument& argument) {
  command.insert(command.end(), argument.tokens.begin(), argument.tokens.end());
}

/// The user's arguments that a single compile keeps.
void appendUserArguments(Command& command, const StepContext& context,
                         const std::set<Id>& leftOut) {
  for (const Argument& argument : context.line.arguments())
    if (argument.origin == Argument::Origin::Command && argument.id != Id::Input &&
        !leftOut.count(argument.id))
      append(command, argument);
}

void appendInjection(Command& command, const StepContext& context, const CompileStep& step,
                     const std::vector<std::string>& quoteFolders) {
  if (step.file.use == CudaUse::None)
    return;
  append(command, {"-include", context.launchHeader, "-Xcompiler"});
  const char* launch = usesPerThreadStream(context.line)
                           ? "-D__NV_LEGACY_LAUNCH,-DcudaLaunchKernel_ptsz=gpusched_launch_ptsz,"
                             "-DcudaLaunchKernelExC_ptsz=gpusched_launch_ex_ptsz"
                           : "-D__NV_LEGACY_LAUNCH,-DcudaLaunchKernel=gpusched_launch,"
                             "-DcudaLaunchKernelExC=gpusched_launch_ex";
  append(command, {launch, "-Xcompiler", "-D__cudaRegisterFunction=gpusched_register_function"});
  if (context.telemetry)
    append(command, {"-DGPUSCHED_TELEMETRY"});
  for (const std::string& folder : quoteFolders)
    append(command, {"-Xcompiler", "-iquote," + folder});
  if (!step.copy.empty() && maySplice(context))
    append(command, {kCiccPrefix, '"' + context.ciccPrefix + '"'});
  if (!context.profiled || context.line.has(Id::Ptx))
    return;
  append(command, {"-Xptxas", "-v"});
  if (!context.ptxasPrefix.empty() && !step.copy.empty() && !context.withheld.count(kPtxasPrefix))
    append(command, {kPtxasPrefix, '"' + context.ptxasPrefix + '"'});
}

std::string inOutputDirectory(const CommandLine& line, const std::string& name) {
  std::string folder = line.last(Id::OutputDirectory);
  return folder.empty() ? name : folder + "/" + name;
}

/// Where nvcc writes the dependencies of this input, by its own rules.
std::string dependencyFileOf(const CommandLine& line, const std::string& path) {
  if (!line.hasAny({Id::DependenciesWithCompile, Id::DependenciesUserWithCompile}))
    return "";
  if (line.has(Id::DependencyFile))
    return line.last(Id::DependencyFile);
  if (line.has(Id::Output))
    return fs::path(line.last(Id::Output)).replace_extension(".d").string();
  return inOutputDirectory(line, stemOf(path) + ".d");
}

/// The target that the dependency file of a compile-and-link command names.
std::string dependencyTargetOf(const CommandLine& line, const std::string& path) {
  if (line.has(Id::DependencyTarget))
    return line.last(Id::DependencyTarget);
  if (line.has(Id::Output))
    return line.last(Id::Output);
  return inOutputDirectory(line, stemOf(path) + ".o");
}

std::string objectOf(const StepContext& context, size_t index, const std::string& path) {
  const CommandLine& line = context.line;
  switch (context.plan.product) {
  case Product::Linked:
    return folderOf(context, index) + "/" + stemOf(path) + ".o";
  case Product::Object:
    return line.has(Id::Output) ? line.last(Id::Output)
                                : inOutputDirectory(line, stemOf(path) + ".o");
  case Product::Device:
    break;
  }
  const char* suffix = line.has(Id::Ptx) ? ".ptx" : line.has(Id::CubinPhase) ? ".cubin" : ".fatbin";
  return line.has(Id::Output) ? line.last(Id::Output)
                              : inOutputDirectory(line, stemOf(path) + suffix);
}

void appendLinkedOutput(Command& command, const StepContext& context, const CompileStep& step) {
  append(command, {"-c", "-o", step.object});
  if (!step.dependencyFile.empty())
    append(command,
           {"-MF", step.dependencyFile, "-MT", dependencyTargetOf(context.line, step.file.path)});
}

/// The same compile of the original, whose only purpose is what nvcc says about it.
Command plainCommandOf(const StepContext& context, size_t index, const CompileStep& step) {
  std::set<Id> leftOut = kDependencyOptions;
  leftOut.insert({Id::Output, Id::OutputDirectory, Id::Link, Id::Archive});
  leftOut.insert(kKeepOptions.begin(), kKeepOptions.end());
  Command command{context.nvcc};
  appendUserArguments(command, context, leftOut);
  append(command, {step.file.path, "-o", folderOf(context, index) + "/discarded.o"});
  if (context.plan.product == Product::Linked)
    append(command, {"-c"});
  return command;
}

bool isCompiled(const std::vector<CompileStep>& steps, size_t argument, std::string& object) {
  for (const CompileStep& step : steps)
    if (step.file.argument == argument) {
      object = step.object;
      return true;
    }
  return false;
}

} // namespace

std::string folderOf(const StepContext& context, size_t index) {
  return context.folder + "/" + std::to_string(index);
}

CompileStep makeStep(const StepContext& context, size_t index, const std::string& copy,
                     const std::vector<std::string>& quoteFolders) {
  CompileStep step;
  step.file = context.plan.files[index];
  step.copy = copy;
  step.object = objectOf(context, index, step.file.path);
  step.dependencyFile = dependencyFileOf(context.line, step.file.path);
  step.command = {context.nvcc};
  appendInjection(step.command, context, step, quoteFolders);
  bool linked = context.plan.product == Product::Linked;
  std::set<Id> leftOut = linked ? kLinkPhases : std::set<Id>{};
  if (linked)
    leftOut.insert({Id::Output, Id::OutputDirectory, Id::DependencyFile, Id::DependencyTarget});
  appendUserArguments(step.command, context, leftOut);
  step.command.push_back(copy.empty() ? step.file.path : copy);
  if (linked)
    appendLinkedOutput(step.command, context, step);
  step.plainCommand = plainCommandOf(context, index, step);
  return step;
}

bool maySplice(const StepContext& context) {
  for (Id id : {Id::Architecture, Id::Code, Id::GenerateCode})
    for (const std::string& target : context.line.values(id))
      if (target.find("lto_") != std::string::npos)
        return false;
  return context.profiled && !context.ciccPrefix.empty() && !context.withheld.count(kCiccPrefix) &&
         !context.line.hasAny(
             {Id::DeviceDebug, Id::DlinkTimeOpt, Id::Lto, Id::GenOptLto, Id::CiccPrefix});
}

void dropOption(Command& command, const std::string& option) {
  const auto found = std::find(command.begin(), command.end(), option);
  if (found != command.end())
    command.erase(found, found + 2);
}

Command makeLastCommand(const StepContext& context, const std::vector<CompileStep>& steps) {
  Command command{context.nvcc};
  bool linked = context.plan.product == Product::Linked;
  bool otherInputs = steps.size() < context.line.inputs().size();
  if (!linked && !otherInputs)
    return {};
  for (size_t i = 0; i < context.line.arguments().size(); ++i) {
    const Argument& argument = context.line.arguments()[i];
    std::string object;
    if (argument.origin != Argument::Origin::Command)
      continue;
    if (isCompiled(steps, i, object)) {
      if (linked)
        command.push_back(object);
    } else if (!linked || (argument.id != Id::Language &&
                           (otherInputs || !kDependencyOptions.count(argument.id)))) {
      append(command, argument);
    }
  }
  return command;
}

} // namespace gpusched::cc
