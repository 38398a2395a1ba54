// SourceTokens.cpp - raw lexing through Clang's lexer.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's raw mode knows raw strings, line splices and digit separators, so nothing of that is
// repeated here. CUDA mode is on: <<< and >>> are single tokens, except where a formatter split
// them, which is exactly what withClangSpelling looks for.
#include "passes/edit/SourceTokens.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"

#include <algorithm>
#include <iterator>

namespace gpusched::passes {
namespace {

clang::LangOptions rawOptions() {
  clang::LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus14 = options.CPlusPlus17 = true;
  options.CUDA = true;
  options.LineComment = true;
  options.DollarIdents = true;
  return options;
}

/// Offset just past the line of `offset`, honouring backslash-newline.
std::size_t endOfLogicalLine(const std::string& source, std::size_t offset) {
  std::size_t end = source.find('\n', offset);
  while (end != std::string::npos) {
    std::size_t last = end;
    while (last > offset && (source[last - 1] == '\r' || source[last - 1] == ' '))
      --last;
    if (last == offset || source[last - 1] != '\\')
      return end;
    end = source.find('\n', end + 1);
  }
  return source.size();
}

bool opensCondition(std::string_view word) {
  return word == "if" || word == "ifdef" || word == "ifndef";
}

bool isCondition(std::string_view word) {
  return opensCondition(word) || word == "elif" || word == "elifdef" || word == "elifndef" ||
         word == "else" || word == "endif";
}

} // namespace

SourceTokens::SourceTokens(const std::string& text) : source_(text) {
  const clang::LangOptions options = rawOptions();
  clang::Lexer lexer(clang::SourceLocation(), options, text.data(), text.data(),
                     text.data() + text.size());
  std::size_t directiveEnd = 0;
  clang::Token token;
  for (lexer.LexFromRawLexer(token); token.isNot(clang::tok::eof); lexer.LexFromRawLexer(token)) {
    const std::size_t end = lexer.getBufferLocation() - text.data();
    const std::size_t offset = end - token.getLength();
    const bool startsDirective = token.is(clang::tok::hash) && token.isAtStartOfLine();
    if (startsDirective)
      directiveEnd = endOfLogicalLine(text, offset);
    tokens_.push_back({offset, token.getLength(), offset < directiveEnd, startsDirective});
  }
}

std::size_t SourceTokens::at(std::size_t offset) const {
  return std::lower_bound(
             tokens_.begin(), tokens_.end(), offset,
             [](const SourceToken& token, std::size_t wanted) { return token.offset < wanted; }) -
         tokens_.begin();
}

bool SourceTokens::hasDirective(std::size_t begin, std::size_t end) const {
  for (std::size_t index = at(begin); index < tokens_.size() && tokens_[index].offset < end;
       ++index)
    if (tokens_[index].inDirective)
      return true;
  return false;
}

/// 1 for what opens a list, -1 for what closes one.
static int nesting(std::string_view word) {
  const bool opens = word == "(" || word == "{" || word == "[";
  return opens ? 1 : word == ")" || word == "}" || word == "]" ? -1 : 0;
}

std::size_t SourceTokens::openerOf(std::size_t closer) const {
  int depth = 0;
  for (std::size_t index = closer + 1; index-- > 0;) {
    depth -= nesting(text(index));
    if (depth <= 0)
      return index;
  }
  return closer;
}

std::size_t SourceTokens::closerOf(std::size_t opener) const {
  int depth = 0;
  for (std::size_t index = opener; index < tokens_.size(); ++index) {
    depth += nesting(text(index));
    if (depth <= 0)
      return index;
  }
  return opener;
}

void SourceTokens::skip(std::size_t begin, std::size_t end) {
  for (std::size_t index = at(begin); index < tokens_.size() && tokens_[index].offset < end;
       ++index)
    tokens_[index].skipped = true;
}

bool SourceTokens::hasOnlyConditions(std::size_t begin, std::size_t end) const {
  for (std::size_t index = at(begin); index + 1 < tokens_.size() && tokens_[index].offset < end;
       ++index)
    if (tokens_[index].startsDirective && !isCondition(text(index + 1)))
      return false;
  return true;
}

bool SourceTokens::asksArchitecture(std::size_t begin, std::size_t end) const {
  for (std::size_t index = at(begin); index < tokens_.size() && tokens_[index].offset < end;
       ++index)
    if (tokens_[index].inDirective && text(index).find("__CUDA_ARCH") != std::string_view::npos)
      return true;
  return false;
}

bool SourceTokens::conditionsBalance(std::size_t begin, std::size_t end) const {
  int depth = 0;
  for (std::size_t index = at(begin); index + 1 < tokens_.size() && tokens_[index].offset < end;
       ++index) {
    if (!tokens_[index].startsDirective)
      continue;
    const std::string_view word = text(index + 1);
    if (depth == 0 && !opensCondition(word))
      return false;
    depth += opensCondition(word) ? 1 : word == "endif" ? -1 : 0;
  }
  return depth == 0;
}

std::size_t SourceTokens::beginOfConditions(std::size_t begin, std::size_t end) const {
  int depth = 0, open = 0;
  for (std::size_t index = at(begin); index + 1 < tokens_.size() && tokens_[index].offset < end;
       ++index)
    if (tokens_[index].startsDirective) {
      const std::string_view word = text(index + 1);
      depth += opensCondition(word) ? 1 : word == "endif" ? -1 : 0;
      open = std::max(open, -depth);
    }
  std::size_t index = at(begin);
  while (open > 0 && index > 0) {
    --index;
    if (!tokens_[index].inDirective && !tokens_[index].skipped)
      break;
    if (tokens_[index].startsDirective) {
      const std::string_view word = text(index + 1);
      open += opensCondition(word) ? -1 : word == "endif" ? 1 : 0;
    }
  }
  return open == 0 ? tokens_[index].offset : begin;
}

bool SourceTokens::dependsOnArchitecture(std::size_t offset) const {
  std::vector<bool> open;
  for (std::size_t index = 0; index + 1 < tokens_.size() && tokens_[index].offset < offset;
       ++index) {
    if (!tokens_[index].startsDirective)
      continue;
    const std::string_view word = text(index + 1);
    if (word == "endif" && !open.empty())
      open.pop_back();
    if (opensCondition(word))
      open.push_back(false);
    if (word == "endif" || word == "else" || open.empty())
      continue;
    for (std::size_t next = index + 1;
         next < tokens_.size() && tokens_[next].inDirective && !tokens_[next].startsDirective;
         ++next)
      if (text(next).find("__CUDA_ARCH") != std::string_view::npos)
        open.back() = true;
  }
  return std::find(open.begin(), open.end(), true) != open.end();
}

namespace {

void joinChevrons(const SourceTokens& tokens, std::string& text) {
  bool open = false;
  for (std::size_t index = 0; index + 1 < tokens.all().size(); ++index) {
    const SourceToken& next = tokens.all()[index + 1];
    const std::size_t end = tokens.all()[index].end();
    const bool isOperator = index > 0 && tokens.text(index - 1) == "operator";
    const bool opens = tokens.text(index) == "<<" && tokens.text(index + 1) == "<" && !isOperator;
    open = (open || tokens.text(index) == "<<<") && tokens.text(index) != ">>>";
    const bool closes = open && tokens.text(index) == ">>" && tokens.text(index + 1) == ">";
    if ((!opens && !closes) || (text[end] != ' ' && text[end] != '\t'))
      continue;
    text[next.offset] = ' ';
    text[end] = opens ? '<' : '>';
    open = opens;
  }
}

/// `#define NAME #pragma ...` loses its body: no pragma changes what a function does.
void emptyPragmaMacros(const SourceTokens& tokens, std::string& text) {
  for (std::size_t index = 0; index + 4 < tokens.all().size(); ++index) {
    const bool found = tokens.all()[index].startsDirective && tokens.text(index + 1) == "define" &&
                       tokens.text(index + 3) == "#" && tokens.text(index + 4) == "pragma" &&
                       !tokens.all()[index + 3].startsDirective;
    for (std::size_t body = index + 3; found && body < tokens.all().size(); ++body) {
      const SourceToken& token = tokens.all()[body];
      if (!token.inDirective || token.startsDirective)
        break;
      text.replace(token.offset, token.length, token.length, ' ');
    }
  }
}

std::size_t closingBrace(const SourceTokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t index = open; index < tokens.all().size(); ++index) {
    depth += (tokens.text(index) == "{") - (tokens.text(index) == "}");
    if (depth == 0)
      return index;
  }
  return open;
}

/// `k<<<g, {32, 2}>>>(a)`: a 0, which converts to dim3, to a size and to a stream, stands for the
/// braces. A launch is parsed for the kernel that it names, not for its sizes.
void zeroBracedArguments(const SourceTokens& tokens, std::string& text) {
  bool inLaunch = false;
  int depth = 0;
  for (std::size_t index = 0; index + 1 < tokens.all().size(); ++index) {
    const std::string_view word = tokens.text(index), next = tokens.text(index + 1);
    if (word == "<<<" || word == ">>>" || word == ";") {
      inLaunch = word == "<<<";
      depth = 0;
    }
    depth += (word == "(" || word == "[") - (word == ")" || word == "]");
    if (!inLaunch || depth != 0 || next != "{" || (word != "<<<" && word != ","))
      continue;
    const std::size_t close = closingBrace(tokens, index + 1);
    const std::size_t begin = tokens.all()[index + 1].offset;
    std::replace_if(
        text.begin() + begin, text.begin() + tokens.all()[close].end(),
        [](char byte) { return byte != '\n'; }, ' ');
    text[begin] = '0';
    index = close;
  }
}

} // namespace

bool hasBracedLaunch(std::string_view text) {
  for (std::size_t at = text.find("<<<"); at != std::string_view::npos; at = text.find("<<<", at)) {
    const std::size_t end = text.find(">>>", at);
    if (text.substr(at, end - at).find('{') != std::string_view::npos)
      return true;
    at += 3;
  }
  return false;
}

std::string SourceTokens::withClangSpelling() const {
  std::string text = source_;
  joinChevrons(*this, text);
  emptyPragmaMacros(*this, text);
  if (hasBracedLaunch(text)) {
    const std::string joined = text;
    zeroBracedArguments(SourceTokens(joined), text);
  }
  return text;
}

std::string flatten(const SourceTokens& tokens, std::size_t begin, std::size_t end,
                    const std::vector<NamedPlace>& names,
                    const std::map<std::size_t, std::size_t>& leftOut) {
  std::string flat;
  const auto add = [&](std::string_view piece) {
    if (!flat.empty())
      flat += ' ';
    flat += piece;
  };
  const auto addNameAt = [&](std::size_t offset) {
    for (const NamedPlace& place : names)
      if (place.offset == offset)
        add(place.name);
  };
  for (std::size_t index = tokens.at(begin);
       index < tokens.all().size() && tokens.all()[index].offset < end; ++index) {
    const SourceToken& token = tokens.all()[index];
    addNameAt(token.offset);
    if (token.inDirective || token.skipped)
      continue;
    const auto behind = leftOut.upper_bound(token.offset);
    const std::size_t outUntil = behind == leftOut.begin() ? 0 : std::prev(behind)->second;
    if (outUntil < token.end())
      add(tokens.text(index).substr(outUntil > token.offset ? outUntil - token.offset : 0));
  }
  addNameAt(end);
  return flat;
}

} // namespace gpusched::passes
