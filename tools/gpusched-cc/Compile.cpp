// Compile.cpp - transform, run nvcc, map what it said, write the profile.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   rewrite -> steps -> nvcc on each -> dependencies, diagnostics -> link -> profile
//     ^                    |  nvcc names kernels: without these, twice at most
//     +--------------------+
//                          |  any other failure
//                          +-> nvcc on the original command; its exit code and words count
//
// Nothing is shown before all compiles have succeeded, so a fall-back says everything exactly once.
#include "tools/gpusched-cc/Compile.h"

#include "tools/gpusched-cc/Dependencies.h"
#include "tools/gpusched-cc/Diagnostics.h"
#include "tools/gpusched-cc/NvccLocation.h"
#include "tools/gpusched-cc/PlainCompile.h"
#include "tools/gpusched-cc/ProfileOutput.h"
#include "tools/gpusched-cc/Rejections.h"
#include "tools/gpusched-cc/Resources.h"
#include "tools/gpusched-cc/Rewrite.h"
#include "tools/gpusched-cc/Steps.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>

namespace gpusched::cc {
namespace fs = std::filesystem;
namespace {

constexpr unsigned kParallelCompiles = 2;
/// Of one command, after the first: what nvcc rejects may have kept it from seeing more.
constexpr int kMostRewrites = 2;
constexpr const char* kRejected = "GS052";
constexpr const char* kSpliceError = "gpusched-cicc: error:";

/// Points TMPDIR at the private folder while nvcc works for us: what nvcc leaves behind when it is
/// ended by a signal goes away with the folder.
class TemporaryDirectory {
public:
  explicit TemporaryDirectory(const std::string& folder) {
    if (const char* before = std::getenv("TMPDIR"))
      before_ = before;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  ~TemporaryDirectory() {
    if (before_.empty())
      ::unsetenv("TMPDIR");
    else
      ::setenv("TMPDIR", before_.c_str(), 1);
  }

private:
  std::string before_;
};

class Compilation {
public:
  explicit Compilation(const CompileRequest& request)
      : request_(request), context_{request.line,
                                    request.plan,
                                    request.original[0],
                                    request.folder,
                                    "",
                                    helperProgram("gpusched-ptxas"),
                                    request.own.outline ? "" : helperProgram("gpusched-cicc"),
                                    request.own.telemetry} {}

  int run() {
    Result<std::string> headers = includeFolder();
    if (!headers)
      return fallBack(headers.message());
    headers_ = *headers + "/gpusched";
    context_.launchHeader = headers_ + "/Launch.h";
    if (std::string trouble = compileFiles(); !trouble.empty())
      return fallBack(trouble);
    showDiagnostics();
    showRemarks();
    writeProfiles();
    return 0;
  }

private:
  /// Everything that can fail; returns why it did, or "".
  std::string compileFiles() {
    TemporaryDirectory temporary(request_.folder);
    if (request_.own.explain)
      ::setenv("GPUSCHED_CC_EXPLAIN", "1", 1); // gpusched-cicc has decisions of its own
    if (std::string trouble = prepare(); !trouble.empty())
      return trouble;
    runSteps();
    if (!rejects(kCiccPrefix) && refusesToSplice())
      outlineUnspliced();
    if (rejects(kCiccPrefix) || refusesToSplice())
      if (std::string trouble = compileOutlined(); !trouble.empty())
        return trouble;
    if (rejects(kPtxasPrefix))
      runWithout(kPtxasPrefix);
    for (int round = 0; round < kMostRewrites && rewriteRejected(); ++round)
      ;
    keepFiles();
    for (size_t i = 0; i < steps_.size(); ++i)
      if (std::string trouble = finishStep(i); !trouble.empty())
        return trouble;
    return finishCommand();
  }

  void runSteps() {
    results_.resize(steps_.size());
    std::vector<size_t> all(steps_.size());
    std::iota(all.begin(), all.end(), 0);
    runSteps(all);
  }

  void runSteps(const std::vector<size_t>& which) {
    std::vector<Command> commands;
    std::vector<ErrorsWatcher> watchers;
    for (size_t i : which) {
      commands.push_back(steps_[i].command);
      watchers.push_back(originals_[i]->watcher(diagnosticNames(steps_[i])));
    }
    explainCommands(commands);
    std::vector<ProcessResult> results = runCollected(commands, kParallelCompiles, watchers);
    for (size_t i = 0; i < which.size(); ++i)
      results_[which[i]] = std::move(results[i]);
  }

  /// nvcc does not know the option (its past or future differs), or the user gave it.
  bool rejects(const std::string& option) const {
    const std::string name = option.substr(option.find_first_not_of('-'));
    return std::any_of(results_.begin(), results_.end(), [&](const ProcessResult& result) {
      return !result.ok() && result.errors.find(name) != std::string::npos;
    });
  }

  bool refusesToSplice() const {
    return std::any_of(results_.begin(), results_.end(), [](const ProcessResult& result) {
      return !result.ok() && result.errors.find(kSpliceError) != std::string::npos;
    });
  }

  /// Repeats the steps of which twins could not be spliced, with these outlined.
  void outlineUnspliced() {
    std::vector<size_t> again;
    for (size_t i = 0; i < steps_.size(); ++i)
      if (!results_[i].ok() && outlineUnspliced(steps_[i], results_[i].errors)) {
        explainSpliceErrors(results_[i]);
        again.push_back(i);
      }
    runSteps(again);
  }

  bool outlineUnspliced(CompileStep& step, const std::string& errors) {
    const Rewrite& before = rewriteOf(step);
    Corrections corrections = before.corrections;
    const std::vector<std::string> unspliced = unsplicedTwinsIn(errors);
    for (const passes::KernelRecord& kernel : before.result.kernels)
      if (std::any_of(unspliced.begin(), unspliced.end(),
                      [&](const std::string& twin) { return kernel.isPersistent(twin); }))
        corrections.outlined.insert(kernel.persistentSymbol);
    return corrections.outlined.size() > before.corrections.outlined.size() &&
           adopt(step, rewriteAgain(context_, request_.own, indexOf(step), std::move(corrections)));
  }

  /// From the beginning, with twins that nvcc compiles.
  std::string compileOutlined() {
    for (const ProcessResult& result : results_)
      explainSpliceErrors(result);
    context_.withheld.insert(kCiccPrefix);
    steps_.clear();
    originals_.clear();
    if (std::string trouble = prepare(); !trouble.empty())
      return trouble;
    runSteps();
    return "";
  }

  void runWithout(const std::string& option) {
    context_.withheld.insert(option);
    for (CompileStep& step : steps_)
      dropOption(step.command, option);
    runSteps();
  }

  /// Repeats the steps that failed without the kernels that nvcc named. False: nothing to repeat.
  bool rewriteRejected() {
    std::vector<size_t> again;
    for (size_t i = 0; i < steps_.size(); ++i)
      if (!results_[i].ok() && rewriteWithoutRejected(steps_[i], results_[i].errors))
        again.push_back(i);
    runSteps(again);
    return !again.empty();
  }

  /// Where Clang finds fault with the file, too, the user's own text is likely to be wrong, and
  /// nobody is to wait for more than nvcc's verdict.
  bool rewriteWithoutRejected(CompileStep& step, const std::string& errors) {
    const Rewrite& before = rewriteOf(step);
    if (step.copy.empty() || !before.result.diagnostics.empty())
      return false;
    Corrections corrections = before.corrections;
    for (passes::Rejection& found : rejectionsIn(userDiagnostics(errors, diagnosticNames(step))))
      corrections.rejections.push_back(std::move(found));
    Rewrite now = rewriteAgain(context_, request_.own, indexOf(step), std::move(corrections));
    return rejectedIn(now) > rejectedIn(before) && adopt(step, std::move(now));
  }

  /// False, and nothing has changed, where the rewrite failed.
  bool adopt(CompileStep& step, Rewrite now) {
    if (!now.trouble.empty())
      return false;
    const size_t index = indexOf(step);
    rewrites_[index] = std::move(now);
    step = makeStep(context_, index, rewrites_[index].copy, rewrites_[index].result.quoteFolders);
    explainFile(index);
    return true;
  }

  static long rejectedIn(const Rewrite& rewrite) {
    const std::vector<passes::KernelRecord>& kernels = rewrite.result.kernels;
    return std::count_if(kernels.begin(), kernels.end(), [](const passes::KernelRecord& kernel) {
      return kernel.refusal && kernel.refusal->code == kRejected;
    });
  }

  /// Transforms the files and makes the steps.
  std::string prepare() {
    std::error_code error;
    for (size_t i = 0; i < request_.plan.files.size(); ++i)
      if (fs::create_directory(folderOf(context_, i), error); error)
        return "cannot write in '" + request_.folder + "': " + error.message();
    rewrites_ = rewriteFiles(context_, request_.own);
    for (size_t i = 0; i < rewrites_.size(); ++i) {
      if (!rewrites_[i].trouble.empty())
        return rewrites_[i].trouble;
      if (!needsStep(i))
        continue;
      steps_.push_back(makeStep(context_, i, rewrites_[i].copy, rewrites_[i].result.quoteFolders));
      originals_.push_back(std::make_unique<PlainCompile>(steps_.back().plainCommand));
    }
    for (size_t i = 0; i < rewrites_.size(); ++i)
      explainFile(i);
    return "";
  }

  /// Under -x cu the last command cannot take sources any more: its -x would also be said of
  /// our objects.
  bool needsStep(size_t index) const {
    bool linkedWithLanguage =
        request_.plan.product == Product::Linked && request_.line.has(OptionId::Language);
    return request_.plan.files[index].use != CudaUse::None || linkedWithLanguage;
  }

  size_t indexOf(const CompileStep& step) const {
    size_t index = 0;
    while (request_.plan.files[index].argument != step.file.argument)
      ++index;
    return index;
  }

  const Rewrite& rewriteOf(const CompileStep& step) const { return rewrites_[indexOf(step)]; }

  std::string finishStep(size_t i) {
    const CompileStep& step = steps_[i];
    if (!results_[i].ok())
      return "nvcc rejects the rewritten '" + step.file.path + "'";
    DiagnosticNames names = diagnosticNames(step);
    std::string text = userDiagnostics(results_[i].errors, names);
    if (showsOurs(text, names)) {
      const ProcessResult plain = originals_[i]->result(text);
      if (!plain.ok())
        return "nvcc rejects '" + step.file.path + "' but not its rewritten form";
      text = plain.errors;
    }
    diagnostics_ += text;
    output_ += results_[i].output;
    return fixDependencies(step.dependencyFile, dependencyNames(step)).message();
  }

  std::string finishCommand() {
    Command last = makeLastCommand(context_, steps_);
    if (last.empty())
      return "";
    explainCommands({last});
    ProcessResult result = runCollected(last);
    if (!result.ok())
      return "the last step fails with the transformed objects";
    diagnostics_ += result.errors;
    output_ += result.output;
    return "";
  }

  /// Paths that only the compile of the copies shows, and the user's names for them.
  std::map<std::string, std::string> copiesOf(const CompileStep& step) const {
    const Rewrite& rewrite = rewriteOf(step);
    std::map<std::string, std::string> copies = rewrite.result.renamed;
    copies.insert(rewrite.headers.begin(), rewrite.headers.end());
    if (!step.copy.empty())
      copies[step.copy] = step.file.path;
    return copies;
  }

  DiagnosticNames diagnosticNames(const CompileStep& step) const {
    DiagnosticNames names;
    names.injectedFolder = headers_;
    for (const auto& copy : copiesOf(step))
      names.paths.push_back(copy);
    names.isTwin = [&kernels = rewriteOf(step).result.kernels](const std::string& symbol) {
      return std::any_of(kernels.begin(), kernels.end(), [&](const passes::KernelRecord& kernel) {
        return kernel.isPersistent(symbol);
      });
    };
    std::vector<std::string> ptxas = request_.line.values(OptionId::PtxasOptions);
    names.userWantsReport = request_.line.has(OptionId::ResourceUsage) ||
                            std::count(ptxas.begin(), ptxas.end(), "-v") ||
                            std::count(ptxas.begin(), ptxas.end(), "--verbose");
    return names;
  }

  DependencyNames dependencyNames(const CompileStep& step) const {
    return {step.file.path, copiesOf(step), headers_};
  }

  void showDiagnostics() const {
    std::fputs(output_.c_str(), stdout);
    std::fputs(diagnostics_.c_str(), stderr);
  }

  void showRemarks() const {
    if (request_.own.quiet || request_.line.has(OptionId::NoWarnings))
      return;
    for (const Rewrite& rewrite : rewrites_)
      for (const std::string& remark : rewrite.result.remarks)
        std::fprintf(stderr, "%s\n", remark.c_str());
  }

  /// nvcc on the original command. When that succeeds where ours did not, the fault is ours.
  int fallBack(const std::string& why) {
    int code = runAttached(request_.original);
    if (code != 0)
      return code;
    std::fprintf(stderr, "gpusched-cc: remark: compiled by nvcc alone: %s%s\n", why.c_str(),
                 request_.own.keep.empty() ? "; --gpusched-keep=DIR keeps the evidence" : "");
    if (!request_.own.strict)
      return 0;
    for (const ProcessResult& result : results_)
      if (!result.ok())
        std::fputs(result.errors.c_str(), stderr);
    return kStrictExitCode;
  }

  void keepFiles() const {
    if (request_.own.keep.empty())
      return;
    std::error_code error;
    fs::create_directories(request_.own.keep, error);
    for (size_t i = 0; i < steps_.size(); ++i) {
      std::string name = fs::path(steps_[i].file.path).filename().string();
      std::string target = request_.own.keep + "/" + name;
      if (!steps_[i].copy.empty())
        fs::copy_file(steps_[i].copy, target, fs::copy_options::overwrite_existing, error);
      for (const auto& [copy, original] : rewriteOf(steps_[i]).headers)
        fs::copy_file(copy, target + "-" + fs::path(copy).filename().string(),
                      fs::copy_options::overwrite_existing, error);
      if (std::FILE* file = std::fopen((target + ".nvcc.txt").c_str(), "w")) {
        std::fprintf(file, "%s\n%s", quoted(steps_[i].command).c_str(), results_[i].errors.c_str());
        std::fclose(file);
      }
    }
    if (error)
      std::fprintf(stderr, "gpusched-cc: cannot keep files in '%s': %s\n",
                   request_.own.keep.c_str(), error.message().c_str());
  }

  void explainFile(size_t index) const {
    if (!request_.own.explain)
      return;
    const Rewrite& rewrite = rewrites_[index];
    const PlannedFile& file = request_.plan.files[index];
    const char* decision = !rewrite.copy.empty() ? "rewritten"
                           : file.use == CudaUse::None
                               ? "holds no kernel and no launch; nvcc alone"
                               : "not rewritten; its launches are redirected";
    std::fprintf(stderr, "gpusched-cc: %s: %s (%.2f s)\n", file.path.c_str(), decision,
                 rewrite.seconds);
    for (const passes::KernelRecord& kernel : rewrite.result.kernels)
      if (kernel.refusal || !kernel.isTemplate) // of a template its instances tell
        explainKernel(kernel);
    for (const passes::PairRecord& pair : rewrite.result.pairs)
      std::fprintf(stderr, "gpusched-cc:   %s:%u: launches of '%s' and '%s': may be made as one\n",
                   pair.where.file.c_str(), pair.where.line, pair.names[0].c_str(),
                   pair.names[1].c_str());
    for (const std::string& diagnostic : rewrite.result.diagnostics)
      std::fprintf(stderr, "gpusched-cc:   clang: %s\n", diagnostic.c_str());
  }

  static void explainKernel(const passes::KernelRecord& kernel) {
    std::string decision =
        kernel.refusal ? "native only, [" + kernel.refusal->code + "] " + kernel.refusal->title +
                             (kernel.refusal->detail.empty() ? "" : ": ") + kernel.refusal->detail
        : kernel.persistentSymbol.empty() ? "native only"
                                          : "native and persistent";
    std::fprintf(stderr, "gpusched-cc:   %s:%u: kernel '%s': %s\n", kernel.where.file.c_str(),
                 kernel.where.line, kernel.qualifiedName.c_str(), decision.c_str());
  }

  void explainSpliceErrors(const ProcessResult& result) const {
    for (size_t at = result.errors.find(kSpliceError);
         request_.own.explain && at != std::string::npos;
         at = result.errors.find(kSpliceError, at + 1))
      std::fprintf(stderr, "%s; outlined instead\n",
                   result.errors.substr(at, result.errors.find('\n', at) - at).c_str());
  }

  void explainCommands(const std::vector<Command>& commands) const {
    if (request_.own.explain)
      for (const Command& command : commands)
        std::fprintf(stderr, "gpusched-cc: runs %s\n", quoted(command).c_str());
  }

  void writeProfiles() const {
    std::vector<ProfileInput> inputs;
    for (size_t i = 0; i < steps_.size(); ++i)
      inputs.push_back({steps_[i].file.path, steps_[i].object, rewriteOf(steps_[i]).result.kernels,
                        rewriteOf(steps_[i]).result.pairs, results_[i].errors});
    writeStaticProfiles(request_.own, request_.line, inputs);
  }

  const CompileRequest& request_;
  StepContext context_;
  std::string headers_; ///< folder of our public headers
  std::vector<Rewrite> rewrites_;
  std::vector<CompileStep> steps_;
  std::vector<ProcessResult> results_;
  std::vector<std::unique_ptr<PlainCompile>> originals_; ///< of each step
  std::string diagnostics_, output_;
};

} // namespace

int compile(const CompileRequest& request) {
  return Compilation(request).run();
}

} // namespace gpusched::cc
