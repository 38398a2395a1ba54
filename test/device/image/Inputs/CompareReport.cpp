// CompareReport - does a cubin say what ptxas reported when it made it?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: image-CompareReport file.cubin ptxas-output.txt
// Compares registers, shared memory, frame and barriers of every kernel with the text of
// `ptxas -v` and fails on any difference or on a kernel that only one of them names.
#include "rt/device/cpu/image/Cubin.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

using namespace gpusched;
using namespace gpusched::image;

namespace {

struct Reported {
  uint64_t registers = 0, shared = 0, frame = 0, barriers = 0;
};

/// The number before or after `words`; 0 when the line has none.
uint64_t find(const std::string& line, const std::string& pattern) {
  std::smatch match;
  return std::regex_search(line, match, std::regex(pattern)) ? std::stoull(match[1]) : 0;
}

std::map<std::string, Reported> parseReport(const char* path) {
  std::map<std::string, Reported> kernels;
  std::ifstream file(path);
  std::string name, line;
  while (std::getline(file, line)) {
    std::smatch match;
    if (std::regex_search(line, match, std::regex("Compiling entry function '([^']*)'")))
      name = match[1];
    if (std::regex_search(line, match, std::regex("Function properties for (\\S+)")))
      name = match[1];
    if (name.empty())
      continue;
    if (line.find("stack frame") != std::string::npos)
      kernels[name].frame = find(line, "(\\d+) bytes stack frame");
    if (line.find("Used ") != std::string::npos) {
      kernels[name].registers = find(line, "Used (\\d+) registers");
      kernels[name].barriers = find(line, "used (\\d+) barriers");
      kernels[name].shared = find(line, "(\\d+)(?:\\+\\d+)? bytes smem");
    }
  }
  return kernels;
}

bool equal(const KernelResources& kernel, const Reported& reported) {
  return kernel.registers == reported.registers && kernel.staticSharedBytes == reported.shared &&
         kernel.frameBytes == reported.frame && kernel.barriers == reported.barriers;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: image-CompareReport file.cubin ptxas-output.txt\n";
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const Result<Cubin> cubin = readCubin(ByteView(bytes.data(), bytes.size()));
  if (!cubin) {
    std::cerr << cubin.message() << "\n";
    return 1;
  }
  const std::map<std::string, Reported> report = parseReport(argv[2]);
  int different = 0;
  for (const KernelResources& kernel : cubin->kernels) {
    const auto found = report.find(kernel.name);
    const Reported reported = found == report.end() ? Reported() : found->second;
    if (found != report.end() && equal(kernel, reported))
      continue;
    ++different;
    std::cout << kernel.name << ": cubin " << kernel.registers << " registers, "
              << kernel.staticSharedBytes << " shared, " << kernel.frameBytes << " frame, "
              << kernel.barriers << " barriers; ptxas " << reported.registers << ", "
              << reported.shared << ", " << reported.frame << ", " << reported.barriers << "\n";
  }
  std::cout << cubin->kernels.size() << " kernels for sm_" << cubin->sm << ", " << different
            << " differ from the report\n";
  return different || cubin->kernels.empty() ? 1 : 0;
}
