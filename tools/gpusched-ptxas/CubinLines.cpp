// CubinLines.cpp - steps through line tables; what a row says does not matter here.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-ptxas/CubinLines.h"

#include "tools/gpusched-ptxas/Cubin.h"

#include <algorithm>
#include <cstdint>

namespace gpusched::ptxas {
namespace {

// DWARF 2, 6.2.4: length 4, version 2, length of the header behind itself 4, and then five bytes,
// the last of which is the first special opcode; numbers of operands of the others follow.
constexpr size_t kHeaderLengthAt = 6, kHeaderBegin = 10, kOpcodeBaseAt = 14, kOperandsAt = 15;
constexpr uint8_t kExtended = 0, kFixedAdvance = 9, kEndSequence = 1;

Status refusal(const std::string& what) {
  return Status::error("line table not understood: " + what);
}

class Stepping {
public:
  Stepping(std::string_view table, size_t begin)
      : table_(table), at_(begin), base_(static_cast<uint8_t>(table[kOpcodeBaseAt])) {}

  bool isAtEnd() const { return at_ >= table_.size(); }
  size_t at() const { return at_; }

  /// Over one opcode and its operands: was it the end of a sequence?
  bool step() {
    const uint8_t opcode = static_cast<uint8_t>(table_[at_++]);
    if (opcode == kExtended) {
      const size_t bytes = number();
      const bool ends = at_ < table_.size() && table_[at_] == kEndSequence;
      at_ += bytes;
      return ends;
    }
    if (opcode == kFixedAdvance)
      at_ += sizeof(uint16_t);
    else if (opcode < base_)
      for (int left = table_[kOperandsAt + opcode - 1]; left > 0; --left)
        number();
    return false;
  }

private:
  /// In LEB128; LLVM's reader would make this small program need LLVM's libraries.
  size_t number() {
    size_t value = 0;
    for (unsigned shift = 0; at_ < table_.size(); shift += 7) {
      const uint8_t byte = static_cast<uint8_t>(table_[at_++]);
      value |= shift < 64 ? size_t(byte & 0x7f) << shift : 0;
      if (!(byte & 0x80))
        break;
    }
    return value;
  }

  std::string_view table_;
  size_t at_;
  const uint8_t base_;
};

} // namespace

size_t lineTableOf(const std::string& section) {
  const auto* const end = kLineTableNames + kLineTables;
  return static_cast<size_t>(std::find(kLineTableNames, end, section) - kLineTableNames);
}

size_t relocatedLineTable(const std::string& section) {
  for (const std::string prefix : {".rela", ".rel"})
    if (section.starts_with(prefix))
      return lineTableOf(section.substr(prefix.size()));
  return kLineTables;
}

Result<LineSequences> sequencesOf(std::string_view table) {
  if (table.size() <= kOperandsAt || valueAt<uint32_t>(table, 0) != table.size() - kUnitLengthBytes)
    return refusal("length");
  LineSequences sequences;
  sequences.headerEnd = kHeaderBegin + valueAt<uint32_t>(table, kHeaderLengthAt);
  const size_t operandsEnd = kOperandsAt + static_cast<uint8_t>(table[kOpcodeBaseAt]);
  if (sequences.headerEnd > table.size() || operandsEnd > sequences.headerEnd)
    return refusal("header");
  Stepping stepping(table, sequences.headerEnd);
  while (!stepping.isAtEnd())
    if (stepping.step())
      sequences.ends.push_back(stepping.at());
  const size_t end = sequences.ends.empty() ? sequences.headerEnd : sequences.ends.back();
  return end == table.size() ? Result<LineSequences>(std::move(sequences)) : refusal("rows");
}

Result<std::string> commonHeader(const std::string& a, const std::string& b) {
  if (a.size() > b.size())
    return commonHeader(b, a);
  if (a == b)
    return b;
  if (a.size() < kHeaderBegin)
    return refusal("table of one");
  constexpr size_t kLengthAt = kHeaderLengthAt - kUnitLengthBytes;
  constexpr uint32_t kMissing = 4;
  std::string longer = a + std::string(kMissing, '\0');
  putValue(longer, kLengthAt, valueAt<uint32_t>(a, kLengthAt) + kMissing);
  return longer == b ? Result<std::string>(b) : refusal("files of one");
}

Result<std::string> commonText(const std::string& a, const std::string& b) {
  std::string text;
  text.reserve(a.size() + b.size());
  size_t ofA = 0, ofB = 0;
  while (ofA < a.size() && ofB < b.size()) {
    const std::string_view lineA(a.c_str() + ofA), lineB(b.c_str() + ofB);
    if (!lineA.empty() && !lineB.empty() && lineA != lineB)
      return refusal("two PTX texts");
    text += lineA.empty() ? lineB : lineA;
    text += '\0';
    ofA += lineA.size() + 1;
    ofB += lineB.size() + 1;
  }
  if (ofA != a.size() || ofB != b.size())
    return refusal("length of the PTX text");
  return text;
}

} // namespace gpusched::ptxas
