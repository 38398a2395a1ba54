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
#include "passes/analysis/HostMacros.h"
#include "passes/analysis/IncludeGraph.h"
#include "passes/analysis/LibraryBodies.h"
#include "passes/analysis/MacroUses.h"
#include "passes/analysis/NonLiteralLocals.h"
#include "passes/analysis/ParsedPrefix.h"
#include "passes/analysis/PrefixAction.h"
#include "passes/analysis/SharedObjects.h"
#include "passes/analysis/ToolkitVersion.h"
#include "passes/edit/SourceTokens.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/DiagnosticAST.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <cstdlib>
#include <filesystem>
#include <set>

namespace gpusched::passes {
namespace {

/// For an architecture that this Clang does not know.
constexpr const char* kFallbackArchitecture = "sm_90a";

struct ParseContext {
  const AstUse& use;
  const HostMacros& host;
  IncludeGraph& includes;
  MacroUses& macros;
  const std::vector<clang::SourceLocation>& errors;
  const MissingWords& missingWords;
  NonLiteralLocals& nonLiteralLocals;
  const SharedObjects* again; ///< with these it will be parsed again; null: it will not
  std::string cuda, resources;
  bool closed;
};

class Consumer : public clang::ASTConsumer {
public:
  explicit Consumer(const ParseContext& context)
      : context_(context), bodies_(context.cuda, context.resources) {}
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* const declared : group)
      context_.nonLiteralLocals.giveBack(*declared);
    return true;
  }
  void HandleTranslationUnit(clang::ASTContext& ast) override {
    if (context_.again && !context_.again->empty())
      return;
    context_.use({ast, context_.includes, context_.macros, context_.errors, context_.missingWords,
                  context_.closed});
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
    context_.host.record(compiler.getPreprocessor());
    context_.includes.record(compiler.getPreprocessor());
    context_.macros.record(compiler.getPreprocessor());
    return std::make_unique<Consumer>(context_);
  }

private:
  const ParseContext& context_;
};

/// Errors of Clang about text that nvcc takes and that is in the AST all the same. Where nvcc does
/// not take it, the file does not compile anyhow.
bool isForNvccToJudge(unsigned diagnostic) {
  return diagnostic ==
             clang::diag::err_missing_dependent_template_keyword ||   // a.get<N>(b), read as meant
         diagnostic == clang::diag::err_asm_invalid_escape ||         // asm("mov.u32 %0, %laneid;")
         diagnostic == clang::diag::err_asm_invalid_operand_number || // in a template nobody uses
         diagnostic == clang::diag::err_cuda_nonstatic_constdev || // __device__ __shared__ int x;
         diagnostic == clang::diag::err_ref_bad_target ||          // abort() in __host__ __device__
         diagnostic ==
             clang::diag::err_typecheck_invalid_restrict_not_pointer || // int __restrict* p
         diagnostic ==
             clang::diag::err_switch_into_protected_scope; // case 0: int v = 1; ... case 1:
}

/// Keeps errors as text; warnings are nvcc's business.
class ErrorCollector : public clang::DiagnosticConsumer {
public:
  std::vector<std::string> errors;
  std::vector<clang::SourceLocation> places;
  SharedObjects sharedObjects;
  MissingWords missingWords;
  NonLiteralLocals nonLiteralLocals;

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) override {
    DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
    noteMissingWords(level, diagnostic);
    if (level < clang::DiagnosticsEngine::Error || isForNvccToJudge(diagnostic.getID()) ||
        nonLiteralLocals.note(diagnostic))
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
    sharedObjects.note(diagnostic);
  }

private:
  using Line = std::pair<clang::FileID, unsigned>;

  /// Why a length is no constant is said with a warning; only in code for the device is it an
  /// error, in the same line and perhaps much later.
  void noteMissingWords(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic& diagnostic) {
    if (level != clang::DiagnosticsEngine::Note) {
      last_ = diagnostic.getLocation();
      lastIsError_ = level >= clang::DiagnosticsEngine::Error;
    }
    if (last_.isValid())
      noteMissingWord(diagnostic, last_,
                      lastIsError_ ? missingWords : wordsOfLengths_[lineOf(diagnostic)]);
    if (diagnostic.getID() == clang::diag::err_cuda_vla)
      for (const auto& [text, words] : wordsOfLengths_[lineOf(diagnostic)])
        missingWords[text].insert(words.begin(), words.end());
  }

  /// Of the error or warning that the diagnostic belongs to.
  Line lineOf(const clang::Diagnostic& diagnostic) const {
    const clang::SourceManager& sources = diagnostic.getSourceManager();
    const clang::SourceLocation place = sources.getSpellingLoc(last_);
    return {sources.getFileID(place), sources.getSpellingLineNumber(place)};
  }

  clang::SourceLocation last_; ///< of the error or warning that notes belong to
  bool lastIsError_ = false;
  std::map<Line, MissingWords> wordsOfLengths_; ///< of arrays, by the line that declares them
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
  const ToolkitVersion version =
      toolkitVersion(orDefault(request.cudaRoot, GPUSCHED_DEFAULT_CUDA_ROOT));
  const std::string major = std::to_string(version.major), minor = std::to_string(version.minor);
  std::vector<std::string> macros = {
      "-D__NVCC__=1",
      "-D__CUDACC_VER_MAJOR__=" + major,
      "-D__CUDACC_VER_MINOR__=" + minor,
      "-D__CUDACC_VER_BUILD__=0",
      "-D__CUDA_API_VER_MAJOR__=" + major,
      "-D__CUDA_API_VER_MINOR__=" + minor,
      "-D__NVCC_DIAG_PRAGMA_SUPPORT__=1",
      "-DGPUSCHED_PREFERRED=__attribute__((enable_if(true, \"\")))", // see MissingWords.h
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

/// Of -DNAME, -DNAME=value and -UNAME.
std::vector<std::string> namesGiven(const std::vector<std::string>& clangArguments) {
  std::vector<std::string> names;
  for (const llvm::StringRef argument : clangArguments)
    if (argument.starts_with("-D") || argument.starts_with("-U"))
      names.push_back(
          argument.drop_front(2).take_until([](char c) { return c == '=' || c == '('; }).str());
  return names;
}

/// Debian has CUDA's headers among the system's, which stand behind the C++ library's: these
/// include the next <math.h> after their own.
bool isOfSystem(const std::string& folder) {
  std::error_code error;
  for (const char* searched : {"/usr/include", "/usr/local/include"})
    if (std::filesystem::equivalent(folder, searched, error))
      return true;
  return false;
}

std::vector<std::string> parseArguments(const TransformRequest& request,
                                        const std::string& architecture, const HostMacros& host) {
  const std::string cuda = orDefault(request.cudaRoot, GPUSCHED_DEFAULT_CUDA_ROOT);
  const std::string shim = orDefault(request.shimDirectory, GPUSCHED_DEFAULT_SHIM);
  const bool hostPass = architecture == kHostPass;
  std::vector<std::string> arguments = {
      "clang++", "-x", "cuda", hostPass ? "--cuda-host-only" : "--cuda-device-only",
      "-fsyntax-only", "--cuda-path=" + cuda,
      "--cuda-gpu-arch=" + (hostPass ? kFallbackArchitecture : architecture),
      "-resource-dir=" + orDefault(request.resourceDirectory, GPUSCHED_DEFAULT_RESOURCE_DIR),
      // Without libdevice the driver does not look for a version, and then takes a launch for the
      // one of CUDA 9.
      "-nocudalib", "-Xclang", "-target-sdk-version=12.9", "-fgpu-rdc", "-ferror-limit=0",
      "-Wno-everything", "-Wvla-cxx-extension", "-fno-caret-diagnostics",
      // Where Clang rejects what nvcc takes, nobody asks what else a name may have meant.
      "-fno-spell-checking", "-Wno-unknown-cuda-version", "-std=gnu++17", "-fgnu-keywords",
      // Of kernels with `enable_if_t<...> = true` among their template's parameters Clang 18 and
      // later say the condition in the symbol, and nvcc does not.
      "-fclang-abi-compat=17"};
  const std::vector<std::string> macros = nvccMacros(request);
  arguments.insert(arguments.end(), macros.begin(), macros.end());
  if (!host.empty())
    arguments.insert(arguments.end(), {"-include", host.path()});
  // For quotes, too, in which the wrapper includes one of the toolkit's headers that ours precedes.
  arguments.insert(arguments.end(),
                   {"-iquote", shim, "-isystem", shim, "-include", shim + "/gpusched_parse.h"});
  arguments.insert(arguments.end(), request.clangArguments.begin(), request.clangArguments.end());
  if (!isOfSystem(cuda + "/include"))
    arguments.insert(arguments.end(), {"-isystem", cuda + "/include"});
  arguments.insert(arguments.end(),
                   {"-isystem", cuda + "/include/cccl", "-iquote", cuda + "/include"});
  for (const std::string& folder : request.hostFolders)
    arguments.insert(arguments.end(), {"-idirafter", folder});
  arguments.push_back(request.path);
  return arguments;
}

/// The disk, and texts that stand for files.
llvm::IntrusiveRefCntPtr<clang::FileManager>
filesWith(const std::vector<std::pair<std::string, std::string>>& texts) {
  const llvm::IntrusiveRefCntPtr<llvm::vfs::OverlayFileSystem> files =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(
          withClangSpelling(llvm::vfs::createPhysicalFileSystem()));
  const llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> memory =
      llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto& [path, text] : texts)
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  files->pushOverlay(memory);
  return llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), files);
}

/// The headers in front of the user's text: the command that parses them alone, and their place.
class Prefix {
public:
  Prefix(const TransformRequest& request, const std::string& architecture, const HostMacros& host)
      : cuda_(orDefault(request.cudaRoot, GPUSCHED_DEFAULT_CUDA_ROOT)),
        resources_(orDefault(request.resourceDirectory, GPUSCHED_DEFAULT_RESOURCE_DIR)),
        user_(splitForPrefix(request.clangArguments)), host_(host),
        arguments_(commandOf(request, architecture, host, user_)),
        kept_(request.parseCache, identityOf(request, arguments_)) {}

  std::string find() const {
    return kept_.find(foreignFolders(), [this] { return make(); });
  }
  void forget() const { kept_.forget(); }

  /// The main file of that parse; a parse that begins with it must see it, too.
  const std::string& mainFile() const { return arguments_.back(); }

private:
  static std::vector<std::string> commandOf(TransformRequest request,
                                            const std::string& architecture, const HostMacros& host,
                                            const PrefixArguments& user) {
    request.clangArguments = user.decisive;
    request.path = orDefault(request.shimDirectory, GPUSCHED_DEFAULT_SHIM) + "/gpusched_prefix.cu";
    return parseArguments(request, architecture, host);
  }

  /// The arguments, and which headers of ours there are: Clang checks those that a parse included,
  /// not those that it would include now.
  static std::vector<std::string> identityOf(const TransformRequest& request,
                                             std::vector<std::string> arguments) {
    std::set<std::string> names;
    std::error_code error;
    for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(
             orDefault(request.shimDirectory, GPUSCHED_DEFAULT_SHIM), error))
      names.insert(entry.path().filename());
    arguments.insert(arguments.end(), names.begin(), names.end());
    return arguments;
  }

  /// Many builds name the toolkit's folder, which is searched anyhow.
  std::vector<std::string> foreignFolders() const {
    std::vector<std::string> folders;
    std::error_code error;
    for (const std::string& folder : user_.searchFolders)
      if (!std::filesystem::equivalent(folder, cuda_ + "/include", error) &&
          !std::filesystem::equivalent(folder, cuda_ + "/include/cccl", error))
        folders.push_back(folder);
    return folders;
  }

  MadePrefix make() const {
    const llvm::IntrusiveRefCntPtr<clang::FileManager> files =
        filesWith({{mainFile(), ""}, {host_.path(), host_.header()}});
    const std::shared_ptr<clang::PCHBuffer> buffer = std::make_shared<clang::PCHBuffer>();
    std::set<std::string> names;
    clang::tooling::ToolInvocation invocation(
        arguments_, std::make_unique<PrefixAction>(LibraryBodies(cuda_, resources_), buffer, names),
        files.get());
    ErrorCollector errors;
    invocation.setDiagnosticConsumer(&errors);
    if (!invocation.run() || !errors.errors.empty() || !errors.nonLiteralLocals.empty() ||
        !buffer->IsComplete)
      return {};
    return {std::string(buffer->Data.begin(), buffer->Data.end()), {names.begin(), names.end()}};
  }

  std::string cuda_, resources_;
  PrefixArguments user_;
  const HostMacros& host_;
  std::vector<std::string> arguments_;
  ParsedPrefix kept_;
};

/// What one run of Clang came to.
struct Parsed {
  std::vector<std::string> errors;
  bool reached = false; ///< an AST was made and used
};

/// How often a text is respelt: templates that nothing instantiated before may come into sight.
constexpr unsigned kRepeats = 4;

/// Runs of Clang over these texts: another one while it rejects shared variables.
Parsed run(const TransformRequest& request, const HostMacros& host,
           const std::vector<std::string>& arguments,
           std::vector<std::pair<std::string, std::string>> texts, const AstUse& use,
           unsigned repeats = kRepeats) {
  Parsed parsed;
  const AstUse noting = [&](const ParsedUnit& unit) {
    parsed.reached = true;
    use(unit);
  };
  ErrorCollector errors;
  IncludeGraph includes;
  MacroUses macros;
  const ParseContext context{noting,
                             host,
                             includes,
                             macros,
                             errors.places,
                             errors.missingWords,
                             errors.nonLiteralLocals,
                             repeats ? &errors.sharedObjects : nullptr,
                             orDefault(request.cudaRoot, GPUSCHED_DEFAULT_CUDA_ROOT),
                             orDefault(request.resourceDirectory, GPUSCHED_DEFAULT_RESOURCE_DIR),
                             !request.relocatable};
  const llvm::IntrusiveRefCntPtr<clang::FileManager> files = filesWith(texts);
  clang::tooling::ToolInvocation invocation(arguments, std::make_unique<Action>(context),
                                            files.get());
  invocation.setDiagnosticConsumer(&errors);
  invocation.run();
  if (repeats > 0 && !errors.sharedObjects.empty()) {
    errors.sharedObjects.putInto(texts);
    return run(request, host, arguments, std::move(texts), use, repeats - 1);
  }
  parsed.errors = std::move(errors.errors);
  return parsed;
}

Parsed parseOnce(const TransformRequest& request, const std::string& text, const Texts& headers,
                 const std::string& architecture, const AstUse& use) {
  const HostMacros host(request.hostMacros, namesGiven(request.clangArguments));
  std::vector<std::pair<std::string, std::string>> texts = {{textKey(request.path), text},
                                                            {host.path(), host.header()}};
  for (const auto& [path, header] : headers)
    texts.emplace_back(path, SourceTokens(header).withClangSpelling());
  const std::vector<std::string> arguments = parseArguments(request, architecture, host);
  const Prefix prefix(request, architecture, host);
  if (const std::string header = prefix.find(); !header.empty()) {
    std::vector<std::string> withPrefix = arguments;
    // Else Clang does not look whether the toolkit has changed before it is in the middle of it.
    withPrefix.insert(withPrefix.end() - 1,
                      {"-include-pch", header, "-Xclang", "-fmodules-validate-system-headers"});
    texts.emplace_back(prefix.mainFile(), "");
    const Parsed parsed = run(request, host, withPrefix, texts, use);
    if (parsed.reached)
      return parsed;
    prefix.forget();
  }
  return run(request, host, arguments, texts, use);
}

} // namespace

std::string textKey(const std::string& path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).lexically_normal().string();
}

std::vector<std::string> parse(const TransformRequest& request, const std::string& text,
                               const Texts& headers, const std::string& architecture,
                               const AstUse& use) {
  const Parsed parsed = parseOnce(request, text, headers, architecture, use);
  if (parsed.reached || architecture == kFallbackArchitecture || architecture == kHostPass)
    return parsed.errors;
  return parseOnce(request, text, headers, kFallbackArchitecture, use).errors;
}

} // namespace gpusched::passes
