// Pairs.cpp - reads and writes the text around two bodies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cicc/Pairs.h"

#include <algorithm>
#include <cstdlib>

namespace gpusched::cicc {
namespace {

using ptxas::Entry;
using ptxas::wordAt;

/// At the begin of a line, as -src-in-ptx shows the text of our header, too.
constexpr std::string_view kMark = "\n\t// gpusched_pair_of ";
constexpr std::string_view kPlaces[2] = {"\n\tgpusched_paired_body 0;",
                                         "\n\tgpusched_paired_body 1;"};

/// "mov.u64 \t%rd1, symbol;"
std::string addressIn(std::string_view body, const std::string& target) {
  const size_t at = body.find(target + ", ");
  return at == body.npos ? "" : wordAt(body, at + target.size() + 2);
}

/// Without the lines that move a kernel's address: ptxas would think that it is called from here.
std::string withoutAddresses(std::string_view body, const std::array<Entry, 2>& kernels) {
  return ptxas::withoutLines(body, [&](std::string_view line) {
    return line.find("mov.u64") != line.npos &&
           std::any_of(kernels.begin(), kernels.end(), [&](const Entry& kernel) {
             return line.find(", " + kernel.symbol + ";") != line.npos;
           });
  });
}

std::string_view directivesOf(const std::string& ptx, const Entry& kernel) {
  return std::string_view(ptx).substr(kernel.parametersEnd,
                                      kernel.bodyBegin - kernel.parametersEnd);
}

/// The least of the numbers behind a directive; 0 where neither kernel has it, or, for what has to
/// hold for both, one.
uint32_t leastBehind(const std::array<std::string_view, 2>& directives, std::string_view name,
                     bool ofBoth) {
  uint32_t least = 0;
  for (const std::string_view one : directives) {
    const bool isThere = one.find(name) != one.npos;
    if (ofBoth && !isThere)
      return 0;
    const uint32_t number = ptxas::productBehind(std::string(one), name);
    if (isThere && (least == 0 || number < least))
      least = number;
  }
  return least;
}

/// A block of the pair is one that each kernel allows, so it has no more threads than either does.
std::string boundsOf(const std::string& ptx, const std::array<Entry, 2>& kernels) {
  const std::array<std::string_view, 2> directives = {directivesOf(ptx, kernels[0]),
                                                      directivesOf(ptx, kernels[1])};
  const uint32_t most = leastBehind(directives, ".maxntid", false);
  const uint32_t exact = leastBehind(directives, ".reqntid", false);
  const uint32_t threads = most && exact ? std::min(most, exact) : most + exact;
  if (threads == 0)
    return "\n";
  const uint32_t blocks = leastBehind(directives, ".minnctapersm", true);
  return "\n.maxntid " + std::to_string(threads) + "\n" +
         (blocks ? ".minnctapersm " + std::to_string(blocks) + "\n" : "");
}

/// Of ".shared .align 4 .b8 name[128];" at the place of its directive; dynamic arrays have 0.
uint64_t bytesAt(std::string_view text, size_t at) {
  const size_t open = text.find_first_of("[;", at);
  if (open == text.npos || text[open] == ';')
    return 0;
  return std::strtoull(std::string(text.substr(open + 1, 20)).c_str(), nullptr, 10);
}

} // namespace

bool hasPairs(std::string_view ptx) {
  return ptx.find(kPlaces[0]) != ptx.npos;
}

std::optional<std::array<std::string, 2>> kernelsOfPair(const std::string& ptx,
                                                        const Entry& entry) {
  const std::string_view body = bodyOf(ptx, entry);
  const size_t mark = body.find(kMark);
  if (mark == body.npos)
    return std::nullopt;
  const std::string first = wordAt(body, mark + kMark.size());
  const std::string second = wordAt(body, mark + kMark.size() + first.size());
  return std::array{addressIn(body, first), addressIn(body, second)};
}

size_t parametersOf(const std::string& ptx, const Entry& kernel) {
  const std::string name = kernel.symbol + "_param_";
  size_t count = 0;
  for (size_t at = ptx.find(name, kernel.begin); at < kernel.parametersEnd;
       at = ptx.find(name, at + 1))
    ++count;
  return count;
}

uint64_t sharedBytesIn(std::string_view text) {
  constexpr std::string_view kDeclares = ".shared .align ";
  uint64_t bytes = 0;
  for (size_t at = text.find(kDeclares); at != text.npos; at = text.find(kDeclares, at + 1))
    bytes += bytesAt(text, at);
  return bytes;
}

std::string filledPair(const std::string& ptx, const Entry& pair,
                       const std::array<Entry, 2>& kernels,
                       const std::array<std::string, 2>& bodies) {
  std::string body = withoutAddresses(bodyOf(ptx, pair), kernels);
  for (size_t side = 0; side < 2; ++side)
    if (const size_t place = body.find(kPlaces[side]); place != body.npos)
      body.replace(place, kPlaces[side].size(), "\n" + bodies[side] + "\n");
  return boundsOf(ptx, kernels) + body;
}

std::string emptyPair() {
  return "\n.maxntid 1\n{\n\ttrap;\n}\n";
}

} // namespace gpusched::cicc
