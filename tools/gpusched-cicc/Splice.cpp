// Splice.cpp - a kernel's body as the body of its twin's loop.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   in the kernel                      in the twin, in braces of its own
//   ld.param.u64 %rd1, [k_param_0];    ld.param.u64 %rd1, [k__gs_param_1];
//   mov.u32 %r1, %ctaid.x;             mov.u32 %r1, gpusched_ctaid_x;
//   call.uni f, ();                    call.uni f__gs, ();             where f reads %ctaid
//   @%p1 ret;                          @%p1 bra $gpusched_end;    see BodyText.h
//   bar.sync 0;                        call BlockDrain::meet, (1);     see WaitText.h
//
// From cicc the twin has a call of a function that holds the loop and, for the body, a word; many
// twins call one (device/SplicedLoop.cuh). Its text is what the same loop would be in a kernel, but
// for the name of its one parameter, so each twin gets it in place of the call, and it goes away.
//
// Sound because: braces are a scope for registers, labels, local and shared variables, so the two
// texts do not see each other's names; the body reads its parameters anew each time it runs; what
// it leaves in registers nobody reads. persist has seen to what a body may leave behind elsewhere.
// Refuses bodies that call what may read the block index and has no copy (Readers.h): through
// pointers where some function reads it, or in other files; that ask for places in clusters; that
// end their thread; that take stack for good.
#include "tools/gpusched-cicc/Splice.h"

#include "tools/gpusched-cicc/BodyText.h"
#include "tools/gpusched-cicc/LoopVariables.h"
#include "tools/gpusched-cicc/Pairs.h"
#include "tools/gpusched-cicc/Readers.h"
#include "tools/gpusched-cicc/Waits.h"
#include "tools/gpusched-ptxas/OurFunctions.h"
#include "tools/gpusched-ptxas/PtxEntries.h"
#include "tools/gpusched-ptxas/TwinPairs.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace gpusched::cicc {
namespace {

using ptxas::Entry;

/// At the begin of a line: -src-in-ptx shows the text of our header, too. A digit follows, see
/// tellingOf().
constexpr std::string_view kBody = "\n\tgpusched_body ";
constexpr const char* kEnd = "$gpusched_end";
constexpr uint64_t kStaticSharedBytes = 48 * 1024; // that ptxas takes

Status cannot(const Entry& twin, const std::string& why) {
  return Status::error("twin '" + twin.symbol + "' cannot have its kernel's body: " + why);
}

std::string replaceAll(std::string_view text, const std::string& from, const std::string& to) {
  std::string result;
  size_t copied = 0;
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, copied)) {
    result.append(text, copied, at - copied).append(to);
    copied = at + from.size();
  }
  return result.append(text, copied);
}

Functions bySymbol(const std::vector<Entry>& entries) {
  Functions found;
  for (const Entry& entry : entries)
    found[entry.symbol] = entry;
  return found;
}

/// Those of `functions` that are of a kind, out of it.
template <class Kind> Functions take(Functions& functions, const Kind& isOfKind) {
  Functions taken;
  for (auto at = functions.begin(); at != functions.end();) {
    const auto next = std::next(at);
    if (isOfKind(at->second))
      taken.insert(functions.extract(at));
    at = next;
  }
  return taken;
}

/// The functions that hold loops without a body.
Functions takeLoops(const std::string& ptx, Functions& functions) {
  return take(functions, [&](const Entry& function) { return hasShells(bodyOf(ptx, function)); });
}

/// The functions that only twins call.
Functions takeOurs(Functions& functions) {
  return take(functions, [](const Entry& function) { return ptxas::isOurs(function.symbol); });
}

/// Without the moves that had our functions compiled: ptxas would think that they may be called
/// through pointers, and give each kernel the shared memory of all of them.
std::string withoutAddresses(std::string_view text, const Functions& loops) {
  return ptxas::withoutLines(text, [&](std::string_view line) {
    const size_t name = line.find("_ZN8gpusched");
    const std::string symbol = name == line.npos ? "" : ptxas::wordAt(line, name);
    return line.find("mov.") < name && (ptxas::isOurs(symbol) || loops.count(symbol));
  });
}

class Splicer {
public:
  explicit Splicer(const std::string& ptx)
      : ptx_(ptx), entries_(ptxas::findEntries(ptx)),
        natives_(ptxas::nativesOfTwins(ptx, entries_)),
        functions_(bySymbol(ptxas::findFunctions(ptx))), loops_(takeLoops(ptx, functions_)),
        ours_(takeOurs(functions_)), variables_(ptx, loops_), kernels_(bySymbol(entries_)),
        shared_(sharedVariables(ptx)), census_(ptx, functions_) {}

  Result<SplicedText> run() {
    std::map<size_t, Change> changes;
    for (const auto& [symbol, loop] : loops_) {
      changes[loop.begin] = {loop.end, ""};
      dropPrototype(".func ", symbol, changes);
    }
    for (const auto& [begin, end] : variables_.lines())
      changes[begin] = {end, ""};
    std::string errors;
    for (const Entry& twin : entries_)
      if (const Entry* loop = loopOf(twin)) {
        Result<std::string> body = loopFor(twin, *least(loop, twin));
        if (body)
          changes[twin.bodyBegin] = {twin.end, std::move(*body)};
        else
          errors += (errors.empty() ? "" : "\n") + body.message();
      }
    if (!errors.empty())
      return Status::error(errors);
    for (const Entry& entry : entries_)
      if (const auto kernels = kernelsOfPair(ptx_, entry)) {
        const Result<std::string> pair = pairFor(entry, *kernels);
        changes[entry.parametersEnd] = {entry.end, pair ? *pair : emptyPair()};
        if (!pair)
          notes_.push_back("launches of '" + (*kernels)[0] + "' and '" + (*kernels)[1] +
                           "' stay two: " + pair.message());
        for (const std::string& symbol : *kernels)
          dropPrototype(".entry ", symbol, changes);
      }
    std::string result = changed(changes);
    if (hasShells(result) || functionsCallLoops())
      return Status::error("the PTX is not of the form that nvcc 13 gives it");
    if (!copies_.empty() || !ours_.empty())
      result = withFunctions(std::move(result));
    return SplicedText{std::move(result), std::move(notes_)};
  }

private:
  struct Change {
    size_t end = 0;
    std::string text;
  };

  /// ".func loop (parameters);"
  void dropPrototype(const std::string& directive, const std::string& symbol,
                     std::map<size_t, Change>& changes) const {
    size_t at = ptx_.find(directive + symbol);
    while (at != ptx_.npos &&
           ptxas::wordEnd(ptx_, at + directive.size()) != at + directive.size() + symbol.size())
      at = ptx_.find(directive + symbol, at + 1);
    if (at == ptx_.npos)
      return;
    const size_t end = ptx_.find_first_of(";{", at);
    if (end != ptx_.npos && ptx_[end] == ';')
      changes[ptx_.rfind('\n', at) + 1] = {end + 1, ""};
  }

  std::string changed(const std::map<size_t, Change>& changes) const {
    std::string result;
    size_t copied = 0;
    for (const auto& [begin, change] : changes) {
      result.append(ptx_, copied, begin - copied).append(change.text);
      copied = change.end;
    }
    return result.append(ptx_, copied);
  }

  const Entry* loopOf(const Entry& twin) const {
    for (const std::string& callee : ptxas::calleesOf(ptx_, twin))
      if (const auto loop = loops_.find(callee); loop != loops_.end())
        return &loop->second;
    return nullptr;
  }

  bool functionsCallLoops() const {
    return std::any_of(functions_.begin(), functions_.end(),
                       [&](const auto& function) { return loopOf(function.second) != nullptr; });
  }

  /// The loop that tells the kernel's waits no more than they have to know.
  const Entry* least(const Entry* loop, const Entry& twin) {
    const auto native = natives_.find(twin.symbol);
    const size_t kind = loop->symbol.find(kDrain), digit = kind + kDrain.size();
    if (native == natives_.end() || kind == std::string::npos || digit >= loop->symbol.size())
      return loop;
    const Telling telling = tellingOf(loop->symbol, digit);
    const Entry* const apart = loopWith(*loop, digit, Drain::Apart);
    if (telling.drain == Drain::Nothing && !apart)
      return loop;
    const Entry& kernel = kernels_.at(native->second);
    const Waits waits = census_.of(kernel);
    if (telling.counts && waits.questions)
      return loop;
    const Drain drain = std::min(telling.drain, waits.drain());
    if (apart && drain == Drain::Nothing && waits.leaveWarpsApart() && !usesLogicalWords(kernel))
      return apart;
    const Entry* found = loopWith(*loop, digit, drain);
    return found ? found : loop;
  }

  /// The same loop with another drain; null = none in this PTX.
  const Entry* loopWith(const Entry& loop, size_t digit, Drain drain) const {
    std::string symbol = loop.symbol;
    symbol[digit] = digitOf(drain);
    const auto found = loops_.find(symbol);
    return found == loops_.end() ? nullptr : &found->second;
  }

  /// Does it call what reads the index of the block? All warps of a block have those words.
  bool usesLogicalWords(const Entry& kernel) {
    const Readers& readers = readersFor({});
    return readers.readIndex() && readers.areUsedBy(kernel);
  }

  /// All of the twin's body: the loop with the kernel's in it.
  Result<std::string> loopFor(const Entry& twin, const Entry& loop) {
    const std::string_view text = bodyOf(ptx_, loop);
    const size_t place = text.find(kBody);
    const size_t drain = place + kBody.size(), end = text.find(';', drain) + 1;
    Result<std::string> body = bodyFor(twin, readersFor(tellingOf(text, drain)));
    if (!body)
      return body;
    const auto part = [&](std::string_view of) {
      return withoutAddresses(replaceAll(of, loop.symbol + "_param_", twin.symbol + "_param_"),
                              loops_);
    };
    return variables_.declaredIn(part(text.substr(0, place))) + *body + part(text.substr(end));
  }

  /// Made when the first body needs them: a scan of all functions.
  const Readers& readersFor(const Telling& telling) {
    return readers_.try_emplace(telling, ptx_, functions_, shared_, telling).first->second;
  }

  const Result<std::string>& copiesOf(const Readers& readers) {
    const auto found = copies_.find(readers.telling());
    return found != copies_.end()
               ? found->second
               : copies_.emplace(readers.telling(), readers.definitions()).first->second;
  }

  Result<std::string> bodyFor(const Entry& twin, const Readers& readers) {
    const auto native = natives_.find(twin.symbol);
    if (native == natives_.end())
      return cannot(twin, "no kernel in the PTX has its name, or more than one");
    Result<std::string> body = bodyIn(twin, 1, kernels_.at(native->second), kEnd, readers);
    if (!body)
      return cannot(twin, body.message());
    return *body + "\n" + kEnd + ":\n";
  }

  /// The kernel's body in `entry`, whose parameter `first` is the kernel's first. `returnsTo`: as
  /// Translation::returnsTo.
  Result<std::string> bodyIn(const Entry& entry, size_t first, const Entry& kernel,
                             const std::string& returnsTo, const Readers& readers) {
    if (const std::string callee = readers.unknownCallee(kernel); !callee.empty())
      return Status::error("it calls '" + callee + "', which may read the block index");
    std::string_view text = ptxas::bodyOf(ptx_, kernel);
    text = text.substr(1, text.size() - 2); // without its braces
    const Result<std::string> body =
        translate(text, {kernel.symbol + "_param_", entry.symbol + "_param_", readers.copies(),
                         returnsTo, readers.telling(), shared_, first});
    if (!body)
      return Status::error("it says '" + body.message() + "'");
    const bool uses = readers.areUsedBy(kernel);
    if (uses && !copiesOf(readers))
      return Status::error("a function says '" + copiesOf(readers).message() + "'");
    return (uses && readers.readIndex() ? storeLogical() : std::string()) + *body;
  }

  /// Directives and body of a kernel for two launches. The error says why it cannot have them.
  Result<std::string> pairFor(const Entry& pair, const std::array<std::string, 2>& symbols) {
    std::array<Entry, 2> kernels;
    std::array<std::string, 2> bodies;
    size_t parameters = 1;
    uint64_t sharedBytes = 0;
    for (size_t side = 0; side < 2; ++side) {
      const auto kernel = kernels_.find(symbols[side]);
      if (kernel == kernels_.end())
        return Status::error("'" + symbols[side] + "' is not in this PTX");
      kernels[side] = kernel->second;
      Result<std::string> body = bodyIn(pair, parameters, kernel->second, "", readersFor({}));
      if (!body)
        return Status::error("of '" + symbols[side] + "': " + body.message());
      bodies[side] = std::move(*body);
      parameters += parametersOf(ptx_, kernel->second);
      sharedBytes += bytesOfFunctions() + sharedBytesIn(bodyOf(ptx_, kernel->second));
    }
    if (sharedBytes > kStaticSharedBytes)
      return Status::error("both together have more static shared memory than a block may");
    return filledPair(ptx_, pair, kernels, bodies);
  }

  /// Of static shared memory, what no kernel declares for itself: what functions share.
  uint64_t bytesOfFunctions() {
    if (!bytesOfFunctions_) {
      bytesOfFunctions_ = sharedBytesIn(ptx_);
      for (const Entry& entry : entries_)
        *bytesOfFunctions_ -= sharedBytesIn(bodyOf(ptx_, entry));
    }
    return *bytesOfFunctions_;
  }

  /// With the copies that twins call, and all that they call known before.
  std::string withFunctions(std::string spliced) const {
    std::string declarations;
    for (const auto& [symbol, function] : ours_)
      declarations += ptxas::prototypeOf(ptx_, function);
    if (std::any_of(copies_.begin(), copies_.end(),
                    [&](const auto& copies) { return readers_.at(copies.first).readIndex(); }))
      declarations += logicalWords();
    for (const auto& [telling, definitions] : copies_) {
      declarations += readers_.at(telling).declarations();
      spliced += *definitions;
    }
    return spliced.insert(firstDefinition(spliced), declarations);
  }

  /// Of a function or kernel, declared or defined.
  static size_t firstDefinition(const std::string& ptx) {
    const size_t at = std::min(ptx.find(".func "), ptx.find(".entry "));
    return ptx.rfind('\n', at) + 1;
  }

  const std::string& ptx_;
  const std::vector<Entry> entries_;
  const std::map<std::string, std::string> natives_;
  Functions functions_; ///< but the next two
  const Functions loops_, ours_;
  const LoopVariables variables_;
  const Functions kernels_;
  const std::set<std::string> shared_;
  WaitCensus census_;
  std::optional<uint64_t> bytesOfFunctions_; ///< once a pair has asked
  std::map<Telling, Readers> readers_;
  std::map<Telling, Result<std::string>> copies_; ///< that twins call
  std::vector<std::string> notes_;
};

} // namespace

bool hasShells(std::string_view ptx) {
  return ptx.find(kBody) != ptx.npos;
}

Result<SplicedText> spliceBodies(const std::string& ptx) {
  return Splicer(ptx).run();
}

} // namespace gpusched::cicc
