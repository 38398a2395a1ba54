// Parse.cpp - the Clang command line that reads what nvcc reads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags come from three places: the fixed part below, the request's switches as the macros nvcc
// would define for them, and the user's own. The user's come before our include directories, so
// that they win as they do with nvcc. -iquote of the toolkit keeps a program's own "cuda.h" from
// being found by Clang's wrapper; -fgpu-rdc lets device code launch kernels.
#include "passes/analysis/Parse.h"

#include "passes/analysis/ClangSpelling.h"
#include "passes/analysis/IncludeGraph.h"
#include "passes/analysis/MacroUses.h"
#include "passes/edit/SourceTokens.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <cstdlib>
#include <filesystem>
#include <set>

namespace gpusched::passes {
namespace {

/// For an architecture that this Clang does not know.
constexpr const char* kFallbackArchitecture = "sm_90a";

/// Which function bodies need no reading: half of a parse. Those of the C++ library, of Clang's own
/// headers and of the toolkit's wrappers around single instructions know nothing of block indices;
/// the intrinsics among them are known by name. Cooperative groups, CUB and whatever other library
/// comes with -isystem may hold a barrier, so their bodies are read.
class LibraryBodies {
public:
  LibraryBodies(const std::string& cuda, const std::string& resources)
      : toolkit_(cuda + "/include"), resources_(resources) {}

  bool skips(const clang::SourceManager& sources, clang::SourceLocation location) {
    const clang::SourceLocation place = sources.getExpansionLoc(location);
    const auto [known, isNew] = byFile_.try_emplace(sources.getFileID(place), false);
    if (isNew)
      known->second = sources.isInSystemHeader(place) && isPlainLibrary(sources.getFilename(place));
    return known->second;
  }

private:
  bool isPlainLibrary(llvm::StringRef path) const {
    if (path.contains("/c++/") || path.starts_with(resources_))
      return true;
    const llvm::StringRef folder = llvm::sys::path::parent_path(path);
    const llvm::StringRef name = llvm::sys::path::filename(path);
    return (folder == toolkit_ || folder == toolkit_ + "/crt") &&
           !name.starts_with("cooperative_groups") && !name.starts_with("cuda_awbarrier") &&
           !name.starts_with("cuda_pipeline") && !name.starts_with("curand");
  }

  std::string toolkit_, resources_;
  llvm::DenseMap<clang::FileID, bool> byFile_;
};

struct ParseContext {
  const AstUse& use;
  IncludeGraph& includes;
  MacroUses& macros;
  const std::vector<clang::SourceLocation>& errors;
  std::string cuda, resources;
  bool closed;
};

class Consumer : public clang::ASTConsumer {
public:
  explicit Consumer(const ParseContext& context)
      : context_(context), bodies_(context.cuda, context.resources) {}
  void HandleTranslationUnit(clang::ASTContext& ast) override {
    context_.use({ast, context_.includes, context_.macros, context_.errors, context_.closed});
  }
  bool shouldSkipFunctionBody(clang::Decl* function) override {
    return bodies_.skips(function->getASTContext().getSourceManager(), function->getLocation());
  }

private:
  const ParseContext& context_;
  LibraryBodies bodies_;
};

class Action : public clang::ASTFrontendAction {
public:
  explicit Action(const ParseContext& context) : context_(context) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    compiler.getFrontendOpts().SkipFunctionBodies = true; // those that Consumer names
    context_.includes.record(compiler.getPreprocessor());
    context_.macros.record(compiler.getPreprocessor());
    return std::make_unique<Consumer>(context_);
  }

private:
  const ParseContext& context_;
};

/// Keeps errors as text; warnings are nvcc's business.
class ErrorCollector : public clang::DiagnosticConsumer {
public:
  std::vector<std::string> errors;
  std::vector<clang::SourceLocation> places;

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) override {
    DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    if (level < clang::DiagnosticsEngine::Error)
      return;
    llvm::SmallString<128> message;
    diagnostic.FormatDiagnostic(message);
    std::string place;
    if (diagnostic.hasSourceManager() && diagnostic.getLocation().isValid())
      place = diagnostic.getSourceManager()
                  .getExpansionLoc(diagnostic.getLocation())
                  .printToString(diagnostic.getSourceManager()) +
              ": ";
    errors.push_back(place + message.str().str());
    places.push_back(diagnostic.getLocation());
  }
};

std::string orDefault(const std::string& wanted, const char* configured) {
  return wanted.empty() ? configured : wanted;
}

/// `sm_90a`, `sm_80` -> `800,900`: what nvcc tells every pass, lowest first.
std::string architectureList(const std::vector<std::string>& architectures) {
  std::set<unsigned> values;
  for (const std::string& name : architectures)
    values.insert(10 * unsigned(std::strtoul(name.c_str() + name.find('_') + 1, nullptr, 10)));
  std::string list;
  for (const unsigned value : values)
    list.append(list.empty() ? "" : ",").append(std::to_string(value));
  return "-D__CUDA_ARCH_LIST__=" + list;
}

std::vector<std::string> nvccMacros(const TransformRequest& request) {
  const std::string major = GPUSCHED_CUDA_MAJOR, minor = GPUSCHED_CUDA_MINOR;
  std::vector<std::string> macros = {
      "-D__NVCC__=1",
      "-D__CUDACC_VER_MAJOR__=" + major,
      "-D__CUDACC_VER_MINOR__=" + minor,
      "-D__CUDACC_VER_BUILD__=0",
      "-D__CUDA_API_VER_MAJOR__=" + major,
      "-D__CUDA_API_VER_MINOR__=" + minor,
      "-D__NVCC_DIAG_PRAGMA_SUPPORT__=1",
  };
  macros.push_back(architectureList(request.architectures));
  const auto when = [&](bool condition, const char* macro) {
    if (condition)
      macros.push_back(macro);
  };
  when(request.relocatable, "-D__CUDACC_RDC__=1");
  when(request.extendedLambda, "-D__CUDACC_EXTENDED_LAMBDA__=1");
  when(request.relaxedConstexpr, "-D__CUDACC_RELAXED_CONSTEXPR__=1");
  when(request.perThreadDefaultStream, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
  when(request.debugDevice, "-D__CUDACC_DEBUG__=1");
  return macros;
}

} // namespace

std::vector<std::string> parseArguments(const TransformRequest& request,
                                        const std::string& architecture) {
  const std::string cuda = orDefault(request.cudaRoot, GPUSCHED_DEFAULT_CUDA_ROOT);
  const std::string shim = orDefault(request.shimDirectory, GPUSCHED_DEFAULT_SHIM);
  const bool host = architecture == kHostPass;
  std::vector<std::string> arguments = {
      "clang++", "-x", "cuda", host ? "--cuda-host-only" : "--cuda-device-only", "-fsyntax-only",
      "--cuda-path=" + cuda, "--cuda-gpu-arch=" + (host ? kFallbackArchitecture : architecture),
      "-resource-dir=" + orDefault(request.resourceDirectory, GPUSCHED_DEFAULT_RESOURCE_DIR),
      // Without libdevice the driver does not look for a version, and then takes a launch for the
      // one of CUDA 9.
      "-nocudalib", "-Xclang", "-target-sdk-version=12.9", "-fgpu-rdc", "-ferror-limit=0",
      "-Wno-everything", "-fno-caret-diagnostics", "-Wno-unknown-cuda-version", "-std=c++17"};
  const std::vector<std::string> macros = nvccMacros(request);
  arguments.insert(arguments.end(), macros.begin(), macros.end());
  arguments.insert(arguments.end(), {"-isystem", shim, "-include", shim + "/gpusched_parse.h"});
  arguments.insert(arguments.end(), request.clangArguments.begin(), request.clangArguments.end());
  arguments.insert(arguments.end(),
                   {"-isystem", cuda + "/include", "-isystem", cuda + "/include/cccl", "-iquote",
                    cuda + "/include", request.path});
  return arguments;
}

std::string textKey(const std::string& path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).lexically_normal().string();
}

namespace {

std::vector<std::string> parseOnce(const TransformRequest& request, const std::string& text,
                                   const Texts& headers, const std::string& architecture,
                                   const AstUse& use) {
  const llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> files =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
          withClangSpelling(llvm::vfs::createPhysicalFileSystem()));
  const llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> memory =
      llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  memory->addFile(textKey(request.path), 0, llvm::MemoryBuffer::getMemBuffer(text));
  for (const auto& [path, header] : headers)
    memory->addFile(path, 0,
                    llvm::MemoryBuffer::getMemBufferCopy(SourceTokens(header).withClangSpelling()));
  files->pushOverlay(memory);

  const llvm::IntrusiveRefCntPtr<clang::FileManager> manager =
      llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), files);
  ErrorCollector errors;
  IncludeGraph includes;
  MacroUses macros;
  const ParseContext context{use,
                             includes,
                             macros,
                             errors.places,
                             orDefault(request.cudaRoot, GPUSCHED_DEFAULT_CUDA_ROOT),
                             orDefault(request.resourceDirectory, GPUSCHED_DEFAULT_RESOURCE_DIR),
                             !request.relocatable};
  clang::tooling::ToolInvocation invocation(parseArguments(request, architecture),
                                            std::make_unique<Action>(context), manager.get());
  invocation.setDiagnosticConsumer(&errors);
  invocation.run();
  return errors.errors;
}

} // namespace

std::vector<std::string> parse(const TransformRequest& request, const std::string& text,
                               const Texts& headers, const std::string& architecture,
                               const AstUse& use) {
  bool reached = false;
  const AstUse noting = [&](const ParsedUnit& unit) {
    reached = true;
    use(unit);
  };
  std::vector<std::string> errors = parseOnce(request, text, headers, architecture, noting);
  if (reached || architecture == kFallbackArchitecture || architecture == kHostPass)
    return errors;
  return parseOnce(request, text, headers, kFallbackArchitecture, noting);
}

} // namespace gpusched::passes
