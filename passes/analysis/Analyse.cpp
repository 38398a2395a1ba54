// Analyse.cpp - repeats the parse until no text has to change any more.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several architectures are parsed only if a text asks which one it is compiled for; then a kernel
// is converted only if every one of them allows it. The host pass is parsed only if a kernel stands
// under such a condition.
#include "passes/analysis/Analyse.h"

#include "passes/analysis/CompilerPasses.h"
#include "passes/analysis/KernelCollector.h"
#include "passes/analysis/Rejections.h"

#include "rt/schema/TextFile.h"

#include <algorithm>
#include <memory>

namespace gpusched::passes {
namespace {

/// Macros of macros are written out one level a round; what lacks a word may hide what lacks one.
constexpr int kRounds = 6;

bool mentions(const std::string& text, const char* word) {
  return text.find(word) != std::string::npos;
}

/// Gives places the names and columns that the user knows.
class UserPlaces {
public:
  UserPlaces(const FileInfo& unit, const Sources& sources) : unit_(unit), sources_(sources) {}

  void name(KernelRecord& record) const {
    name(record.where);
    if (record.refusal)
      name(record.refusal->where);
  }

private:
  /// The main file may have another name for the user, and Clang puts "./" before headers beside
  /// it.
  void name(SourcePlace& place) const {
    for (const std::unique_ptr<SourceFile>& file : unit_.files)
      if (place.file == file->path) {
        const auto words = sources_.words.find(textKey(file->path));
        if (words != sources_.words.end())
          place.column = words->second.columnWithout(file->text, place.line, place.column);
        place.file = file->name;
        return;
      }
  }

  const FileInfo& unit_;
  const Sources& sources_;
};

void nameAsUserDoes(FileInfo& unit, const Sources& sources) {
  const UserPlaces places(unit, sources);
  for (KernelInfo& kernel : unit.kernels) {
    places.name(kernel.record);
    for (KernelRecord& instance : kernel.instanceRecords)
      places.name(instance);
  }
}

/// Do these texts ask which architecture they are compiled for?
bool askArchitecture(const FileInfo& unit) {
  return std::any_of(
      unit.files.begin(), unit.files.end(), [](const std::unique_ptr<SourceFile>& file) {
        return mentions(file->text, "__CUDA_ARCH__") || mentions(file->text, "NV_IF_");
      });
}

/// One round: a parse for each pass of the compiler that has a say. Unless it is the last round,
/// it ends at the first pass that asks for other texts.
class Round {
public:
  Round(const TransformRequest& request, const Sources& sources,
        std::vector<std::string>& diagnostics)
      : request_(request), sources_(sources),
        parsed_(SourceTokens(sources.main).withClangSpelling()), diagnostics_(diagnostics) {}

  FileInfo run(bool isLast) {
    FileInfo unit = pass(request_.architectures.front());
    const auto mayGoOn = [&] {
      return isLast || (unit.unfoldings.empty() && unit.missingWords.empty());
    };
    for (std::size_t index = 1;
         index < request_.architectures.size() && mayGoOn() && askArchitecture(unit); ++index)
      merge(request_.architectures[index], unit, mergeDevicePass);
    if (mayGoOn() && !request_.isModule && needsHostPass(unit))
      merge(kHostPass, unit, mergeHostPass);
    if (mayGoOn()) {
      refuseRejected(request_.rejections, unit);
      settlePasses(unit);
      settleLaunchPairs(unit);
    }
    return unit;
  }

private:
  FileInfo pass(const std::string& architecture) {
    FileInfo found;
    MissingWords missing;
    const auto collect = [&](const ParsedUnit& parsedUnit) {
      found = collectKernels(
          parsedUnit, std::make_unique<SourceFile>(request_.userName, request_.path, sources_.main),
          sources_.headers, names_,
          {request_.splices && request_.passes.empty(), request_.outlined,
           request_.drainsOutlined});
      missing = parsedUnit.missingWords;
    };
    const std::vector<std::string> errors =
        parse(request_, parsed_, sources_.headers, architecture, collect);
    diagnostics_.insert(diagnostics_.end(), errors.begin(), errors.end());
    found.missingWords = std::move(missing);
    nameAsUserDoes(found, sources_);
    return found;
  }

  void merge(const std::string& architecture, FileInfo& unit, void (*into)(FileInfo, FileInfo&)) {
    FileInfo found = pass(architecture);
    unit.missingWords.merge(found.missingWords);
    into(std::move(found), unit);
  }

  const TransformRequest& request_;
  const Sources& sources_;
  std::string parsed_;
  std::vector<std::string>& diagnostics_;
  TwinNames names_;
};

} // namespace

Sources Sources::of(const TransformRequest& request) {
  if (request.text)
    return {*request.text, {}, {}};
  Result<std::string> text = readTextFile(request.path);
  return {text ? *text : std::string(), {}, {}};
}

bool Sources::unfold(const FileInfo& unit) {
  bool changed = false;
  for (const auto& [number, edits] : unit.unfoldings) {
    if (edits.empty() || edits.conflict())
      continue;
    const SourceFile& file = *unit.files[number];
    const std::string key = textKey(file.path);
    (number == 0 ? main : headers[key]) = edits.apply(file.text);
    if (const auto added = words.find(key); added != words.end())
      added->second.follow(edits);
    changed = true;
  }
  return changed;
}

bool Sources::addWords(const FileInfo& unit) {
  bool changed = false;
  const std::string mainKey = textKey(unit.files.front()->path);
  for (const auto& [key, missing] : unit.missingWords) {
    std::string text = key == mainKey ? main : headers.count(key) ? headers[key] : "";
    if (text.empty())
      if (Result<std::string> read = readTextFile(key))
        text = *read;
    if (text.empty())
      continue; // its path goes up behind a symbolic link, which a key does not follow
    std::string longer = words[key].add(text, missing);
    if (longer == text)
      continue;
    (key == mainKey ? main : headers[key]) = std::move(longer);
    changed = true;
  }
  return changed;
}

void Sources::takeOutWords(const SourceFile& file, EditSet& edits) const {
  if (const auto added = words.find(textKey(file.path)); added != words.end())
    added->second.takeOut(edits);
}

FileInfo analyse(const TransformRequest& request, Sources& sources,
                 std::vector<std::string>& diagnostics) {
  for (int round = 1; round < kRounds; ++round) {
    std::vector<std::string> errors;
    FileInfo unit = Round(request, sources, errors).run(false);
    const bool wantsText = !unit.unfoldings.empty();
    if (!wantsText && unit.missingWords.empty()) {
      diagnostics = std::move(errors);
      return unit;
    }
    if (wantsText ? !sources.unfold(unit) : !sources.addWords(unit))
      break;
  }
  return Round(request, sources, diagnostics).run(true);
}

} // namespace gpusched::passes
