// EditSet.h - edits of one source text as values.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass returns edits, it never changes text. An edit replaces [offset, offset + length) of the
// original text; offsets always mean the original, so the order in which passes run only decides
// the order of insertions at one place. Two edits that replace a common byte contradict each
// other: `conflict` names the place and the runner refuses the kernel that they belong to.
// A kernel of a header also has something to say where the main file ends; that is kept apart.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gpusched::passes {

/// Replaces `length` bytes at `offset`; length 0 inserts.
struct Edit {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string text;
};

/// Edits of one file, kept sorted by offset; insertions at one offset keep the order of arrival.
class EditSet {
public:
  void replace(std::size_t offset, std::size_t length, std::string text);
  void insert(std::size_t offset, std::string text) { replace(offset, 0, std::move(text)); }
  void append(const EditSet& other);

  /// Text for the end of the translation unit, whichever file these edits are of.
  void addToEndOfUnit(const std::string& text) { endOfUnit_ += text; }
  const std::string& endOfUnit() const { return endOfUnit_; }

  bool empty() const { return edits_.empty(); }
  const std::vector<Edit>& edits() const { return edits_; }

  /// Offset of the first byte that two edits replace, if any.
  std::optional<std::size_t> conflict() const;

  /// The text with all edits done. REQUIRES: !conflict() and edits inside the text.
  std::string apply(const std::string& original) const;

private:
  std::vector<Edit> edits_;
  std::string endOfUnit_;
};

} // namespace gpusched::passes
