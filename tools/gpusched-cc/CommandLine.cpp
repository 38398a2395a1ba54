// CommandLine.cpp - reads nvcc's command line.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each argument is looked up in NvccOptions.def. An option that wants a value takes the next
// argument whatever it looks like, as nvcc does. Options files nest; ten levels are followed.
#include "tools/gpusched-cc/CommandLine.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace gpusched::cc {
namespace {

constexpr int kMaxOptionsFileDepth = 10;

std::string environmentText(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string readAll(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

} // namespace

std::vector<std::string> splitWords(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool inWord = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < text.size() && quote != '\'') {
      word += text[++i];
      inWord = true;
    } else if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c;
      inWord = true;
    } else if (!quote && std::isspace(static_cast<unsigned char>(c))) {
      if (inWord)
        words.push_back(std::move(word));
      word.clear();
      inWord = false;
    } else {
      word += c;
      inWord = true;
    }
  }
  if (inWord)
    words.push_back(std::move(word));
  return words;
}

std::vector<std::string> splitCommas(const std::string& text) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"')
      quoted = !quoted;
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',')
      parts.back() += text[++i];
    else if (text[i] == ',' && !quoted)
      parts.emplace_back();
    else
      parts.back() += text[i];
  }
  return parts;
}

CommandLine CommandLine::parse(const std::vector<std::string>& arguments) {
  CommandLine line;
  using Origin = Argument::Origin;
  line.add(splitWords(environmentText("NVCC_PREPEND_FLAGS")), Origin::Environment, 0);
  line.add(arguments, Origin::Command, 0);
  line.add(splitWords(environmentText("NVCC_APPEND_FLAGS")), Origin::Environment, 0);
  return line;
}

void CommandLine::add(const std::vector<std::string>& words, Argument::Origin origin, int depth) {
  for (size_t i = 0; i < words.size(); ++i) {
    OptionMatch match = matchOption(words[i]);
    Argument argument{match.id, match.form, match.value.value_or(""), {words[i]}, origin};
    if (match.id == OptionId::Input)
      argument.value = words[i];
    if (match.wantsNext() && i + 1 < words.size()) {
      argument.value = words[++i];
      argument.tokens.push_back(argument.value);
    }
    arguments_.push_back(argument);
    if (match.id != OptionId::OptionsFile || depth == kMaxOptionsFileDepth)
      continue;
    Argument::Origin inside =
        origin == Argument::Origin::Environment ? origin : Argument::Origin::OptionsFile;
    for (const std::string& path : splitCommas(argument.value))
      add(splitWords(readAll(path)), inside, depth + 1);
  }
}

bool CommandLine::has(OptionId id) const {
  return std::any_of(arguments_.begin(), arguments_.end(),
                     [id](const Argument& argument) { return argument.id == id; });
}

bool CommandLine::hasAny(std::initializer_list<OptionId> ids) const {
  return std::any_of(ids.begin(), ids.end(), [this](OptionId id) { return has(id); });
}

std::string CommandLine::last(OptionId id) const {
  std::string value;
  for (const Argument& argument : arguments_)
    if (argument.id == id)
      value = argument.value;
  return value;
}

std::vector<std::string> CommandLine::values(OptionId id) const {
  std::vector<std::string> all;
  for (const Argument& argument : arguments_) {
    if (argument.id != id)
      continue;
    std::vector<std::string> parts =
        isList(argument.form) ? splitCommas(argument.value) : std::vector{argument.value};
    all.insert(all.end(), parts.begin(), parts.end());
  }
  return all;
}

std::vector<std::string> CommandLine::inputs() const {
  return values(OptionId::Input);
}

bool CommandLine::comesFrom(Argument::Origin origin, OptionId id) const {
  return std::any_of(arguments_.begin(), arguments_.end(), [=](const Argument& argument) {
    return argument.id == id && argument.origin == origin;
  });
}

void CommandLine::inlineOptionsFiles() {
  std::vector<Argument> flat;
  for (Argument& argument : arguments_) {
    bool ours = argument.origin != Argument::Origin::Environment;
    if (ours && argument.id == OptionId::OptionsFile)
      continue;
    if (ours)
      argument.origin = Argument::Origin::Command;
    flat.push_back(std::move(argument));
  }
  arguments_ = std::move(flat);
}

} // namespace gpusched::cc
