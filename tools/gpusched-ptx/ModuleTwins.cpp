// ModuleTwins.cpp - shells for all kernels that may have one, then their bodies.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-ptx/ModuleTwins.h"

#include "tools/gpusched-cicc/Splice.h"
#include "tools/gpusched-ptx/KernelForm.h"
#include "tools/gpusched-ptx/LoopTexts.h"
#include "tools/gpusched-ptxas/PtxEntries.h"
#include "tools/gpusched-ptxas/TwinPairs.h"

#include "rt/device/cpu/ptx/Parser.h"
#include "rt/include/gpusched/LaunchAbi.h"
#include "rt/support/KernelName.h"
#include "rt/support/Log.h"
#include "rt/support/TargetNumber.h"

#include "llvm/Demangle/Demangle.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string_view>

namespace gpusched::twins {
namespace {

using ptxas::Entry;

constexpr unsigned kOldestTarget = 70; // for device/Persistent.cuh
constexpr unsigned kOldestVersion = 7; // of PTX

/// "scale(int*, int)" of "_Z5scalePii".
std::string readable(const std::string& symbol) {
  return llvm::demangle(symbol);
}

/// `text` with `from`0, `from`1, ... as `to`1, `to`2, ...
std::string withParametersBehind(std::string_view text, const std::string& from,
                                 const std::string& to) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t end = ptxas::wordEnd(text, at);
    const std::string_view word = text.substr(at, std::max(end, at + 1) - at);
    if (end > at && word.starts_with(from))
      result += to + std::to_string(std::strtoul(word.data() + from.size(), nullptr, 10) + 1);
    else
      result += word;
    at += word.size();
  }
  return result;
}

class TwinWriter {
public:
  TwinWriter(const std::string& ptx, const ptx::Module& module)
      : ptx_(ptx), entries_(ptxas::findEntries(ptx)) {
    for (const auto& [twin, native] : ptxas::nativesOfTwins(ptx, entries_))
      done_.insert({twin, native});
    for (const ptx::Function& function : module.functions)
      if (function.isEntry && !function.isExtern)
        choose(module, function);
  }

  /// Without those that Splice refuses, too.
  Result<TwinText> run() {
    while (!forms_.empty()) {
      Result<cicc::SplicedText> spliced = cicc::spliceBodies(withShells());
      if (spliced)
        return TwinText{std::move(spliced->ptx), std::move(notes_)};
      if (!dropRefused(spliced.message()))
        return spliced.status();
    }
    return TwinText{ptx_, std::move(notes_)};
  }

private:
  void choose(const ptx::Module& module, const ptx::Function& kernel) {
    if (done_.count(kernel.name))
      return;
    const Result<KernelForm> form = formOf(module, kernel);
    const std::string loop = form ? symbolOfLoop(form->loop, form->drain) : "";
    const bool isFound = std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return entry.symbol == kernel.name;
    });
    if (form && !loop.empty() && isFound)
      forms_[kernel.name] = {*form, loop, kernel.parameters.size()};
    notes_.push_back({readable(kernel.name),
                      !form          ? form.message()
                      : loop.empty() ? "there is no loop for it"
                      : !isFound     ? "its text is not understood"
                                     : "",
                      form ? describe(*form) : ""});
  }

  std::string withShells() const {
    std::set<std::string> loops;
    std::string shells;
    size_t end = 0;
    for (const Entry& entry : entries_) {
      end = std::max(end, entry.end);
      if (const auto form = forms_.find(entry.symbol); form != forms_.end()) {
        loops.insert(form->second.loop);
        shells += shellOf(entry, form->second) + variableOf(entry, form->second);
      }
    }
    for (const Entry& function : ptxas::findFunctions(ptx_))
      end = std::max(end, function.end);
    // In front of whatever debuggers read.
    return ptx_.substr(0, end) + "\n" + textOf(loops) + shells + ptx_.substr(end);
  }

  struct Chosen {
    KernelForm form;
    std::string loop; ///< the function
    size_t parameters = 0;
  };

  /// Calls the loop, which Splice puts in its place.
  std::string shellOf(const Entry& kernel, const Chosen& chosen) const {
    const std::string twin = kernel.symbol + kPtxTwinEnd, first = twin + "_param_0";
    const size_t open = ptx_.find('(', kernel.begin);
    const std::string_view parameters =
        std::string_view(ptx_).substr(open + 1, kernel.parametersEnd - open - 2);
    const std::string directives =
        ptx_.substr(kernel.parametersEnd, kernel.bodyBegin - kernel.parametersEnd);
    return linkageOf(kernel) + ".entry " + twin + "(\n\t" + launchParameter(first) +
           (chosen.parameters == 0 ? "" : ",") +
           withParametersBehind(parameters, kernel.symbol + "_param_", twin + "_param_") + ")" +
           directives + "{\n\tcall.uni " + chosen.loop + ", (" + first + ");\n}\n";
  }

  /// Of kernels that several objects of a program hold, one is kept.
  std::string linkageOf(const Entry& kernel) const {
    const std::string_view line(ptx_.data() + kernel.begin, kernel.parametersEnd - kernel.begin);
    return line.starts_with(".weak ") ? ".weak " : ".visible ";
  }

  std::string variableOf(const Entry& kernel, const Chosen& chosen) const {
    const gpusched_module_twin words = {GPUSCHED_ABI_VERSION, chosen.form.flags,
                                        static_cast<gpusched_u32>(chosen.parameters), 0};
    std::string bytes(reinterpret_cast<const char*>(&words), sizeof words);
    for (const std::string& text :
         {kernel.symbol + kPtxTwinEnd, kernelName(kernel.symbol), std::string()})
      bytes.append(text.c_str(), text.size() + 1);
    std::string values;
    for (const char byte : bytes)
      values += (values.empty() ? "" : ", ") + std::to_string(static_cast<unsigned char>(byte));
    return linkageOf(kernel) + ".global .align 4 .b8 " GPUSCHED_MODULE_TWIN_PREFIX + kernel.symbol +
           "[" + std::to_string(bytes.size()) + "] = {" + values + "};\n";
  }

  /// "twin 'k__gs' cannot have its kernel's body: why", a line for each. False: nothing else.
  bool dropRefused(const std::string& errors) {
    const size_t before = forms_.size();
    for (auto form = forms_.begin(); form != forms_.end();) {
      const std::string head =
          "twin '" + form->first + kPtxTwinEnd + "' cannot have its kernel's body: ";
      const size_t at = errors.find(head);
      if (at == std::string::npos) {
        ++form;
        continue;
      }
      const size_t begin = at + head.size();
      note(form->first, errors.substr(begin, errors.find('\n', begin) - begin));
      form = forms_.erase(form);
    }
    return forms_.size() < before;
  }

  void note(const std::string& symbol, const std::string& reason) {
    for (KernelNote& each : notes_)
      if (each.kernel == readable(symbol))
        each.reason = reason;
  }

  const std::string& ptx_;
  const std::vector<Entry> entries_;
  std::set<std::string> done_;          ///< twins, gpusched-cc's too, and kernels that have one
  std::map<std::string, Chosen> forms_; ///< by the kernels' symbols
  std::vector<KernelNote> notes_;
};

} // namespace

void sayNotes(const TwinText& text) {
  for (const KernelNote& note : text.notes)
    if (!note.reason.empty())
      log(LogLevel::Info, "kernel '%s' stays native: %s", note.kernel.c_str(), note.reason.c_str());
}

Result<TwinText> addTwins(const std::string& ptx) {
  const Result<std::shared_ptr<const ptx::Module>> module = ptx::parse(ptx);
  if (!module)
    return module.status();
  if (targetNumber((*module)->target) < kOldestTarget)
    return Status::error("its target is '" + (*module)->target + "', twins need sm_70 or later");
  if ((*module)->versionMajor < kOldestVersion)
    return Status::error("its version is " + std::to_string((*module)->versionMajor) + "." +
                         std::to_string((*module)->versionMinor) + ", twins need 7.0 or later");
  return TwinWriter(ptx, **module).run();
}

} // namespace gpusched::twins
