// SameCode - do two cubins hold the same machine code?
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: image-SameCode a.cubin b.cubin
// Compares every .text section and the constants; says what differs. Used by the round-trip
// tests of the PTX parser.
#include "rt/device/cpu/image/ElfFile.h"

#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>

using namespace gpusched;
using namespace gpusched::image;

namespace {

std::map<std::string, std::string> codeOf(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const Result<ElfFile> elf = ElfFile::read(ByteView(bytes.data(), bytes.size()));
  std::map<std::string, std::string> code;
  if (!elf) {
    std::cerr << path << ": " << elf.message() << "\n";
    return code;
  }
  for (const ElfSection& section : elf->sections())
    if (section.name.starts_with(".text.") || section.name.starts_with(".nv.constant"))
      code.emplace(section.name, section.bytes.characters());
  return code;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: image-SameCode a.cubin b.cubin\n";
    return 2;
  }
  const std::map<std::string, std::string> a = codeOf(argv[1]), b = codeOf(argv[2]);
  bool same = !a.empty() && a.size() == b.size();
  for (const auto& [name, code] : a)
    if (const auto other = b.find(name); other == b.end() || other->second != code) {
      std::cout << "differs: " << name << "\n";
      same = false;
    }
  std::cout << a.size() << " sections, " << (same ? "same" : "not the same") << "\n";
  return same ? 0 : 1;
}
