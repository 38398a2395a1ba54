// WaitText.cpp - one function for each kind of instruction.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-cicc/WaitText.h"

#include "tools/gpusched-cicc/Waits.h"
#include "tools/gpusched-ptxas/OurFunctions.h"
#include "tools/gpusched-ptxas/PtxEntries.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace gpusched::cicc {
namespace {

using ptxas::kBlanks;
using ptxas::trimmed;

/// What names the lanes of a mask, its last operand.
constexpr std::string_view kPrimitives[] = {"shfl", "vote", "match", "redux", "elect"};

/// ".sync.down.b32" of ".sync.down.b32 %r2|%p1, %r1, 8, 31, -1".
std::string_view kindOf(std::string_view rest) {
  return rest.substr(0, rest.find_first_of(kBlanks));
}

std::vector<std::string_view> operandsOf(std::string_view rest) {
  std::vector<std::string_view> operands;
  for (size_t at = kindOf(rest).size(); at < rest.size();) {
    const size_t end = std::min(rest.find(',', at), rest.size());
    operands.push_back(trimmed(rest.substr(at, end - at)));
    at = end + 1;
  }
  return operands;
}

bool isPrimitive(const Wait& wait) {
  return std::find(std::begin(kPrimitives), std::end(kPrimitives), wait.word) !=
             std::end(kPrimitives) ||
         (wait.word == "bar" && wait.rest.starts_with(".warp"));
}

bool isBarrier(const Wait& wait) {
  return (wait.word == "bar" || wait.word == "barrier") && wait.rest.starts_with('.') &&
         !wait.rest.starts_with(".warp") && !wait.rest.starts_with(".cluster");
}

bool isMbarrier(const Wait& wait) {
  return wait.word == "mbarrier" &&
         (wait.rest.starts_with(".init") || wait.rest.starts_with(".inval"));
}

/// `result`: a register, or "".
std::string callOf(std::string_view function, std::string_view argument, std::string_view result) {
  std::string text = "{ .param .b32 gpusched_in; .param .b32 gpusched_out; st.param.b32 "
                     "[gpusched_in], ";
  text.append(argument).append(result.empty() ? "; call " : "; call (gpusched_out), ");
  text.append(function).append(", (gpusched_in); ");
  if (!result.empty())
    text.append("ld.param.b32 ").append(result).append(", [gpusched_out]; ");
  return text + "} ";
}

std::string meetingOf(const Telling& telling) {
  return std::string(ptxas::kMeet) + (telling.drain == Drain::AnyLanes ? "Lb1E" : "Lb0E") +
         telling.lanes + "EEjj";
}

std::optional<std::string> tellPrimitive(const Wait& wait, const Telling& telling) {
  const std::vector<std::string_view> operands = operandsOf(wait.rest);
  if (wait.rest.find(".sync") == wait.rest.npos || operands.empty())
    return std::nullopt;
  const std::string_view mask = operands.back();
  const std::string_view before = wait.rest.substr(0, mask.data() - wait.rest.data());
  std::string text =
      "{ .reg .b32 gpusched_present; " + callOf(meetingOf(telling), mask, "gpusched_present");
  text.append(wait.word).append(before).append("gpusched_present; }");
  return text;
}

/// "bar.red.or.pred", "0" and "q", asked by its own function.
std::string tellQuestion(std::string_view kind, std::string_view answer,
                         std::string_view question) {
  const bool isAnd = kind.find(".and") != kind.npos, isCount = kind.find(".popc") != kind.npos;
  const bool isNegated = question.starts_with('!');
  std::string text = "{ .reg .b32 gpusched_said; .reg .b32 gpusched_all; selp.b32 gpusched_said, ";
  text.append(isAnd != isNegated ? "0, 1, " : "1, 0, ")
      .append(trimmed(question.substr(isNegated)))
      .append("; ")
      .append(callOf(ptxas::kCount, "gpusched_said", "gpusched_all"));
  if (isCount)
    text.append("mov.b32 ").append(answer).append(", gpusched_all; }");
  else
    text.append(isAnd ? "setp.eq.u32 " : "setp.ne.u32 ")
        .append(answer)
        .append(", gpusched_all, 0; }");
  return text;
}

bool isOtherNumber(std::string_view number) {
  return !number.empty() && number[0] >= '1' && number[0] <= '9';
}

/// Barriers of some warps, which have a number and a count, stay, but where lanes may have left
/// their warp; one of all warps counts who has left, whatever its number. A number that only the
/// GPU knows may be 0.
std::optional<std::string> tellBarrier(const Wait& wait, const Telling& telling) {
  std::string_view kind = kindOf(wait.rest);
  if (kind.starts_with(".cta"))
    kind.remove_prefix(std::string_view(".cta").size());
  const std::vector<std::string_view> operands = operandsOf(wait.rest);
  const bool asks = kind.starts_with(".red.");
  const size_t number = asks ? 1 : 0, plain = asks ? 3 : 1; // its place; operands without a count
  if (operands.size() < plain)
    return std::nullopt;
  if (isOtherNumber(operands[number]) && operands.size() == plain + 1 && !telling.tellsLanes())
    return std::string(wait.word) + std::string(wait.rest) + ";";
  if (operands[number] != "0" || operands.size() != plain || (asks && !telling.counts))
    return std::nullopt;
  const std::string meets = telling.tellsLanes() ? "call " + std::string(ptxas::kMeetForBarrier) +
                                                       telling.lanes + "EEvv; "
                                                 : std::string();
  if (asks)
    return meets + tellQuestion(kind, operands[0], operands[2]);
  if (kind != ".sync" && kind != ".sync.aligned")
    return std::nullopt;
  if (telling.counts)
    return "{ .reg .b32 gpusched_all; " + meets + callOf(ptxas::kCount, "1", "gpusched_all") + "}";
  return "{ .reg .b32 gpusched_any; " + meets + callOf(ptxas::kBarrier, "1", "gpusched_any") + "}";
}

/// Instructions that put the address into gpusched_at, of "%rd1+8", "%r2", "variable+16". Registers
/// are nvcc's, which names them by their width: others may have any.
std::string addressIn(std::string_view place, bool isShared, const std::set<std::string>& shared) {
  const size_t plus = std::min(place.find('+'), place.size());
  const std::string base(trimmed(place.substr(0, plus)));
  const std::string offset(plus < place.size() ? trimmed(place.substr(plus + 1)) : "0");
  const auto isRegister = [&](std::string_view prefix) {
    return base.starts_with(prefix) && base.size() > prefix.size() &&
           base.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
  };
  if (shared.count(base))
    return "mov.u32 gpusched_at, " + base + "; add.s32 gpusched_at, gpusched_at, " + offset + "; ";
  if (isShared && isRegister("%r"))
    return "add.s32 gpusched_at, " + base + ", " + offset + "; ";
  if (!isRegister("%rd"))
    return "";
  const std::string narrowed = isShared ? "cvt.u32.u64 gpusched_at, " + base + "; "
                                        : "{ .reg .b64 gpusched_to; cvta.to.shared.u64 "
                                          "gpusched_to, " +
                                              base + "; cvt.u32.u64 gpusched_at, gpusched_to; } ";
  return narrowed + "add.s32 gpusched_at, gpusched_at, " + offset + "; ";
}

std::optional<std::string> tellMbarrier(const Wait& wait, const Telling& telling,
                                        const std::set<std::string>& shared) {
  const size_t open = wait.rest.find('['), close = wait.rest.find(']');
  if (open == wait.rest.npos || close == wait.rest.npos || close < open)
    return std::nullopt;
  const bool isShared = kindOf(wait.rest).find(".shared") != std::string_view::npos;
  const std::string address =
      addressIn(wait.rest.substr(open + 1, close - open - 1), isShared, shared);
  if (address.empty())
    return std::nullopt;
  const bool begins = wait.rest.starts_with(".init");
  const std::string note = std::string(begins ? ptxas::kAdded : ptxas::kEnded) + telling.notes;
  return "{ .reg .b32 gpusched_at; " + address + callOf(note, "gpusched_at", "") + "} " +
         std::string(wait.word) + std::string(wait.rest) + ";";
}

/// Until nobody is inside. Questions need two answers of 0 in a row (device/CountingDrain.cuh).
std::string drainLoop(const Telling& telling, const std::string& label) {
  const std::string ask =
      callOf(telling.counts ? ptxas::kAsk : ptxas::kBarrier, "gpusched_said", "gpusched_any") +
      "setp.ne.u32 gpusched_some, gpusched_any, 0; @gpusched_some bra " + label + "; ";
  return label + ": " + ask + (telling.counts ? ask : "");
}

} // namespace

std::string drainText(const Telling& telling, const std::string& label) {
  const std::string lanes = telling.tellsLanes()
                                ? "call " + std::string(ptxas::kLeave) + telling.lanes +
                                      (telling.counts ? "Lb1E" : "Lb0E") + "EEvv; "
                                : std::string();
  return lanes + drainLoop(telling, label);
}

Waits waitsOf(const Wait& wait, const std::set<std::string_view>& wholeWarps) {
  Waits waits;
  waits.barriers = isBarrier(wait);
  waits.questions = waits.barriers && wait.rest.find(".red.") != wait.rest.npos;
  waits.primitives = isPrimitive(wait) && wait.rest.starts_with('.');
  if (waits.primitives) {
    const std::vector<std::string_view> operands = operandsOf(wait.rest);
    waits.masked =
        operands.empty() || (operands.back() != "-1" && !wholeWarps.count(operands.back()));
  }
  return waits;
}

bool isTold(const Wait& wait, const Telling& telling) {
  if (!wait.rest.starts_with('.'))
    return false;
  if (isMbarrier(wait))
    return !telling.notes.empty();
  if (isPrimitive(wait))
    return telling.tellsLanes();
  return telling.drain != Drain::Nothing && isBarrier(wait);
}

bool waitsForNobody(const Wait& wait) {
  return isMbarrier(wait);
}

std::optional<std::string> tell(const Wait& wait, const Telling& telling,
                                const std::set<std::string>& shared) {
  return isMbarrier(wait)    ? tellMbarrier(wait, telling, shared)
         : isPrimitive(wait) ? tellPrimitive(wait, telling)
                             : tellBarrier(wait, telling);
}

} // namespace gpusched::cicc
