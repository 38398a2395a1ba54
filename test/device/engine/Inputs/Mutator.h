// Mutator.h - damages PTX at random.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mutant is one seed with some lines deleted, repeated or moved and some words (opcodes,
// modifiers, operands) replaced by others of the seeds. The same seeds and number, the same mutants.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace gpusched::test {

using Lines = std::vector<std::string>;

inline Lines linesOf(const std::string& path) {
  std::ifstream file(path);
  Lines lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}

class Mutator {
public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  void addSeed(Lines lines) {
    for (const std::string& line : lines) {
      std::istringstream words(line);
      for (std::string word; words >> word;) {
        words_.push_back(word);
        const std::string name = word.substr(0, word.find_first_of(",;"));
        if (const std::string kind = kindOf(name); !kind.empty())
          alike_[kind].push_back(name);
      }
    }
    seeds_.push_back(std::move(lines));
  }

  size_t seeds() const { return seeds_.size(); }
  std::string seed(size_t index) const { return textOf(seeds_[index]); }

  std::string mutant() {
    Lines lines = seeds_[below(seeds_.size())];
    for (uint64_t edits = 1 + below(6); edits > 0; --edits)
      edit(lines);
    return textOf(lines);
  }

private:
  static std::string textOf(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines)
      text += line + "\n";
    return text;
  }

  uint64_t below(uint64_t bound) { return bound ? random_() % bound : 0; }

  void edit(Lines& lines) {
    if (lines.empty())
      return;
    const auto at = lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size()));
    switch (below(12)) {
    case 0:
      lines.erase(at);
      break;
    case 1:
      lines.insert(at, lines[below(lines.size())]);
      break;
    case 2:
      std::swap(*at, lines[below(lines.size())]);
      break;
    case 3:
      changeModifier(*at);
      break;
    case 4:
      changeNumber(*at);
      break;
    case 5:
    case 6:
    case 7:
    case 8:
      changeAlike(*at);
      break;
    default:
      changeWord(*at);
    }
  }

  /// Of a register "%" and its letters, of an instruction "."; others have none.
  static std::string kindOf(const std::string& word) {
    const size_t letters = std::min(word.find_first_of("0123456789.", 1), word.size());
    if (word[0] == '%')
      return word.substr(0, letters);
    const bool instruction = std::islower(static_cast<unsigned char>(word[0])) &&
                             word.find_first_of("[]{}:/") == std::string::npos;
    return instruction && word.find('.') != std::string::npos ? "." : "";
  }

  /// A register to another of its kind, or an instruction: what still parses.
  void changeAlike(std::string& line) {
    constexpr const char* kBetween = " \t,;[]{}|!@+";
    const size_t begin = line.find_first_not_of(kBetween, below(line.size()));
    if (begin == std::string::npos)
      return;
    const size_t behind = line.find_last_of(kBetween, begin);
    const size_t first = behind == std::string::npos ? 0 : behind + 1;
    const size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
    const auto found = alike_.find(kindOf(line.substr(first, end - first)));
    if (found != alike_.end())
      line.replace(first, end - first, found->second[below(found->second.size())]);
  }

  void changeWord(std::string& line) {
    const size_t begin = line.find_first_not_of(" \t", below(line.size()));
    if (begin == std::string::npos)
      return;
    const size_t end = std::min(line.find_first_of(" \t,;]", begin), line.size());
    line.replace(begin, end - begin, words_[below(words_.size())]);
  }

  /// .f32 to .u64, .global to .shared, and so on.
  void changeModifier(std::string& line) {
    static const char* const kModifiers[] = {
        ".f32",    ".f64",   ".u32",   ".s32",  ".b64",  ".u64",    ".b16", ".f16x2",    ".global",
        ".shared", ".local", ".param", ".sync", ".rn",   ".rz",     ".sat", ".ftz",      ".lo",
        ".wide",   ".v2",    ".v4",    ".cc",   ".all",  ".ballot", ".idx", ".volatile", ".acquire",
        ".x4",     ".row",   ".m8n8",  ".bulk", ".pred", ".cta",    ".and", ".popc",     ".relu"};
    const size_t begin = line.find('.', below(line.size()));
    if (begin == std::string::npos)
      return;
    const size_t end = std::min(line.find_first_of(". \t,;", begin + 1), line.size());
    line.replace(begin, end - begin, kModifiers[below(std::size(kModifiers))]);
  }

  void changeNumber(std::string& line) {
    static const char* const kNumbers[] = {
        "0",   "1",    "-1",         "31",          "32",
        "255", "4096", "2147483647", "-2147483648", "9223372036854775807",
        "16",  "3"};
    const size_t begin = line.find_first_of("0123456789", below(line.size()));
    if (begin == std::string::npos)
      return;
    const size_t end = std::min(line.find_first_not_of("0123456789", begin), line.size());
    line.replace(begin, end - begin, kNumbers[below(std::size(kNumbers))]);
  }

  std::vector<Lines> seeds_;
  std::vector<std::string> words_;
  std::map<std::string, std::vector<std::string>> alike_;
  std::mt19937_64 random_;
};

} // namespace gpusched::test
