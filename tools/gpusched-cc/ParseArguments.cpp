// ParseArguments.cpp - translates nvcc's options into Clang's spelling.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Architectures: -arch, -code and -gencode in any mix, with lists, `native`, `all` and
// `all-major`. A virtual architecture (compute_90) stands for the real one of its number.
#include "tools/gpusched-cc/ParseArguments.h"

#include "passes/analysis/ParsedPrefix.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

namespace gpusched::cc {
namespace {

using Id = OptionId;
constexpr const char* kDefaultArchitecture = "sm_75";

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

/// Every architecture named in a value: "arch=compute_90,code=[compute_90,sm_90a]".
std::vector<std::string> namedIn(const std::string& value) {
  std::vector<std::string> found;
  for (std::string_view prefix : {"sm_", "compute_", "lto_"})
    for (size_t at = value.find(prefix); at != std::string::npos; at = value.find(prefix, at + 1)) {
      size_t number = at + prefix.size(), end = number;
      while (end < value.size() && std::isalnum(static_cast<unsigned char>(value[end])))
        ++end;
      found.push_back("sm_" + value.substr(number, end - number));
    }
  return found;
}

int numberOf(const std::string& architecture) {
  return std::atoi(architecture.c_str() + 3);
}

/// Higher numbers first; of one number the specific one ("sm_90a") first.
bool higher(const std::string& left, const std::string& right) {
  return numberOf(left) != numberOf(right) ? numberOf(left) > numberOf(right)
                                           : left.size() > right.size();
}

/// Host-compiler options that change what a source means.
bool changesMeaning(std::string_view option) {
  for (std::string_view prefix :
       {"-fopenmp", "-fexceptions", "-fno-exceptions", "-m", "-D", "-U", "-I", "-iquote",
        "-isystem", "-idirafter", "-include", "-imacros", "-frtti", "-fno-rtti", "-fchar"})
    if (startsWith(option, prefix))
      return !startsWith(option, "-mtune") && !startsWith(option, "-mcmodel");
  return startsWith(option, "-funsigned-char") || startsWith(option, "-fsigned-char");
}

/// Options whose value may be the next word: `-Xcompiler -isystem,DIR`, `-Xcompiler -isystem
/// -Xcompiler DIR`.
bool takesNextWord(std::string_view option) {
  constexpr std::string_view kOptions[] = {"-D",       "-U",         "-I",       "-iquote",
                                           "-isystem", "-idirafter", "-include", "-imacros"};
  return std::find(std::begin(kOptions), std::end(kOptions), option) != std::end(kOptions);
}

/// Of the words for the host compiler, in order, those that change what a source means.
class HostWords {
public:
  explicit HostWords(std::vector<std::string>& into) : into_(into) {}

  void add(const std::string& word) {
    if (!valueIsNext_ && !changesMeaning(word))
      return;
    into_.push_back(word);
    valueIsNext_ = !valueIsNext_ && takesNextWord(word);
  }

private:
  std::vector<std::string>& into_;
  bool valueIsNext_ = false;
};

std::vector<std::string> clangArguments(const CommandLine& line) {
  std::vector<std::string> arguments, hostArguments;
  HostWords hostWords(hostArguments);
  for (const Argument& argument : line.arguments()) {
    const char* prefix = argument.id == Id::Include         ? "-I"
                         : argument.id == Id::SystemInclude ? "-isystem"
                         : argument.id == Id::Define        ? "-D"
                         : argument.id == Id::Undefine      ? "-U"
                                                            : nullptr;
    if (prefix)
      for (const std::string& value : splitCommas(argument.value))
        arguments.push_back(prefix + value);
    else if (argument.id == Id::PreInclude)
      for (const std::string& value : splitCommas(argument.value))
        arguments.insert(arguments.end(), {"-include", value});
    else if (argument.id == Id::HostOptions) {
      for (const std::string& value : splitCommas(argument.value))
        hostWords.add(value);
    } else if (argument.id == Id::Unknown && changesMeaning(argument.tokens[0]))
      arguments.push_back(argument.tokens[0]);
  }
  // As nvcc orders them: folders for the host compiler are searched before those for nvcc.
  arguments.insert(arguments.begin(), hostArguments.begin(), hostArguments.end());
  if (line.has(Id::Standard))
    arguments.push_back("-std=" + line.last(Id::Standard));
  return arguments;
}

bool isTrue(const std::string& value) {
  return value == "true";
}

} // namespace

TextSources textSourcesOf(const CommandLine& line) {
  passes::PrefixArguments split = passes::splitForPrefix(clangArguments(line));
  return {std::move(split.searchFolders), std::move(split.preIncludes)};
}

bool isRelocatable(const CommandLine& line) {
  return line.hasAny({Id::DeviceC, Id::ExtensibleWholeProgram}) ||
         isTrue(line.last(Id::Relocatable));
}

bool usesPerThreadStream(const CommandLine& line) {
  if (line.last(Id::DefaultStream) == "per-thread")
    return true;
  std::vector<std::string> macros = line.values(Id::Define);
  return std::any_of(macros.begin(), macros.end(), [](const std::string& macro) {
    return startsWith(macro, "CUDA_API_PER_THREAD_DEFAULT_STREAM");
  });
}

std::vector<std::string> architecturesOf(const CommandLine& line) {
  std::vector<std::string> found;
  for (Id id : {Id::Architecture, Id::Code, Id::GenerateCode})
    for (const std::string& value : line.values(id))
      for (std::string& name : namedIn(value))
        found.push_back(std::move(name));
  if (found.empty())
    found.push_back(kDefaultArchitecture);
  std::sort(found.begin(), found.end(), higher);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

passes::TransformRequest parseRequest(const CommandLine& line) {
  passes::TransformRequest request;
  request.clangArguments = clangArguments(line);
  request.architectures = architecturesOf(line);
  request.relocatable = isRelocatable(line);
  request.extendedLambda = line.hasAny({Id::ExtendedLambda, Id::ExtendedLambdaOld});
  request.relaxedConstexpr = line.has(Id::RelaxedConstexpr);
  request.perThreadDefaultStream = usesPerThreadStream(line);
  request.debugDevice = line.has(Id::DeviceDebug);
  return request;
}

} // namespace gpusched::cc
