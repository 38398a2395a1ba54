// Readers.cpp - a closure over callers, and texts with a few lines in front.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cicc/Readers.h"

#include "tools/gpusched-cicc/BodyText.h"

#include <algorithm>
#include <iterator>

namespace gpusched::cicc {
namespace {

using ptxas::Entry;

constexpr const char* kWords = "gpusched_logical";

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

} // namespace

Readers::Readers(const std::string& ptx, const Functions& functions,
                 const std::set<std::string>& shared, Telling telling)
    : ptx_(ptx), telling_(std::move(telling)), shared_(shared), functions_(functions) {
  for (const auto& [symbol, function] : functions_) {
    const std::string_view body = bodyOf(ptx, function);
    const bool readsIndex = readsBlockIndex(body);
    readIndex_ = readIndex_ || readsIndex;
    if (readsIndex || isTold(body, telling_))
      copies_[symbol] = copyName(symbol);
  }
  closeOverCallers();
}

std::string Readers::copyName(const std::string& symbol) const {
  return symbol + suffixOf(telling_);
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
  for (size_t at = copies_.empty() ? body.size() : 0; at < body.size();) {
    const size_t end = ptxas::wordEnd(body, at);
    if (copies_.count(std::string(body.substr(at, end - at))))
      return true;
    at = std::max(end, at + 1);
  }
  return false;
}

bool Readers::isUnknown(const std::string& symbol) const {
  const bool isRegister = symbol.empty() || symbol[0] == '%';
  return isRegister ? !copies_.empty() : !functions_.count(symbol) && !ptxas::isSystemCall(symbol);
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

/// ".func (result) f__gs (parameters)", without its linkage.
std::string Readers::headOfCopy(const std::string& symbol) const {
  const Entry& function = functions_.at(symbol);
  std::string head = ptx_.substr(function.begin, function.bodyBegin - function.begin);
  head.erase(0, head.find(".func"));
  return head.replace(head.find(symbol), symbol.size(), copyName(symbol));
}

std::string Readers::declarations() const {
  std::string text;
  for (const auto& [symbol, copy] : copies_)
    text += headOfCopy(symbol) + ";\n";
  return text;
}

Result<std::string> Readers::definitions() const {
  std::string text;
  for (const auto& [symbol, copy] : copies_) {
    const Result<std::string> body =
        translate(bodyOf(ptx_, functions_.at(symbol)), {"", "", copies_, "", telling_, shared_});
    if (!body)
      return body.status();
    const std::string load =
        readsBlockIndex(bodyOf(ptx_, functions_.at(symbol))) ? loadLogical() : std::string();
    text += "\n" + headOfCopy(symbol) + "{\n" + load + body->substr(1) + "\n";
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
