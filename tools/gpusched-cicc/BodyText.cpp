// BodyText.cpp - one scan; whatever is no word is copied, and so are comments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cicc/BodyText.h"

#include "rt/include/gpusched/LaunchAbi.h"
#include "tools/gpusched-cicc/WaitText.h"
#include "tools/gpusched-ptxas/PtxEntries.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace gpusched::cicc {
namespace {

using ptxas::kBlanks;
using ptxas::wordEnd;

constexpr std::string_view kBuiltins[] = {"%ctaid", "%nctaid"};
/// What has another value in each block, but none that a twin knows; and what is not to happen
/// once for each block: the end of the thread, and stack that stays taken.
constexpr std::string_view kRefused[] = {"%clusterid", "%nclusterid", "exit", "alloca"};

/// Where the body stops when it comes to such a label.
std::set<std::string_view> labelsOfReturns(std::string_view body) {
  std::set<std::string_view> found, open;
  for (size_t at = 0; at < body.size();) {
    const size_t end = std::min(body.find('\n', at), body.size());
    const std::string_view line = ptxas::trimmed(body.substr(at, end - at));
    if (line.ends_with(':'))
      open.insert(line.substr(0, line.size() - 1));
    else if (line == "ret;" || line == "ret.uni;")
      found.merge(std::exchange(open, {}));
    else if (!line.empty() && !line.starts_with("//") && !line.starts_with(".loc"))
      open.clear();
    at = end + 1;
  }
  return found;
}

bool isIn(const std::string_view* first, const std::string_view* last, std::string_view word) {
  return std::find(first, last, word) != last;
}

class Translator {
public:
  Translator(std::string_view body, const Translation& translation)
      : body_(body), translation_(translation) {
    if (drains())
      returns_ = labelsOfReturns(body);
  }

  Result<std::string> run() {
    while (at_ < body_.size()) {
      if (body_.substr(at_).starts_with("//")) {
        copyComment();
        continue;
      }
      const size_t end = wordEnd(body_, at_);
      if (end == at_) {
        result_ += body_[at_++];
        continue;
      }
      const std::string_view word = body_.substr(at_, end - at_);
      if (!addWord(word, end))
        return Status::error(std::string(word));
    }
    for (size_t i = 0; i < branches_; ++i)
      result_ += "\n" + labelOf(i) + ":\n" + leaveAt(i);
    return std::move(result_);
  }

private:
  /// -src-in-ptx shows the source's lines so.
  void copyComment() {
    const size_t end = std::min(body_.find('\n', at_), body_.size());
    result_ += body_.substr(at_, end - at_);
    at_ = end;
  }

  /// False for a word that cannot be.
  bool addWord(std::string_view word, size_t end) {
    const bool isInstruction = at_ == 0 || body_[at_ - 1] != '.';
    at_ = end;
    if (isIn(std::begin(kBuiltins), std::end(kBuiltins), word))
      return addBuiltin(word);
    if (isInstruction && isIn(std::begin(kRefused), std::end(kRefused), word))
      return false;
    if (const Wait wait = {word, restOfInstruction()};
        isInstruction && isTold(wait, translation_.telling))
      return addTold(wait);
    if (isInstruction && word == "ret" && !translation_.returnsTo.empty())
      addBranch();
    else if (returns_.count(word) && !definesLabel())
      result_ += labelOf(branches_++);
    else if (isParameter(word))
      result_ += translation_.newParameters + std::to_string(std::stoul(std::string(number(word))) +
                                                             translation_.firstParameter);
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

  bool drains() const {
    return translation_.telling.drain != Drain::Nothing && !translation_.returnsTo.empty();
  }

  /// "ret;" or "ret.uni;"
  void addBranch() {
    const std::string_view rest = restOfInstruction();
    result_ += "bra" + std::string(rest) + " ";
    result_ += drains() ? labelOf(branches_++) : translation_.returnsTo;
    at_ += rest.size();
  }

  static std::string labelOf(size_t branch) { return "$gpusched_leave_" + std::to_string(branch); }

  /// What is said here is 0, since no launch has so many blocks. The number is another one at each
  /// place, lest ptxas make one place of them.
  std::string leaveAt(size_t place) const {
    return "{ .reg .b32 gpusched_said, gpusched_any; .reg .pred gpusched_some; "
           "ld.param.u32 gpusched_said, [" +
           translation_.newParameters + "0+" + std::to_string(offsetof(gpusched_params, total)) +
           "]; setp.gt.u32 gpusched_some, gpusched_said, " +
           std::to_string(GPUSCHED_MAX_LOGICAL_BLOCKS + place) +
           "; selp.u32 gpusched_said, 1, 0, gpusched_some; " +
           drainText(translation_.telling, "$gpusched_drain_" + std::to_string(place)) + "bra " +
           translation_.returnsTo + "; }";
  }

  /// Is the word behind us one that ':' follows?
  bool definesLabel() const {
    const size_t next = body_.find_first_not_of(kBlanks, at_);
    return next != body_.npos && body_[next] == ':';
  }

  std::string_view restOfInstruction() const {
    return body_.substr(at_, std::min(body_.find(';', at_), body_.size()) - at_);
  }

  bool addTold(const Wait& wait) {
    const bool predicated = isPredicated();
    if (predicated && !waitsForNobody(wait))
      return false;
    const std::optional<std::string> text = tell(wait, translation_.telling, translation_.shared);
    if (!text)
      return false;
    result_ += predicated ? branchOfPredicate() + *text + " $gpusched_past: }" : *text;
    at_ += wait.rest.size() + 1;
    return true;
  }

  /// "{ @!%p1 bra $gpusched_past; " in place of the "@%p1 " that the result ends with.
  std::string branchOfPredicate() {
    const size_t at = result_.rfind('@');
    const std::string predicate(ptxas::trimmed(std::string_view(result_).substr(at + 1)));
    result_.resize(at);
    return (predicate.starts_with('!') ? "{ @" + predicate.substr(1) : "{ @!" + predicate) +
           " bra $gpusched_past; ";
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
  std::set<std::string_view> returns_; ///< labels
  size_t at_ = 0, branches_ = 0;
  std::string result_;
};

} // namespace

const char* const kLogicalRegisters[6] = {"gpusched_ctaid_x",  "gpusched_ctaid_y",
                                          "gpusched_ctaid_z",  "gpusched_nctaid_x",
                                          "gpusched_nctaid_y", "gpusched_nctaid_z"};

Result<std::string> translate(std::string_view body, const Translation& translation) {
  return Translator(body, translation).run();
}

bool isTold(std::string_view text, const Telling& telling) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = wordEnd(text, at);
    const bool isInstruction = end > at && (at == 0 || text[at - 1] != '.');
    if (isInstruction && isTold(Wait{text.substr(at, end - at), text.substr(end)}, telling))
      return true;
    at = std::max(end, at + 1);
  }
  return false;
}

bool readsBlockIndex(std::string_view text) {
  return text.find("%ctaid") != text.npos || text.find("%nctaid") != text.npos ||
         text.find("%clusterid") != text.npos || text.find("%nclusterid") != text.npos;
}

std::set<std::string> sharedVariables(std::string_view ptx) {
  constexpr std::string_view kDirective = ".shared ";
  std::set<std::string> names;
  for (size_t at = ptx.find(kDirective); at != ptx.npos; at = ptx.find(kDirective, at + 1)) {
    // .shared .align 8 .b8 name[24];
    const size_t end = std::min(ptx.find_first_of("[;={", at), ptx.size());
    const size_t last = ptx.find_last_not_of(kBlanks, end - 1);
    const size_t begin = ptx.find_last_of(kBlanks, last) + 1;
    names.insert(std::string(ptx.substr(begin, last + 1 - begin)));
  }
  return names;
}

} // namespace gpusched::cicc
