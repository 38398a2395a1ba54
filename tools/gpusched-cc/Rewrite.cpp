// Rewrite.cpp - runs the transform over the files of a command.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads: at most two, each takes the next file and writes only that file's Rewrite. Two, because
// a build already runs as many compilers as it wants and a parse holds a few hundred megabytes.
#include "tools/gpusched-cc/Rewrite.h"

#include "rt/schema/TextFile.h"
#include "rt/support/Environment.h"
#include "tools/gpusched-cc/HostCompiler.h"
#include "tools/gpusched-cc/NvccLocation.h"
#include "tools/gpusched-cc/ParseArguments.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

namespace gpusched::cc {
namespace fs = std::filesystem;
namespace {

constexpr size_t kParallelParses = 2;

/// Headers first: the copy of the file itself says that all is there.
void writeCopies(const std::string& folder, const PlannedFile& file, Rewrite& rewrite) {
  const auto write = [&](const std::string& name, const std::string& text) {
    const std::string path = folder + "/" + name;
    if (Status status = writeTextFile(path, text); !status.ok() && rewrite.trouble.empty())
      rewrite.trouble = status.message();
    return path;
  };
  for (const passes::RewrittenHeader& header : rewrite.result.headers)
    rewrite.headers.push_back({write(header.copyName, header.text), header.name});
  const std::string copy = write(fs::path(file.path).filename().string(), rewrite.result.text);
  if (rewrite.trouble.empty())
    rewrite.copy = copy;
}

void rewriteFile(const StepContext& context, size_t index, passes::TransformRequest request,
                 Rewrite& rewrite) {
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  const PlannedFile& file = context.plan.files[index];
  request.path = file.path;
  request.userName = file.path;
  rewrite.result = passes::transformFile(request);
  rewrite.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!rewrite.result.rewritten)
    return;
  writeCopies(folderOf(context, index), file, rewrite);
}

bool isParsed(const PlannedFile& file) {
  return file.use == CudaUse::Kernels;
}

void askHost(const CommandLine& line, passes::TransformRequest& request) {
  std::vector<std::string> options = request.clangArguments;
  if (line.has(OptionId::Optimize))
    options.push_back("-O" + line.last(OptionId::Optimize));
  const HostCompiler host =
      askHostCompiler(hostCompiler(line.last(OptionId::HostCompiler)), options);
  request.hostMacros = host.macros;
  request.hostFolders = host.folders;
}

std::string parseCacheOf(const OwnOptions& own) {
  if (own.cache == "none")
    return "";
  return own.cache.empty() ? profileHome() + "/parse" : own.cache;
}

passes::TransformRequest commonRequest(const StepContext& context, const OwnOptions& own) {
  passes::TransformRequest common = parseRequest(context.line);
  if (!own.passes.empty())
    common.passes = splitCommas(own.passes);
  common.parseCache = parseCacheOf(own);
  common.splices = maySplice(context);
  common.drainsOutlined = false;
  common.isModule = context.plan.product == Product::Device;
  common.cudaRoot = toolkitOf(context.nvcc);
  if (std::any_of(context.plan.files.begin(), context.plan.files.end(), isParsed))
    askHost(context.line, common);
  return common;
}

} // namespace

Rewrite rewriteAgain(const StepContext& context, const OwnOptions& own, size_t index,
                     Corrections corrections) {
  passes::TransformRequest request = commonRequest(context, own);
  request.rejections = corrections.rejections;
  request.outlined = corrections.outlined;
  Rewrite rewrite;
  rewriteFile(context, index, std::move(request), rewrite);
  rewrite.corrections = std::move(corrections);
  return rewrite;
}

std::vector<Rewrite> rewriteFiles(const StepContext& context, const OwnOptions& own) {
  const passes::TransformRequest common = commonRequest(context, own);
  std::vector<Rewrite> rewrites(context.plan.files.size());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i = next++; i < rewrites.size(); i = next++)
      if (isParsed(context.plan.files[i]))
        rewriteFile(context, i, common, rewrites[i]);
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(kParallelParses, rewrites.size()); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread& thread : threads)
    thread.join();
  return rewrites;
}

} // namespace gpusched::cc
