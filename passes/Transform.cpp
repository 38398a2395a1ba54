// Transform.cpp - transformFile: the table of contents of a rewrite.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parse costs most, so a text without the word __global__ never gets there. Several
// architectures are parsed only if the text asks which one it is compiled for; then a kernel is
// converted only if every one of them allows it.
#include "passes/Transform.h"

#include "passes/PassRunner.h"
#include "passes/Refusals.h"
#include "passes/analysis/KernelCollector.h"
#include "passes/analysis/Parse.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

namespace gpusched::passes {
namespace {

std::string readText(const TransformRequest& request) {
  if (request.text)
    return *request.text;
  std::ifstream file(request.path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool mentions(const std::string& text, const char* word) {
  return text.find(word) != std::string::npos;
}

/// Another architecture sees the same kernel: both must allow it, and one form serves both.
void mergeArchitecture(const FileInfo& other, FileInfo& file) {
  for (KernelInfo& kernel : file.kernels)
    for (const KernelInfo& same : other.kernels) {
      if (same.text.nameBegin != kernel.text.nameBegin ||
          same.record.where.file != kernel.record.where.file)
        continue;
      if (!kernel.record.refusal)
        kernel.record.refusal = same.record.refusal;
      if (!kernel.record.refusal && kernel.callees.size() != same.callees.size())
        kernel.record.refusal = refuse(RefusalCode::CalleeReadsBlockIndex,
                                       "on one of the architectures only", kernel.record.where);
      kernel.record.facts.drainBarrier |= same.record.facts.drainBarrier;
      for (KernelInstance& instance : kernel.instances)
        instance.wholeWarpRows |= same.record.facts.wholeWarpRows;
    }
}

FileInfo analyse(const TransformRequest& request, const std::string& text,
                 const SourceTokens& tokens, std::vector<std::string>& diagnostics) {
  const std::string parsed = tokens.withJoinedChevrons();
  const bool asksArchitecture = mentions(text, "__CUDA_ARCH__") || mentions(text, "NV_IF_");
  FileInfo file;
  for (std::size_t index = 0; index < request.architectures.size(); ++index) {
    if (index > 0 && !asksArchitecture)
      break;
    FileInfo found;
    const std::vector<std::string> errors =
        parse(request, parsed, request.architectures[index],
              [&](clang::ASTContext& context, const std::vector<clang::SourceLocation>& places) {
                found = collectKernels(context, tokens, places);
              });
    diagnostics.insert(diagnostics.end(), errors.begin(), errors.end());
    if (index == 0)
      file = std::move(found);
    else
      mergeArchitecture(found, file);
  }
  return file;
}

/// Edits of all kernels. A conflict is our own defect: then the whole file stays as it is.
EditSet collectEdits(const TransformRequest& request, const std::string& text,
                     const SourceTokens& tokens, FileInfo& file) {
  const EditSet edits = runPasses(request.passes, text, tokens, request.userName, file);
  if (!edits.conflict())
    return edits;
  for (KernelInfo& kernel : file.kernels)
    if (!kernel.record.refusal)
      kernel.record.refusal =
          refuse(RefusalCode::EditConflict, "at byte " + std::to_string(*edits.conflict()),
                 kernel.record.where);
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

/// One record per kernel and per instantiation; one remark per reason.
void report(const std::vector<KernelInfo>& kernels, TransformResult& result) {
  for (const KernelInfo& kernel : kernels) {
    result.kernels.push_back(kernel.record);
    if (kernel.record.refusal)
      result.remarks.push_back(remark(kernel.record));
    else
      remarkInstances(kernel, result);
    for (KernelRecord instance : kernel.instanceRecords) {
      if (kernel.record.refusal)
        instance.refusal = kernel.record.refusal;
      result.kernels.push_back(std::move(instance));
    }
  }
}

void nameAsUserDoes(const TransformRequest& request, SourcePlace& place) {
  if (place.file == request.path)
    place.file = request.userName;
}

} // namespace

TransformResult transformFile(const TransformRequest& given) {
  TransformRequest request = given;
  if (request.userName.empty())
    request.userName = request.path;
  TransformResult result;
  const std::string text = readText(request);
  if (!mentions(text, "__global__"))
    return result;
  result.parsed = true;
  const SourceTokens tokens(text);
  FileInfo file = analyse(request, text, tokens, result.diagnostics);
  for (KernelInfo& kernel : file.kernels) {
    nameAsUserDoes(request, kernel.record.where);
    if (kernel.record.refusal)
      nameAsUserDoes(request, kernel.record.refusal->where);
    for (KernelRecord& instance : kernel.instanceRecords) {
      nameAsUserDoes(request, instance.where);
      if (instance.refusal)
        nameAsUserDoes(request, instance.refusal->where);
    }
  }
  const EditSet edits = collectEdits(request, text, tokens, file);
  if (!edits.empty()) {
    result.rewritten = true;
    result.text = withLineMarker(request.userName, edits.apply(text));
  }
  report(file.kernels, result);
  return result;
}

} // namespace gpusched::passes
