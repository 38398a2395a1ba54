// Transform.cpp - transformFile: the table of contents of a rewrite.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words that only the parse needed are taken out again, so nvcc gets the user's text.
#include "passes/Transform.h"

#include "passes/PassRunner.h"
#include "passes/Refusals.h"
#include "passes/analysis/Analyse.h"
#include "passes/analysis/SystemFolders.h"
#include "passes/edit/RedirectIncludes.h"
#include "passes/edit/StringLiteral.h"

#include "rt/include/gpusched/host/SymbolNames.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

namespace gpusched::passes {
namespace {

/// Edits of all files. A conflict is our own defect: then everything stays as it is.
std::vector<EditSet> collectEdits(const TransformRequest& request, FileInfo& unit) {
  std::vector<EditSet> edits = runPasses(request, unit);
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

/// `quiet`: a header that compilers do not warn about.
std::string withLineMarker(const std::string& name, const std::string& text, bool quiet) {
  const std::size_t start = text.compare(0, 3, "\xEF\xBB\xBF") == 0 ? 3 : 0;
  return std::string(quiet ? "#pragma GCC system_header\n" : "") + "#line 1 " + quoted(name) +
         "\n" + text.substr(start) + (text.empty() || text.back() == '\n' ? "" : "\n");
}

std::string remark(const KernelRecord& record) {
  const Refusal& refusal = *record.refusal;
  const SourcePlace& where = refusal.where.line ? refusal.where : record.where;
  return where.file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column) +
         ": remark: kernel '" + record.qualifiedName + "' kept native: [" + refusal.code + "] " +
         refusal.title + (refusal.detail.empty() ? "" : ": " + refusal.detail);
}

bool isNamed(const std::string& compiled, const std::string& symbol, const std::string& pattern) {
  return !symbol.empty() &&
         sameSymbol((pattern.empty() ? symbol : pattern).c_str(), compiled.c_str());
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

void reportPairs(const FileInfo& unit, TransformResult& result) {
  for (const LaunchPair& pair : unit.launchPairs) {
    const LaunchPassInput input{*unit.files[0], pair, unit.kernels};
    PairRecord record;
    record.names = {input.instance(0).name, input.instance(1).name};
    record.where = {input.file.name, pair.line, 0};
    if (pair.number != 0)
      record.className = pair.className();
    result.pairs.push_back(std::move(record));
  }
}

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

void apply(const FileInfo& unit, const Sources& sources, std::vector<EditSet> edits,
           const std::vector<std::string>& systemFolders, TransformResult& result) {
  Overlay overlay = redirectIncludes(unit.files, unit.quoteSearches, edits, exists);
  result.rewritten = true;
  result.quoteFolders = std::move(overlay.quoteFolders);
  result.renamed = std::move(overlay.renamed);
  for (std::size_t number = 0; number < unit.files.size(); ++number) {
    const SourceFile& file = *unit.files[number];
    sources.takeOutWords(file, edits[number]);
    const std::string text =
        overlay.rewritten[number]
            ? withLineMarker(file.name, edits[number].apply(file.text),
                             number != 0 && isInOneOf(systemFolders, file.name))
            : "";
    if (number == 0)
      result.text = text;
    else if (overlay.rewritten[number])
      result.headers.push_back({copyName(file, number), file.name, text});
  }
}

} // namespace

bool KernelRecord::isNative(const std::string& compiled) const {
  return isNamed(compiled, symbol, symbolPattern);
}

bool KernelRecord::isPersistent(const std::string& compiled) const {
  return isNamed(compiled, persistentSymbol, persistentPattern);
}

TransformResult transformFile(const TransformRequest& given) {
  TransformRequest request = given;
  if (request.userName.empty())
    request.userName = request.path;
  const std::vector<std::string> systemFolders = ownSystemFolders(request);
  request.clangArguments = withOrdinary(systemFolders, request.clangArguments);
  TransformResult result;
  Sources sources = Sources::of(request);
  FileInfo unit = analyse(request, sources, result.diagnostics);
  std::vector<EditSet> edits = collectEdits(request, unit);
  if (std::any_of(edits.begin(), edits.end(), [](const EditSet& set) { return !set.empty(); }))
    apply(unit, sources, std::move(edits), systemFolders, result);
  report(unit.kernels, result);
  if (result.rewritten && !request.isModule)
    reportPairs(unit, result);
  return result;
}

} // namespace gpusched::passes
