// SourceTokens.h - the raw tokens of one source text: what passes copy and cut by.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Raw means before preprocessing: comments are gone, macros are not expanded, directives are
// there and marked. Copying a signature token by token is what makes it safe to put it on one
// line: a line comment in a parameter list cannot swallow what follows.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched::passes {

struct SourceToken {
  std::size_t offset = 0;
  std::size_t length = 0;
  bool inDirective = false;     ///< part of a line that begins with #
  bool startsDirective = false; ///< that #
  bool skipped = false;         ///< in a region that the preprocessor left out
  std::size_t end() const { return offset + length; }
};

class SourceTokens {
public:
  explicit SourceTokens(const std::string& text);

  const std::vector<SourceToken>& all() const { return tokens_; }
  std::string_view text(std::size_t index) const {
    return std::string_view(source_).substr(tokens_[index].offset, tokens_[index].length);
  }
  /// Index of the first token that begins at or after `offset`.
  std::size_t at(std::size_t offset) const;

  /// The token that opens the list which the token `closer` closes; `closer` if it closes none.
  std::size_t openerOf(std::size_t closer) const;
  /// The token that closes the list which the token `opener` opens; `opener` if none does.
  std::size_t closerOf(std::size_t opener) const;

  /// Marks the tokens of a region that the preprocessor left out.
  void skip(std::size_t begin, std::size_t end);

  /// Is a preprocessor directive between the two offsets?
  bool hasDirective(std::size_t begin, std::size_t end) const;

  /// Are all directives between the two offsets conditions?
  bool hasOnlyConditions(std::size_t begin, std::size_t end) const;

  /// Does a directive between the two offsets name the architecture?
  bool asksArchitecture(std::size_t begin, std::size_t end) const;

  /// Does each condition that opens between the two offsets close there, and no other?
  bool conditionsBalance(std::size_t begin, std::size_t end) const;

  /// Where the conditions begin that end between the two offsets, if what stands there in front of
  /// `begin` was left out; else `begin`.
  std::size_t beginOfConditions(std::size_t begin, std::size_t end) const;

  /// Is `offset` inside #if ... #endif whose condition names the architecture?
  bool dependsOnArchitecture(std::size_t offset) const;

  /// The source with chevrons that a formatter split (`<< <`, `>> >`) put together again, braces
  /// between chevrons replaced by a 0 and macros that stand for a `#pragma` emptied, byte for byte
  /// the same length: nvcc accepts all three, Clang none.
  std::string withClangSpelling() const;

private:
  const std::string& source_;
  std::vector<SourceToken> tokens_;
};

/// May a launch in this text have an argument in braces?
bool hasBracedLaunch(std::string_view text);

/// A copy of the tokens in [begin, end) on one line, without directives and what they left out.
/// `names` are identifiers to put in front of the token at an offset: parameters that the source
/// left unnamed. `leftOut` are texts that are not copied: their ends, by their begins.
struct NamedPlace {
  std::size_t offset = 0;
  std::string name;
};
std::string flatten(const SourceTokens& tokens, std::size_t begin, std::size_t end,
                    const std::vector<NamedPlace>& names = {},
                    const std::map<std::size_t, std::size_t>& leftOut = {});

} // namespace gpusched::passes
