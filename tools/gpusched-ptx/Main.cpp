// Main.cpp - gpusched-ptx: twins for kernels of which there is only PTX.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-ptx/Assembler.h"
#include "tools/gpusched-ptx/ModuleTwins.h"

#include "rt/schema/TextFile.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

using namespace gpusched;

namespace {

constexpr int kUsageExitCode = 2;

constexpr const char* kUsage =
    "usage: gpusched-ptx [--explain] INPUT.ptx -o OUTPUT.ptx\n"
    "\n"
    "Gives the kernels of a PTX text their persistent twins, as gpusched-cc does where it "
    "compiles\n"
    "the source. `gpusched run` launches them. See docs/gpusched-ptx.md.\n"
    "\n"
    "  -o FILE     where the text goes; it may be the input\n"
    "  --explain   a line for each kernel: its twin, or why it has none\n";

struct Request {
  std::string input, output;
  bool explains = false;
};

/// False for what is no command line.
bool parse(int argc, char** argv, Request& request) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--explain")
      request.explains = true;
    else if (argument == "-o" && i + 1 < argc)
      request.output = argv[++i];
    else if (!argument.starts_with("-") && request.input.empty())
      request.input = argument;
    else
      return false;
  }
  return !request.input.empty() && !request.output.empty();
}

void explain(const twins::TwinText& text) {
  for (const twins::KernelNote& note : text.notes)
    std::fprintf(stderr, "gpusched-ptx: kernel '%s' %s\n", note.kernel.c_str(),
                 note.reason.empty() ? ("has a twin: " + note.form).c_str()
                                     : ("stays native: " + note.reason).c_str());
}

Status run(const Request& request) {
  const Result<std::string> ptx = readTextFile(request.input);
  if (!ptx)
    return ptx.status();
  const Result<twins::TwinText> text = twins::addTwins(*ptx);
  if (!text)
    return Status::error("'" + request.input + "' gets no twins: " + text.message());
  if (request.explains)
    explain(*text);
  return writeTextFile(request.output, text->ptx);
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 0 && twins::isAssembler(argv[0]))
    return twins::assemble({argv, argv + argc});
  Request request;
  if (argc == 2 && (std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h")) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (!parse(argc, argv, request)) {
    std::fputs(kUsage, stderr);
    return kUsageExitCode;
  }
  const Status status = run(request);
  if (!status.ok())
    std::fprintf(stderr, "gpusched-ptx: error: %s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
