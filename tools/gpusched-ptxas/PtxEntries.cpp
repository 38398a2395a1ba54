// PtxEntries.cpp - finds kernels by their directive and the braces behind it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Braces count outside of comments and strings; inline assembly brings its own, in pairs.
#include "tools/gpusched-ptxas/PtxEntries.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace gpusched::ptxas {
namespace {

constexpr std::string_view kDirective = ".entry ", kFunction = ".func ";

/// Behind the comment or string that starts at `at`; `at` when none does.
size_t skipped(const std::string& text, size_t at) {
  size_t end = at;
  if (text.compare(at, 2, "//") == 0)
    end = text.find('\n', at);
  else if (text.compare(at, 2, "/*") == 0)
    end = text.find("*/", at + 2);
  else if (text[at] == '"')
    end = text.find('"', at + 1);
  return end == at ? at : std::min(end, text.size() - 1) + 1;
}

/// Behind the brace that closes the one at `open`; npos when none does.
size_t closedAt(const std::string& text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size();) {
    if (const size_t next = skipped(text, at); next != at) {
      at = next;
      continue;
    }
    depth += (text[at] == '{') - (text[at] == '}');
    ++at;
    if (depth == 0)
      return at;
  }
  return std::string::npos;
}

/// Does ';' follow the parameters, so that what has the name is defined elsewhere?
bool isDeclared(const std::string& ptx, size_t name) {
  return ptx.find(';', name) < ptx.find('{', name);
}

/// Of the directive at `at`, whose name follows `name`.
std::optional<Entry> definitionAt(const std::string& ptx, size_t at, size_t name) {
  Entry entry;
  entry.symbol = wordAt(ptx, name);
  entry.begin = ptx.rfind('\n', at) + 1;
  entry.parametersEnd = ptx.find(')', name) + 1;
  entry.bodyBegin = ptx.find('{', name);
  if (entry.parametersEnd == 0 || entry.bodyBegin == std::string::npos ||
      entry.bodyBegin < entry.parametersEnd)
    return std::nullopt;
  entry.end = closedAt(ptx, entry.bodyBegin);
  if (entry.end == std::string::npos)
    return std::nullopt;
  return entry;
}

} // namespace

size_t wordEnd(std::string_view text, size_t at) {
  const auto isOfWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
  };
  while (at < text.size() && isOfWord(text[at]))
    ++at;
  return at;
}

std::string wordAt(std::string_view text, size_t at) {
  const size_t begin = std::min(text.find_first_not_of(kBlanks, at), text.size());
  return std::string(text.substr(begin, wordEnd(text, begin) - begin));
}

std::string withoutLines(std::string_view text,
                         const std::function<bool(std::string_view line)>& areDropped) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    if (const std::string_view line = text.substr(at, end - at); !areDropped(line))
      result += line;
    at = end;
  }
  return result;
}

bool isSystemCall(const std::string& symbol) {
  return symbol == "vprintf" || symbol == "__assertfail" || symbol == "malloc" || symbol == "free";
}

std::vector<Entry> findEntries(const std::string& ptx) {
  std::vector<Entry> entries;
  for (size_t at = ptx.find(kDirective); at != std::string::npos;) {
    const size_t name = at + kDirective.size();
    if (isDeclared(ptx, name)) {
      at = ptx.find(kDirective, name);
      continue;
    }
    const std::optional<Entry> entry = definitionAt(ptx, at, name);
    if (!entry)
      return {};
    entries.push_back(*entry);
    at = ptx.find(kDirective, entry->end);
  }
  return entries;
}

std::vector<Entry> findFunctions(const std::string& ptx) {
  std::vector<Entry> functions;
  for (size_t at = ptx.find(kFunction); at != std::string::npos;) {
    // .func (.param .b32 result) name (parameters) { ... }, or ; for a declaration
    size_t name = ptx.find_first_not_of(kBlanks, at + kFunction.size());
    if (name != std::string::npos && ptx[name] == '(')
      name = ptx.find(')', name) + 1;
    const std::optional<Entry> function =
        isDeclared(ptx, name) ? std::nullopt : definitionAt(ptx, at, name);
    if (function)
      functions.push_back(*function);
    at = ptx.find(kFunction, function ? function->end : name);
  }
  return functions;
}

std::string onlyEntries(const std::string& ptx, const std::vector<Entry>& entries,
                        const std::set<std::string>& symbols) {
  std::string text;
  size_t copied = 0;
  for (const Entry& entry : entries) {
    if (symbols.count(entry.symbol))
      continue;
    text += ptx.substr(copied, entry.begin - copied);
    const auto begin = ptx.begin() + std::ptrdiff_t(entry.begin);
    copied = entry.end;
    text.append(size_t(std::count(begin, ptx.begin() + std::ptrdiff_t(copied), '\n')), '\n');
  }
  return text + ptx.substr(copied);
}

std::set<std::string> calleesOf(const std::string& ptx, const Entry& entry) {
  const std::string_view body(ptx.data() + entry.bodyBegin, entry.end - entry.bodyBegin);
  std::set<std::string> callees;
  for (size_t at = body.find("call"); at != std::string_view::npos;
       at = body.find("call", at + 4)) {
    const bool isInstruction = std::isspace(static_cast<unsigned char>(body[at - 1])) &&
                               (body[at + 4] == '.' || body[at + 4] == ' ');
    if (!isInstruction)
      continue;
    // call.uni (result), name, (arguments);
    size_t name = body.find_first_not_of(kBlanks, body.find_first_of(kBlanks, at));
    if (name != std::string_view::npos && body[name] == '(')
      name = body.find(',', body.find(')', name)) + 1;
    callees.insert(wordAt(body, name));
  }
  return callees;
}

uint32_t productBehind(const std::string& directives, std::string_view name) {
  uint32_t product = 1;
  size_t at = directives.find(name);
  if (at == std::string::npos)
    return product;
  for (at += name.size(); at < directives.size();) {
    char* end = nullptr;
    const unsigned long number = std::strtoul(directives.c_str() + at, &end, 10);
    if (end == directives.c_str() + at)
      break;
    product *= static_cast<uint32_t>(number);
    at = directives.find_first_not_of(", ", end - directives.c_str());
  }
  return product;
}

} // namespace gpusched::ptxas
