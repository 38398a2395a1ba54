// Readers.cpp - a closure over callers, and texts with a few lines in front.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cicc/Readers.h"

#include "tools/gpusched-cicc/BodyText.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace gpusched::cicc {
namespace {

using ptxas::Entry;

constexpr const char* kWords = "gpusched_logical";
/// Of the driver: they are not compiled with us and do not ask for the index.
const std::set<std::string> kSystemCalls = {"vprintf", "__assertfail", "malloc", "free"};

std::string_view bodyOf(const std::string& ptx, const Entry& entry) {
  return std::string_view(ptx).substr(entry.bodyBegin, entry.end - entry.bodyBegin);
}

std::string wordAddress(size_t index) {
  return "[" + std::string(kWords) + "+" + std::to_string(4 * index) + "]";
}

std::string loadLogical() {
  std::string text;
  for (size_t i = 0; i < std::size(kLogicalRegisters); ++i)
    text += std::string(".reg .b32 ") + kLogicalRegisters[i] + "; ld.shared.b32 " +
            kLogicalRegisters[i] + ", " + wordAddress(i) + ";\n";
  return text;
}

bool mentions(std::string_view text, const std::string& name) {
  const auto isName = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
  };
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1))
    if ((at == 0 || !isName(text[at - 1])) &&
        (at + name.size() == text.size() || !isName(text[at + name.size()])))
      return true;
  return false;
}

} // namespace

Readers::Readers(const std::string& ptx, bool drains) : ptx_(ptx), drains_(drains) {
  for (const Entry& function : ptxas::findFunctions(ptx))
    functions_[function.symbol] = function;
  for (const auto& [symbol, function] : functions_)
    if (readsBlockIndex(bodyOf(ptx, function)) ||
        (drains && hasBlockBarriers(bodyOf(ptx, function))))
      copies_[symbol] = copyName(symbol);
  closeOverCallers();
}

std::string Readers::copyName(const std::string& symbol) const {
  return symbol + (drains_ ? "__gsd" : "__gs");
}

void Readers::closeOverCallers() {
  for (bool grows = !copies_.empty(); grows;) {
    grows = false;
    for (const auto& [symbol, function] : functions_)
      if (!copies_.count(symbol) && areUsedBy(function))
        grows = copies_.emplace(symbol, copyName(symbol)).second;
  }
}

bool Readers::areUsedBy(const Entry& kernel) const {
  const std::string_view body = bodyOf(ptx_, kernel);
  return std::any_of(copies_.begin(), copies_.end(),
                     [&](const auto& copy) { return mentions(body, copy.first); });
}

bool Readers::isUnknown(const std::string& symbol) const {
  const bool isRegister = symbol.empty() || symbol[0] == '%';
  return isRegister ? !copies_.empty() : !functions_.count(symbol) && !kSystemCalls.count(symbol);
}

std::string Readers::unknownCallee(const Entry& kernel) const {
  std::set<std::string> open = ptxas::calleesOf(ptx_, kernel), seen;
  while (!open.empty()) {
    const std::string symbol = open.extract(open.begin()).value();
    if (!seen.insert(symbol).second)
      continue;
    if (isUnknown(symbol))
      return symbol;
    if (const auto function = functions_.find(symbol); function != functions_.end())
      open.merge(ptxas::calleesOf(ptx_, function->second));
  }
  return "";
}

std::string Readers::declarations() const {
  std::string text;
  for (const auto& [symbol, copy] : copies_) {
    const Entry& function = functions_.at(symbol);
    std::string head = ptx_.substr(function.begin, function.bodyBegin - function.begin);
    head.erase(0, head.find(".func"));
    text += head.replace(head.find(symbol), symbol.size(), copy) + ";\n";
  }
  return text;
}

Result<std::string> Readers::definitions() const {
  std::string text;
  for (const auto& [symbol, copy] : copies_) {
    const Entry& function = functions_.at(symbol);
    const Result<std::string> body =
        translate(bodyOf(ptx_, function), {symbol + "_param_", "", copies_, "", drains_});
    if (!body)
      return body.status();
    std::string head = ptx_.substr(function.begin, function.bodyBegin - function.begin);
    head.erase(0, head.find(".func"));
    text += "\n" + head.replace(head.find(symbol), symbol.size(), copy) + "{\n" + loadLogical() +
            std::string(*body).substr(1) + "\n";
  }
  return text;
}

std::string logicalWords() {
  return ".shared .align 8 .b8 " + std::string(kWords) + "[24];\n";
}

std::string storeLogical() {
  std::string text;
  for (size_t i = 0; i < std::size(kLogicalRegisters); ++i)
    text += "st.shared.b32 " + wordAddress(i) + ", " + kLogicalRegisters[i] + ";\n";
  return text;
}

} // namespace gpusched::cicc
