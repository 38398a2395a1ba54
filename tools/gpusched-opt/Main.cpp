// gpusched-opt - run named passes on one CUDA file and print the result.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   gpusched-opt --outline --persist kernel.cu -- -I include     the rewritten file and headers
//   gpusched-opt --into=DIR kernel.cu                            the same as files, ready to
//   compile gpusched-opt --explain kernel.cu                             why kernels stay native,
//   on stderr gpusched-opt --json kernel.cu                                what is known of each
//   kernel
//
// The test driver of passes/: of nvcc nothing is involved but its host compiler's macros. An
// unchanged file is printed as it is; a rewritten header follows a line "//--- NAME" with the name
// that the rewritten file includes. Exit code 2 = wrong usage, 1 = the file cannot be read;
// refusals and parse errors are no failure, as in a build.
#include "passes/Transform.h"
#include "rt/schema/Profile.h"
#include "tools/gpusched-cc/HostCompiler.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

namespace {

using namespace gpusched::passes;

struct Options {
  TransformRequest request;
  bool explain = false;
  bool json = false;
  bool help = false;
  std::string folder;   ///< of --into
  std::string compiler; ///< of --ccbin
  std::string error;
};

bool isPass(const std::string& name) {
  for (const PassDescription& pass : passDescriptions())
    if (name == pass.name)
      return true;
  return false;
}

std::string valueOf(const std::string& argument, const std::string& option) {
  return argument.rfind(option + "=", 0) == 0 ? argument.substr(option.size() + 1) : std::string();
}

std::vector<std::string> splitCommas(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream stream(list);
  for (std::string part; std::getline(stream, part, ',');)
    parts.push_back(part);
  return parts;
}

void readOption(const std::string& argument, Options& options) {
  const std::string architecture = valueOf(argument, "--arch");
  const std::string name = valueOf(argument, "--name");
  const std::string folder = valueOf(argument, "--into");
  const std::string cache = valueOf(argument, "--cache");
  const std::string compiler = valueOf(argument, "--ccbin");
  const std::string toolkit = valueOf(argument, "--cuda");
  if (argument == "--explain")
    options.explain = true;
  else if (argument == "--json")
    options.json = true;
  else if (argument == "--splice")
    options.request.splices = true;
  else if (argument == "--rdc")
    options.request.relocatable = true;
  else if (argument == "--module")
    options.request.isModule = true;
  else if (argument == "--help" || argument == "-h")
    options.help = true;
  else if (!architecture.empty())
    options.request.architectures = splitCommas(architecture);
  else if (!name.empty())
    options.request.userName = name;
  else if (!folder.empty())
    options.folder = folder;
  else if (!cache.empty())
    options.request.parseCache = cache;
  else if (!compiler.empty())
    options.compiler = compiler;
  else if (!toolkit.empty())
    options.request.cudaRoot = toolkit;
  else if (argument.starts_with("--") && isPass(argument.substr(2)))
    options.request.passes.push_back(argument.substr(2));
  else if (argument.starts_with('-'))
    options.error = "unknown option '" + argument + "'; gpusched-opt --help lists the passes";
  else if (options.request.path.empty())
    options.request.path = argument;
  else
    options.error = "one file at a time: '" + argument + "' is the second";
}

Options readArguments(int count, char** arguments) {
  Options options;
  bool forClang = false;
  for (int index = 1; index < count && options.error.empty(); ++index) {
    const std::string argument = arguments[index];
    if (forClang)
      options.request.clangArguments.push_back(argument);
    else if (argument == "--")
      forClang = true;
    else
      readOption(argument, options);
  }
  if (options.error.empty() && !options.help && options.request.path.empty())
    options.error = "no input file; gpusched-opt --help shows the usage";
  return options;
}

void printHelp() {
  std::cout << "usage: gpusched-opt [--PASS...] [options] file.cu [-- clang arguments]\n\n"
               "Passes, in the order they run; none named = all:\n";
  for (const PassDescription& pass : passDescriptions())
    std::printf("  --%-10s %s\n", pass.name, pass.help);
  std::cout
      << "\nOptions:\n"
         "  --explain    print remarks and Clang's errors on stderr\n"
         "  --json       print the kernels' static profile instead of the text\n"
         "  --arch=sm_N  architectures to parse for, highest first (default sm_90)\n"
         "  --splice     make twins shells for gpusched-cicc, where that is possible\n"
         "  --rdc        the file is compiled with -rdc=true\n"
         "  --module     the file is compiled with -ptx, -cubin or -fatbin\n"
         "  --name=FILE  name of the file in #line and in messages\n"
         "  --into=DIR   write the file and its headers there instead of printing them\n"
         "  --cache=DIR  keep the parse of common headers there\n"
         "  --ccbin=CXX  nvcc's host compiler, which decides #ifdef __clang__ (default gcc)\n"
         "  --cuda=DIR   toolkit whose headers and version are taken (default: of the build)\n";
}

gpusched::KernelProfile profileOf(const KernelRecord& record) {
  gpusched::KernelProfile profile;
  profile.fixed.kernel = record.qualifiedName;
  profile.fixed.symbol = record.symbol;
  profile.fixed.persistentSymbol = record.persistentSymbol;
  profile.fixed.file = record.where.file;
  profile.fixed.line = record.where.line;
  if (record.refusal)
    profile.fixed.refusal = record.refusal->code + ": " + record.refusal->title +
                            (record.refusal->detail.empty() ? "" : ": " + record.refusal->detail);
  return profile;
}

void printJson(const TransformResult& result) {
  gpusched::ProfileFile file;
  file.producer = "gpusched-opt";
  for (const KernelRecord& record : result.kernels)
    if (!record.isTemplate)
      file.kernels.push_back(profileOf(record));
  std::cout << gpusched::toJson(file) << "\n";
}

void printTexts(const Options& options, const TransformResult& result) {
  std::cout << (result.rewritten ? result.text : *options.request.text);
  for (const RewrittenHeader& header : result.headers)
    std::cout << "//--- " << header.copyName << "\n" << header.text;
}

bool writeTexts(const Options& options, const TransformResult& result) {
  const std::filesystem::path folder = options.folder;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const auto write = [&](const std::filesystem::path& name, const std::string& text) {
    std::ofstream file(folder / name, std::ios::binary);
    return static_cast<bool>(file << text << std::flush);
  };
  bool ok = write(std::filesystem::path(options.request.path).filename(),
                  result.rewritten ? result.text : *options.request.text);
  for (const RewrittenHeader& header : result.headers)
    ok &= write(header.copyName, header.text);
  if (!ok)
    std::cerr << "gpusched-opt: cannot write in '" << options.folder << "'\n";
  return ok;
}

} // namespace

int main(int count, char** arguments) {
  Options options = readArguments(count, arguments);
  if (!options.error.empty()) {
    std::cerr << "gpusched-opt: " << options.error << "\n";
    return 2;
  }
  if (options.help) {
    printHelp();
    return 0;
  }
  std::ifstream file(options.request.path, std::ios::binary);
  if (!file) {
    std::cerr << "gpusched-opt: cannot read '" << options.request.path << "'\n";
    return 1;
  }
  options.request.text.emplace(std::istreambuf_iterator<char>(file),
                               std::istreambuf_iterator<char>());
  const gpusched::cc::HostCompiler host = gpusched::cc::askHostCompiler(
      gpusched::cc::hostCompiler(options.compiler), options.request.clangArguments);
  options.request.hostMacros = host.macros;
  options.request.hostFolders = host.folders;
  const TransformResult result = transformFile(options.request);
  if (options.explain) {
    for (const std::string& line : result.diagnostics)
      std::cerr << "clang: " << line << "\n";
    for (const std::string& line : result.remarks)
      std::cerr << line << "\n";
  }
  if (!options.folder.empty() && !writeTexts(options, result))
    return 1;
  if (options.json)
    printJson(result);
  else if (options.folder.empty())
    printTexts(options, result);
  return 0;
}
