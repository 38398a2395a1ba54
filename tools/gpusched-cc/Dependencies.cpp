// Dependencies.cpp - edits a make dependency file word by word.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc's layout is one name to a line, "target : first \" then "    name \", and with -MP a line
// "name:" for every header. It is read as rules (target and names) and written in that layout
// again, so that what a build tool sees differs in the names only.
#include "tools/gpusched-cc/Dependencies.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

namespace gpusched::cc {
namespace {

struct Rule {
  std::string target;
  std::vector<std::string> names;
};

/// Words of one logical line; "\ " and "\#" stay in the word as they are written.
std::vector<std::string> wordsOf(const std::string& line) {
  std::vector<std::string> words(1);
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '\n') {
      words.emplace_back();
      ++i;
    } else if (line[i] == '\\' && i + 1 < line.size()) {
      words.back() += {line[i], line[i + 1]};
      ++i;
    } else if (line[i] == ' ' || line[i] == '\t') {
      words.emplace_back();
    } else {
      words.back() += line[i];
    }
  }
  std::vector<std::string> kept;
  for (std::string& word : words)
    if (!word.empty())
      kept.push_back(std::move(word));
  return kept;
}

/// "a.o : a.cu h.h" or "h.h:"; the target may itself hold blanks only when escaped.
Rule ruleOf(const std::string& line) {
  Rule rule;
  std::vector<std::string> words = wordsOf(line);
  size_t i = 0;
  for (; i < words.size(); ++i) {
    std::string& word = words[i];
    if (word.back() == ':') {
      word.pop_back();
      rule.target += (rule.target.empty() || word.empty() ? "" : " ") + word;
      break;
    }
    rule.target += (rule.target.empty() ? "" : " ") + word;
  }
  for (++i; i < words.size(); ++i)
    rule.names.push_back(std::move(words[i]));
  return rule;
}

std::vector<Rule> readRules(const std::string& text) {
  std::vector<Rule> rules;
  std::string line;
  for (size_t i = 0; i <= text.size(); ++i) {
    bool end = i == text.size() || (text[i] == '\n' && (i == 0 || text[i - 1] != '\\'));
    if (!end) {
      line += text[i];
      continue;
    }
    if (line.find_first_not_of(" \t\n") != std::string::npos)
      rules.push_back(ruleOf(line));
    line.clear();
  }
  return rules;
}

bool startsWith(const std::string& text, const std::string& prefix) {
  return !prefix.empty() && text.compare(0, prefix.size(), prefix) == 0;
}

/// As make wants a blank written.
std::string escaped(const std::string& path) {
  std::string text;
  for (char c : path)
    text += c == ' ' ? std::string("\\ ") : std::string(1, c);
  return text;
}

std::string unescaped(const std::string& word) {
  std::string path;
  for (size_t i = 0; i < word.size(); ++i) {
    i += word[i] == '\\' && i + 1 < word.size() && (word[i + 1] == ' ' || word[i + 1] == '#');
    path += word[i];
  }
  return path;
}

/// The user's name for `name`; "" when it is one of our headers.
std::string userName(const std::string& name, const DependencyNames& names) {
  if (const auto copy = names.copies.find(unescaped(name)); copy != names.copies.end())
    return escaped(copy->second);
  if (startsWith(name, names.injectedFolder + "/"))
    return "";
  if (startsWith(name, "./") && !startsWith(names.original, "./"))
    return name.substr(2);
  return name;
}

void write(std::string& text, const Rule& rule, const DependencyNames& names) {
  std::set<std::string> seen;
  std::vector<std::string> kept;
  for (const std::string& name : rule.names)
    if (std::string user = userName(name, names); !user.empty() && seen.insert(user).second)
      kept.push_back(user);
  text += rule.target + " :";
  for (size_t i = 0; i < kept.size(); ++i)
    text += (i == 0 ? " " : " \\\n    ") + kept[i];
  text += "\n";
}

} // namespace

std::string fixedDependencies(const std::string& text, const DependencyNames& names) {
  std::string fixed;
  std::set<std::string> withoutNames{"", escaped(names.original)};
  for (const Rule& rule : readRules(text)) {
    if (!rule.names.empty())
      write(fixed, rule, names);
    else if (std::string user = userName(rule.target, names); withoutNames.insert(user).second)
      fixed += "\n" + user + ":\n";
  }
  return fixed;
}

Status fixDependencies(const std::string& path, const DependencyNames& names) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return {};
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  in.close();
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << fixedDependencies(text, names);
  out.flush();
  return out ? Status() : Status::error("cannot rewrite the dependency file '" + path + "'");
}

} // namespace gpusched::cc
