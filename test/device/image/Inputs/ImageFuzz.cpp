// ImageFuzz - damages object files and fat binaries; the readers must not crash.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: image-ImageFuzz <iterations> <seed> file...
// Mutants keep most of a file and change bytes, mainly where headers are, or cut it off. Each
// is read as a file, as a fat binary and as a cubin. Prints how many stayed readable.
#include "rt/device/cpu/image/Cubin.h"
#include "rt/device/cpu/image/DeviceImage.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>

using namespace gpusched;
using namespace gpusched::image;

namespace {

/// Changes a few bytes; half of them near a place where a fat binary or an ELF file starts.
void mutate(std::string& bytes, std::mt19937_64& random) {
  const auto below = [&](uint64_t bound) { return bound ? random() % bound : 0; };
  for (uint64_t edits = 1 + below(6); edits > 0 && !bytes.empty(); --edits) {
    uint64_t at = below(bytes.size());
    if (below(2)) {
      const std::size_t magic = bytes.find(below(2) ? std::string("\x50\xed\x55\xba")
                                                    : "\x7f"
                                                      "ELF",
                                           at);
      at = magic == std::string::npos ? below(std::min<uint64_t>(bytes.size(), 64))
                                      : std::min<uint64_t>(magic + below(96), bytes.size() - 1);
    }
    if (below(12) == 0)
      bytes.resize(at);
    else
      bytes[at] = below(3) ? char(below(256)) : char(below(2) ? 0xff : 0);
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: image-ImageFuzz <iterations> <seed> file...\n";
    return 2;
  }
  std::vector<std::string> seeds;
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::mt19937_64 random(std::strtoull(argv[2], nullptr, 10));
  const long iterations = std::strtol(argv[1], nullptr, 10);
  long files = 0, fatBinaries = 0, cubins = 0;
  for (long i = 0; i < iterations; ++i) {
    std::string bytes = seeds[std::size_t(i) % seeds.size()];
    mutate(bytes, random);
    const ByteView view(bytes.data(), bytes.size());
    files += readImages(view, "mutant").ok();
    fatBinaries += readFatBinaries(view).ok();
    cubins += readCubin(view).ok();
  }
  std::cout << iterations << " mutants: " << files << " readable files, " << fatBinaries
            << " fat binaries, " << cubins << " cubins\n";
  return files > 0 && files < iterations ? 0 : 1;
}
