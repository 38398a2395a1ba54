// Assembler.cpp - puts another input into ptxas's command.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-ptx/Assembler.h"

#include "tools/gpusched-cc/ProgramPath.h"
#include "tools/gpusched-ptx/ModuleTwins.h"

#include "rt/include/gpusched/LaunchAbi.h"
#include "rt/schema/TextFile.h"
#include "rt/support/Environment.h"
#include "rt/support/Log.h"
#include "rt/support/TemporaryFolder.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>

namespace gpusched::twins {
namespace {

namespace fs = std::filesystem;

constexpr int kNotFoundExitCode = 127;
constexpr const char *kPtxas = "ptxas", *kPtxasOfTriton = "ptxas-blackwell";

fs::path own() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

/// `name` beside the Triton that the process has loaded which started this one; "" for none.
std::string findCallersTriton(const std::string& name) {
  static constexpr std::string_view kLibrary = "/_C/libtriton";
  std::ifstream mapped("/proc/" + std::to_string(getppid()) + "/maps");
  for (std::string line; std::getline(mapped, line);) {
    const size_t path = line.find('/'), library = line.find(kLibrary);
    if (path == std::string::npos || library == std::string::npos)
      continue;
    const std::string tools = line.substr(path, library - path) + "/backends/nvidia/bin/";
    for (const std::string& tool : {tools + name, tools + kPtxas})
      if (cc::isExecutable(tool))
        return tool;
  }
  return "";
}

/// "" for none.
std::string findPtxas(const std::string& name) {
  for (const std::string& found : {environment("GPUSCHED_PTXAS"), findCallersTriton(name)})
    if (!found.empty())
      return found;
  return cc::findOtherInPath(kPtxas);
}

/// Is the word behind it the output?
bool namesOutput(const std::string& option) {
  return option == "-o" || option == "--output-file";
}

/// By its name, or, as XLA's have no ending, by its text: a cubin begins otherwise.
bool isPtxFile(const std::string& word) {
  if (word.ends_with(".ptx"))
    return true;
  std::error_code error;
  if (!fs::is_regular_file(word, error))
    return false;
  std::string begin(4096, '\0');
  std::ifstream file(word, std::ios::binary);
  file.read(begin.data(), std::streamsize(begin.size()));
  begin.resize(size_t(file.gcount()));
  return begin.find(".version ") != std::string::npos && begin.find('\0') == std::string::npos;
}

/// Place of the one word that is a file of PTX.
std::optional<size_t> inputOf(const cc::Command& command) {
  std::optional<size_t> found;
  for (size_t i = 1; i < command.size(); ++i) {
    if (namesOutput(command[i - 1]) || command[i].starts_with('-') || !isPtxFile(command[i]))
      continue;
    if (found)
      return std::nullopt;
    found = i;
  }
  return found;
}

void passOn(const cc::ProcessResult& result) {
  std::fputs(result.output.c_str(), stdout);
  std::fputs(result.errors.c_str(), stderr);
}

/// What the PTX is to become, and of what kernels; ptxas would say no more than its version.
int sayVersion(const cc::Command& command) {
  const cc::ProcessResult result = cc::runCollected(command);
  passOn(result);
  const std::string made = environmentFlag("GPUSCHED_PTX_CODE")
                               ? "PTX as it is"
                               : "with twins, ABI " + std::to_string(GPUSCHED_ABI_VERSION);
  if (result.ok())
    std::printf("gpusched: %s\n", made.c_str());
  return result.exitCode;
}

/// Place of the file that the command names for its output.
std::optional<size_t> outputOf(const cc::Command& command) {
  for (size_t i = 1; i + 1 < command.size(); ++i)
    if (namesOutput(command[i]))
      return i + 1;
  return std::nullopt;
}

/// The text as it is in the cubin's place; none where that fails.
std::optional<int> asPtx(const cc::Command& command, size_t input) {
  const std::optional<size_t> output = outputOf(command);
  const Result<std::string> ptx = readTextFile(command[input]);
  if (!output || !ptx)
    return std::nullopt;
  // Not writeTextFile, which puts a new file there: the output may be open, or /dev/null.
  std::ofstream file(command[*output], std::ios::binary);
  file << *ptx << '\0'; // XLA gives the driver the file's bytes, and text has no size of its own
  file.close();
  return file.fail() ? std::nullopt : std::optional(0);
}

/// The command on a text with twins; none where there are none, or it fails.
std::optional<int> withTwins(cc::Command command, size_t input) {
  const Result<std::string> ptx = readTextFile(command[input]);
  const Result<TwinText> text = ptx ? addTwins(*ptx) : Result<TwinText>(ptx.status());
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!text || !folder) {
    log(LogLevel::Info, "'%s' gets no twins: %s", command[input].c_str(),
        (text ? folder.status() : text.status()).message().c_str());
    return std::nullopt;
  }
  sayNotes(*text);
  if (text->ptx == *ptx)
    return std::nullopt;
  command[input] = folder->file("twins.ptx");
  if (!writeTextFile(command[input], text->ptx).ok())
    return std::nullopt;
  if (const fs::path bounds = own().parent_path() / "gpusched-ptxas"; fs::exists(bounds))
    command.insert(command.begin(), bounds.string());
  const cc::ProcessResult result = cc::runCollected(command);
  if (!result.ok()) {
    log(LogLevel::Warning, "ptxas does not take a text with twins; it gets the text itself: %s",
        result.errors.substr(0, result.errors.find('\n')).c_str());
    return std::nullopt;
  }
  passOn(result);
  return result.exitCode;
}

} // namespace

bool isAssembler(const char* program) {
  const std::string name = fs::path(program).filename();
  return name == kPtxas || name == kPtxasOfTriton;
}

int assemble(const cc::Command& command) {
  cc::Command real = command;
  real[0] = findPtxas(fs::path(command[0]).filename());
  if (real[0].empty()) {
    std::fputs("gpusched-ptx: error: no ptxas but this one in PATH; name one in GPUSCHED_PTXAS\n",
               stderr);
    return kNotFoundExitCode;
  }
  if (real.size() == 2 && (real[1] == "--version" || real[1] == "-V"))
    return sayVersion(real);
  const std::optional<size_t> input = inputOf(real);
  if (!input)
    return cc::replaceWith(real);
  const bool staysPtx = environmentFlag("GPUSCHED_PTX_CODE");
  if (const std::optional<int> code = staysPtx ? asPtx(real, *input) : withTwins(real, *input))
    return *code;
  return cc::replaceWith(real);
}

} // namespace gpusched::twins
