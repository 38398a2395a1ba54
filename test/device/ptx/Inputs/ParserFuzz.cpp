// ParserFuzz - damages PTX at random; the parser must neither crash nor hang.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: ptx-ParserFuzz <iterations> <seed> file.ptx...
// A mutant is a file of up to a few kilobytes cut out of a seed file, with some tokens deleted,
// repeated, swapped with others or replaced by awkward ones. Prints how many parsed, so that a
// mutator that destroys everything shows. Reproducible: the same arguments, the same mutants.
#include "rt/device/cpu/ptx/Parser.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

using namespace gpusched;

namespace {

constexpr const char* kAwkward[] = {"{",
                                    "}",
                                    "(",
                                    ")",
                                    "[",
                                    "]",
                                    ";",
                                    ",",
                                    ":",
                                    "|",
                                    "<",
                                    ">",
                                    "!",
                                    "@",
                                    "-",
                                    "+",
                                    "_",
                                    "%",
                                    "%r1",
                                    "%p1",
                                    "%tid.x",
                                    "0",
                                    "-1",
                                    "0x7fffffffffffffff",
                                    "18446744073709551615",
                                    "1e308",
                                    "0f7F",
                                    "0d",
                                    "1.5",
                                    ".reg",
                                    ".param",
                                    ".b32",
                                    ".b8",
                                    ".global",
                                    ".align",
                                    ".func",
                                    ".entry",
                                    ".extern",
                                    ".alias",
                                    ".section",
                                    "/*",
                                    "//",
                                    "\"",
                                    "ret",
                                    "bra",
                                    "call",
                                    "=",
                                    "generic(",
                                    "0xFF(",
                                    "[]",
                                    "[1000000000]",
                                    ".branchtargets",
                                    ".callprototype",
                                    "%r<1000000000>",
                                    "\n",
                                    "#",
                                    "$L__BB0_1",
                                    "\x80",
                                    "1/0"};

class Mutator {
public:
  Mutator(std::vector<std::string> seeds, uint64_t seed)
      : seeds_(std::move(seeds)), random_(seed) {}

  std::string mutant() {
    std::string text = excerpt();
    for (uint64_t edits = below(4) ? 1 + below(8) : 1; edits > 0; --edits)
      edit(text);
    return text;
  }

private:
  uint64_t below(uint64_t bound) { return bound ? random_() % bound : 0; }

  /// A header and whole lines from somewhere in a seed, so that some mutants stay valid.
  std::string excerpt() {
    const std::string& seed = seeds_[below(seeds_.size())];
    constexpr std::size_t kLongest = 6000;
    if (seed.size() <= kLongest || below(4) == 0)
      return seed.substr(0, kLongest * 4);
    const std::size_t header = seed.find(".address_size");
    std::size_t from = seed.find('\n', below(seed.size() - kLongest));
    return seed.substr(0, header) + ".address_size 64\n" + seed.substr(from, kLongest);
  }

  /// A position at the start of a token, roughly.
  std::size_t place(const std::string& text) {
    const std::size_t at = text.find_first_of(" \t\n,;", below(text.size()));
    return at == std::string::npos ? 0 : at;
  }

  void edit(std::string& text) {
    if (text.empty())
      return;
    const std::size_t at = place(text), length = 1 + below(below(4) ? 12 : 400);
    switch (below(6)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, text.substr(place(text), length));
      break;
    case 2:
      text[below(text.size())] = char(below(256));
      break;
    case 3:
      text.resize(below(text.size()));
      break;
    default:
      text.insert(at, std::string(" ") + kAwkward[below(std::size(kAwkward))] + " ");
    }
  }

  std::vector<std::string> seeds_;
  std::mt19937_64 random_;
};

} // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: ptx-ParserFuzz <iterations> <seed> file.ptx...\n";
    return 2;
  }
  std::vector<std::string> seeds;
  for (int i = 3; i < argc; ++i) {
    std::ifstream file(argv[i]);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  Mutator mutator(std::move(seeds), std::strtoull(argv[2], nullptr, 10));
  const long iterations = std::strtol(argv[1], nullptr, 10);
  long valid = 0;
  double slowest = 0;
  for (long i = 0; i < iterations; ++i) {
    const std::string text = mutator.mutant();
    const auto begin = std::chrono::steady_clock::now();
    valid += ptx::parse(text).ok();
    slowest = std::max(
        slowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::cout << iterations << " mutants, " << valid << " valid, slowest " << slowest << " s\n";
  constexpr double kHang = 2;
  return valid > 0 && valid < iterations && slowest < kHang ? 0 : 1;
}
