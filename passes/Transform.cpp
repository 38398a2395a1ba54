// Transform.cpp - transformFile: the table of contents of a rewrite.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several architectures are parsed only if a text asks which one it is compiled for; then a kernel
// is converted only if every one of them allows it. The host pass is parsed only if a kernel stands
// under such a condition.
#include "passes/Transform.h"

#include "passes/PassRunner.h"
#include "passes/Refusals.h"
#include "passes/analysis/CompilerPasses.h"
#include "passes/analysis/KernelCollector.h"
#include "passes/analysis/Parse.h"
#include "passes/edit/RedirectIncludes.h"

#include "rt/schema/TextFile.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

namespace gpusched::passes {
namespace {

std::string readText(const TransformRequest& request) {
  if (request.text)
    return *request.text;
  Result<std::string> text = readTextFile(request.path);
  return text ? *text : std::string();
}

bool mentions(const std::string& text, const char* word) {
  return text.find(word) != std::string::npos;
}

/// The main file may have another name for the user, and Clang puts "./" before headers beside it.
void nameAsUserDoes(const FileInfo& unit, SourcePlace& place) {
  for (const std::unique_ptr<SourceFile>& file : unit.files)
    if (place.file == file->path) {
      place.file = file->name;
      return;
    }
}

void nameAsUserDoes(const FileInfo& unit, KernelRecord& record) {
  nameAsUserDoes(unit, record.where);
  if (record.refusal)
    nameAsUserDoes(unit, record.refusal->where);
}

void nameAsUserDoes(FileInfo& unit) {
  for (KernelInfo& kernel : unit.kernels) {
    nameAsUserDoes(unit, kernel.record);
    for (KernelRecord& instance : kernel.instanceRecords)
      nameAsUserDoes(unit, instance);
  }
}

/// Do these texts ask which architecture they are compiled for?
bool askArchitecture(const FileInfo& unit) {
  return std::any_of(
      unit.files.begin(), unit.files.end(), [](const std::unique_ptr<SourceFile>& file) {
        return mentions(file->text, "__CUDA_ARCH__") || mentions(file->text, "NV_IF_");
      });
}

/// What a rewrite starts from: the files, but for macros written out (UnfoldMacros.h).
struct Sources {
  std::string main;
  Texts headers;
};

/// Writes out what the analysis asks for. False: nothing to do.
bool unfold(const FileInfo& unit, Sources& sources) {
  bool changed = false;
  for (const auto& [number, edits] : unit.unfoldings) {
    if (edits.empty() || edits.conflict())
      continue;
    const SourceFile& file = *unit.files[number];
    (number == 0 ? sources.main : sources.headers[textKey(file.path)]) = edits.apply(file.text);
    changed = true;
  }
  return changed;
}

FileInfo analyseOnce(const TransformRequest& request, const Sources& sources, bool isLast,
                     std::vector<std::string>& diagnostics) {
  const std::string parsed = SourceTokens(sources.main).withClangSpelling();
  TwinNames names;
  const auto passFor = [&](const std::string& architecture) {
    FileInfo found;
    const auto collect = [&](const ParsedUnit& parsedUnit) {
      found = collectKernels(
          parsedUnit, std::make_unique<SourceFile>(request.userName, request.path, sources.main),
          sources.headers, names);
    };
    const std::vector<std::string> errors =
        parse(request, parsed, sources.headers, architecture, collect);
    diagnostics.insert(diagnostics.end(), errors.begin(), errors.end());
    nameAsUserDoes(found);
    return found;
  };
  FileInfo unit = passFor(request.architectures.front());
  if (!isLast && !unit.unfoldings.empty())
    return unit;
  for (std::size_t index = 1; index < request.architectures.size() && askArchitecture(unit);
       ++index)
    mergeDevicePass(passFor(request.architectures[index]), unit);
  if (needsHostPass(unit))
    mergeHostPass(passFor(kHostPass), unit);
  settlePasses(unit);
  return unit;
}

/// Macros of macros are written out one level a round.
constexpr int kRounds = 4;

FileInfo analyse(const TransformRequest& request, std::vector<std::string>& diagnostics) {
  Sources sources{readText(request), {}};
  for (int round = 1; round < kRounds; ++round) {
    std::vector<std::string> errors;
    FileInfo unit = analyseOnce(request, sources, false, errors);
    if (unit.unfoldings.empty()) {
      diagnostics = std::move(errors);
      return unit;
    }
    if (!unfold(unit, sources))
      break;
  }
  return analyseOnce(request, sources, true, diagnostics);
}

/// Edits of all files. A conflict is our own defect: then everything stays as it is.
std::vector<EditSet> collectEdits(const TransformRequest& request, FileInfo& unit) {
  std::vector<EditSet> edits = runPasses(request.passes, unit);
  const auto conflicting =
      std::find_if(edits.begin(), edits.end(), [](const EditSet& set) { return set.conflict(); });
  if (conflicting == edits.end())
    return edits;
  const std::string where = unit.files[conflicting - edits.begin()]->name + " at byte " +
                            std::to_string(*conflicting->conflict());
  for (KernelInfo& kernel : unit.kernels)
    if (!kernel.record.refusal)
      kernel.record.refusal = refuse(RefusalCode::EditConflict, where, kernel.record.where);
  return {};
}

std::string withLineMarker(const std::string& name, const std::string& text) {
  std::string escaped;
  for (const char character : name)
    escaped += character == '"' || character == '\\' ? std::string("\\") + character
                                                     : std::string(1, character);
  const std::size_t start = text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0;
  return "#line 1 \"" + escaped + "\"\n" + text.substr(start) +
         (text.empty() || text.back() == '\n' ? "" : "\n");
}

std::string remark(const KernelRecord& record) {
  const Refusal& refusal = *record.refusal;
  const SourcePlace& where = refusal.where.line ? refusal.where : record.where;
  return where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) +
         ": remark: kernel '" + record.qualifiedName + "' kept native: [" + refusal.code + "] " +
         refusal.title + (refusal.detail.empty() ? "" : ": " + refusal.detail);
}

/// Instantiations that were refused for one reason at one place share a remark.
void remarkInstances(const KernelInfo& kernel, TransformResult& result) {
  std::map<std::tuple<std::string, uint32_t, uint32_t>, std::vector<const KernelRecord*>> groups;
  for (const KernelRecord& instance : kernel.instanceRecords)
    if (instance.refusal)
      groups[{instance.refusal->code + instance.refusal->detail, instance.refusal->where.line,
              instance.refusal->where.column}]
          .push_back(&instance);
  for (const auto& [reason, instances] : groups)
    result.remarks.push_back(
        remark(*instances.front()) +
        (instances.size() == 1
             ? ""
             : " (and " + std::to_string(instances.size() - 1) + " more instantiations)"));
}

/// Nobody asked for a template of a header that this file does not use.
bool isUnusedLibrary(const KernelInfo& kernel) {
  return kernel.text.file != 0 && kernel.record.isTemplate && kernel.instanceRecords.empty();
}

/// One record per kernel and per instantiation; one remark per reason.
void report(const std::vector<KernelInfo>& kernels, TransformResult& result) {
  for (const KernelInfo& kernel : kernels) {
    result.kernels.push_back(kernel.record);
    if (kernel.record.refusal && !isUnusedLibrary(kernel))
      result.remarks.push_back(remark(kernel.record));
    else if (!kernel.record.refusal)
      remarkInstances(kernel, result);
    for (KernelRecord instance : kernel.instanceRecords) {
      if (kernel.record.refusal)
        instance.refusal = kernel.record.refusal;
      result.kernels.push_back(std::move(instance));
    }
  }
}

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

void apply(const FileInfo& unit, std::vector<EditSet> edits, TransformResult& result) {
  Overlay overlay = redirectIncludes(unit.files, unit.quoteSearches, edits, exists);
  result.rewritten = true;
  result.quoteFolders = std::move(overlay.quoteFolders);
  result.renamed = std::move(overlay.renamed);
  for (std::size_t number = 0; number < unit.files.size(); ++number) {
    const SourceFile& file = *unit.files[number];
    const std::string text =
        overlay.rewritten[number] ? withLineMarker(file.name, edits[number].apply(file.text)) : "";
    if (number == 0)
      result.text = text;
    else if (overlay.rewritten[number])
      result.headers.push_back({copyName(file, number), file.name, text});
  }
}

} // namespace

TransformResult transformFile(const TransformRequest& given) {
  TransformRequest request = given;
  if (request.userName.empty())
    request.userName = request.path;
  TransformResult result;
  FileInfo unit = analyse(request, result.diagnostics);
  std::vector<EditSet> edits = collectEdits(request, unit);
  if (std::any_of(edits.begin(), edits.end(), [](const EditSet& set) { return !set.empty(); }))
    apply(unit, std::move(edits), result);
  report(unit.kernels, result);
  return result;
}

} // namespace gpusched::passes
