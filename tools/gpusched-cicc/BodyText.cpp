// BodyText.cpp - one scan; whatever is no word is copied.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cicc/BodyText.h"

#include "tools/gpusched-ptxas/PtxEntries.h"

#include <algorithm>

namespace gpusched::cicc {
namespace {

using ptxas::wordEnd;

constexpr const char* kBlanks = " \t\r\n";
constexpr std::string_view kBuiltins[] = {"%ctaid", "%nctaid"};
/// What has another value in each block, but none that a twin knows; and what is not to happen
/// once for each block: the end of the thread, and stack that stays taken.
constexpr std::string_view kRefused[] = {"%clusterid", "%nclusterid", "exit", "alloca"};

bool isIn(const std::string_view* first, const std::string_view* last, std::string_view word) {
  return std::find(first, last, word) != last;
}

class Translator {
public:
  Translator(std::string_view body, const Translation& translation)
      : body_(body), translation_(translation) {}

  Result<std::string> run() {
    while (at_ < body_.size()) {
      const size_t end = wordEnd(body_, at_);
      if (end == at_) {
        result_ += body_[at_++];
        continue;
      }
      const std::string_view word = body_.substr(at_, end - at_);
      if (!addWord(word, end))
        return Status::error(std::string(word));
    }
    return std::move(result_);
  }

private:
  /// False for a word that cannot be.
  bool addWord(std::string_view word, size_t end) {
    const bool isInstruction = at_ == 0 || body_[at_ - 1] != '.';
    at_ = end;
    if (isIn(std::begin(kBuiltins), std::end(kBuiltins), word))
      return addBuiltin(word);
    if (isInstruction && isIn(std::begin(kRefused), std::end(kRefused), word))
      return false;
    if (isInstruction && translation_.drains && (word == "bar" || word == "barrier"))
      return addBarrier(word);
    if (isInstruction && word == "ret" && !translation_.returnsTo.empty())
      addBranch();
    else if (isParameter(word))
      result_ +=
          translation_.newParameters + std::to_string(std::stoul(std::string(number(word))) + 1);
    else if (const auto name = translation_.names.find(std::string(word));
             name != translation_.names.end())
      result_ += name->second;
    else
      result_ += word;
    return true;
  }

  /// "%ctaid" is behind, ".x" in front of us.
  bool addBuiltin(std::string_view word) {
    const bool isComponent = at_ + 1 < body_.size() && body_[at_] == '.' && body_[at_ + 1] >= 'x' &&
                             body_[at_ + 1] <= 'z' && wordEnd(body_, at_ + 1) == at_ + 2;
    if (!isComponent)
      return false;
    result_ += "gpusched_" + std::string(word.substr(1)) + "_" + body_[at_ + 1];
    at_ += 2;
    return true;
  }

  /// "ret;" or "ret.uni;"
  void addBranch() {
    const size_t end = std::min(body_.find(';', at_), body_.size());
    result_ += "bra" + std::string(body_.substr(at_, end - at_)) + " " + translation_.returnsTo;
    at_ = end;
  }

  /// "bar" is behind, ".sync 0;" in front of us. Barriers with other constant numbers, and those of
  /// warps, stay; a number that only the GPU knows may be 0.
  bool addBarrier(std::string_view word) {
    const size_t end = std::min(body_.find(';', at_), body_.size());
    const std::string_view rest = body_.substr(at_, end - at_);
    const size_t blank = std::min(rest.find_first_of(kBlanks), rest.size());
    const size_t number = std::min(rest.find_first_not_of(kBlanks, blank), rest.size());
    const std::string_view kind = rest.substr(0, blank), operands = rest.substr(number);
    if (kind.starts_with(".warp") || isOtherNumber(operands)) {
      result_ += word;
      return true;
    }
    const bool isAligned = kind == ".sync.aligned";
    if ((kind != ".sync" && !isAligned) || operands != "0" || isPredicated())
      return false;
    result_ += "{ .reg .pred gpusched_in, gpusched_any; setp.eq.u32 gpusched_in, 0, 0; " +
               std::string(word) + ".red.or.pred" + (isAligned ? ".aligned" : "") +
               " gpusched_any, 0, gpusched_in; }";
    at_ = end + 1;
    return true;
  }

  static bool isOtherNumber(std::string_view operands) {
    return !operands.empty() && operands[0] >= '1' && operands[0] <= '9';
  }

  /// Is something but a label or another instruction in front of the word, on its line?
  bool isPredicated() const {
    const size_t last = result_.find_last_not_of(" \t");
    return last != std::string::npos &&
           std::string_view("\n;{}:").find(result_[last]) == std::string_view::npos;
  }

  std::string_view number(std::string_view word) const {
    return word.substr(translation_.parameters.size());
  }

  bool isParameter(std::string_view word) const {
    return !translation_.newParameters.empty() && word.starts_with(translation_.parameters) &&
           word.size() > translation_.parameters.size() &&
           number(word).find_first_not_of("0123456789") == std::string_view::npos;
  }

  const std::string_view body_;
  const Translation& translation_;
  size_t at_ = 0;
  std::string result_;
};

} // namespace

const char* const kLogicalRegisters[6] = {"gpusched_ctaid_x",  "gpusched_ctaid_y",
                                          "gpusched_ctaid_z",  "gpusched_nctaid_x",
                                          "gpusched_nctaid_y", "gpusched_nctaid_z"};

Result<std::string> translate(std::string_view body, const Translation& translation) {
  return Translator(body, translation).run();
}

bool hasBlockBarriers(std::string_view text) {
  return text.find("bar.sync") != text.npos || text.find("barrier.sync") != text.npos;
}

bool readsBlockIndex(std::string_view text) {
  return text.find("%ctaid") != text.npos || text.find("%nctaid") != text.npos ||
         text.find("%clusterid") != text.npos || text.find("%nclusterid") != text.npos;
}

} // namespace gpusched::cicc
