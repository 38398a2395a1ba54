// MissingWords.h - words that Clang asks for and nvcc does not: `template` in a dependent call.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc takes `v.get<N>(a)` where the type of v depends on template parameters, since it looks `get`
// up in each instantiation. Clang takes that for `(v.get < N) > (a)` and reports, where it then
// finds a template, that the word is missing. So the text is parsed again as
// `v.template get<N>(a)`; nvcc gets it as the user wrote it.
//
// Sound because: a text in which Clang then reports nothing names a template there in each of the
// instantiations that it made, and the name of a template cannot be an operand of `<`. So nvcc has
// no other way to read it.
#pragma once

#include "passes/edit/EditSet.h"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace clang {
class Diagnostic;
}

namespace gpusched::passes {

inline constexpr const char* kMissingWord = "template ";

/// Where a word is missing: offsets of names in the parsed texts, by the textKey of their files.
using MissingWords = std::map<std::string, std::set<std::size_t>>;

/// Takes note of a diagnostic of that kind, ignores others.
void noteMissingWord(const clang::Diagnostic& diagnostic, MissingWords& missing);

/// The words that were put into one text: their offsets in it, in order.
class AddedWords {
public:
  /// Puts words in front of what stands at these offsets of `text`.
  std::string add(const std::string& text, const std::set<std::size_t>& offsets);

  /// Follows the words through a change of the text; those that it covers become the text's own.
  void follow(const EditSet& changes);

  /// Adds to the edits of `text` those that take the words out again, where no other edit has to do
  /// with them.
  void takeOut(EditSet& edits) const;

  /// The column, counted from 1, that a place has without the words.
  unsigned columnWithout(const std::string& text, unsigned line, unsigned column) const;

private:
  std::vector<std::size_t> offsets_;
};

} // namespace gpusched::passes
