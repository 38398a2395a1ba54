// EditSet.cpp - sorted edits, overlap detection, application.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Insertion keeps the vector sorted (upper_bound, so equal offsets stay in order of arrival): a
// file has at most a few hundred edits. An insertion strictly inside a replaced range is a
// conflict as well, because its place no longer exists.
#include "passes/edit/EditSet.h"

#include <algorithm>

namespace gpusched::passes {

void EditSet::replace(std::size_t offset, std::size_t length, std::string text) {
  std::vector<Edit>::iterator place =
      std::upper_bound(edits_.begin(), edits_.end(), offset,
                       [](std::size_t wanted, const Edit& edit) { return wanted < edit.offset; });
  edits_.insert(place, Edit{offset, length, std::move(text)});
}

void EditSet::append(const EditSet& other) {
  for (const Edit& edit : other.edits_)
    replace(edit.offset, edit.length, edit.text);
  endOfUnit_ += other.endOfUnit_;
}

std::optional<std::size_t> EditSet::conflict() const {
  std::size_t replacedUntil = 0;
  for (const Edit& edit : edits_) {
    if (edit.offset < replacedUntil)
      return edit.offset;
    replacedUntil = std::max(replacedUntil, edit.offset + edit.length);
  }
  return std::nullopt;
}

std::string EditSet::apply(const std::string& original) const {
  std::string result;
  result.reserve(original.size() + 256 * edits_.size());
  std::size_t done = 0;
  for (const Edit& edit : edits_) {
    result.append(original, done, edit.offset - done);
    result += edit.text;
    done = edit.offset + edit.length;
  }
  return result.append(original, done, std::string::npos);
}

} // namespace gpusched::passes
