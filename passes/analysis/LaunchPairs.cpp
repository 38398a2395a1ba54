// LaunchPairs.cpp - walks the bodies of the main file's host functions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/LaunchPairs.h"

#include "passes/analysis/KernelInfo.h"
#include "passes/analysis/PlainHostCode.h"
#include "passes/analysis/TwinSymbol.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace gpusched::passes {
namespace {

/// What is last between <<< and >>>; null where it is left out, or says 0. In lambdas of host code
/// the parse takes launches for a device's own, with more in front.
const clang::Expr* streamOf(const clang::CUDAKernelCallExpr& launch,
                            const clang::ASTContext& context) {
  constexpr unsigned kArguments = 4;
  const clang::CallExpr* const configuration = launch.getConfig();
  if (configuration->getNumArgs() < kArguments)
    return nullptr;
  const clang::Expr* const stream = configuration->getArg(configuration->getNumArgs() - 1);
  const bool isDefault = llvm::isa<clang::CXXDefaultArgExpr>(stream) ||
                         stream->isNullPointerConstant(const_cast<clang::ASTContext&>(context),
                                                       clang::Expr::NPC_ValueDependentIsNotNull);
  return isDefault ? nullptr : stream->IgnoreParenImpCasts();
}

/// Most launches that follow each other are of one stream, by one name for it: these need no kernel
/// for both.
bool mayBeOfTwoStreams(const clang::CUDAKernelCallExpr& first,
                       const clang::CUDAKernelCallExpr& second, const clang::ASTContext& context) {
  const clang::Expr* const streams[2] = {streamOf(first, context), streamOf(second, context)};
  if (!streams[0] || !streams[1])
    return false;
  llvm::FoldingSetNodeID names[2];
  for (int side = 0; side < 2; ++side)
    streams[side]->Profile(names[side], context, /*Canonical=*/false);
  return names[0] != names[1];
}

/// A statement that is a launch, with its place.
struct Launch {
  const clang::CUDAKernelCallExpr* call = nullptr;
  std::size_t begin = 0, end = 0;
};

class Finder : public clang::DynamicRecursiveASTVisitor {
public:
  explicit Finder(const clang::ASTContext& context)
      : context_(context), sources_(context.getSourceManager()), language_(context.getLangOpts()),
        code_(sources_) {
    ShouldVisitTemplateInstantiations = true;
  }

  /// Those that every instantiation of the text around them allows.
  std::vector<LaunchPair> take() {
    std::vector<LaunchPair> pairs;
    for (auto& [place, found] : found_)
      if (found.pairs.size() == visits_.at(found.text))
        std::move(found.pairs.begin(), found.pairs.end(), std::back_inserter(pairs));
    return pairs;
  }

  /// Declarations only: bodies are walked by hand.
  bool TraverseStmt(clang::Stmt*) override { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (!function->isThisDeclarationADefinition() || !function->getBody() ||
        function->isDependentContext() || !isOfHost(*function))
      return true;
    text_ = function->getBody()->getBeginLoc();
    ++visits_[text_];
    visit(*function->getBody());
    return true;
  }

private:
  /// Clang lets lambdas of host code be of both sides.
  static bool isOfHost(const clang::FunctionDecl& function) {
    const auto* const device = function.getAttr<clang::CUDADeviceAttr>();
    return !function.hasAttr<clang::CUDAGlobalAttr>() && (!device || device->isImplicit());
  }

  void visit(const clang::Stmt& statement) {
    if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&statement)) {
      if (isOfHost(*lambda->getCallOperator()))
        visit(*lambda->getBody());
      return;
    }
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(&statement))
      pairLaunchesOf(*block);
    for (const clang::Stmt* child : statement.children())
      if (child)
        visit(*child);
  }

  void pairLaunchesOf(const clang::CompoundStmt& block) {
    bool promised = false, declares = false;
    std::optional<Launch> before;
    for (const clang::Stmt* statement : block.body()) {
      promised = promised || declaresIndependence(*statement);
      const std::optional<Launch> launch = launchIn(*statement);
      if (before && !launch && mayStandBetween(*statement)) {
        declares = declares || llvm::isa<clang::DeclStmt>(statement);
        continue;
      }
      const bool paired = before && launch && mayPair(*before, *launch, promised);
      if (paired)
        add(*before, *launch, promised, declares);
      before = paired ? std::nullopt : launch;
      declares = false;
    }
  }

  /// "dim3 grid(n / 256);", "grid.x = 2;"
  bool mayStandBetween(const clang::Stmt& statement) {
    return llvm::isa<clang::Expr, clang::DeclStmt, clang::NullStmt>(statement) &&
           code_.isPlain(statement);
  }

  /// The launch, without its own call of the stub; that one is what the two are paired by.
  bool hasPlainArguments(const clang::CUDAKernelCallExpr& launch) {
    const auto isPlain = [this](const clang::Expr* one) { return !one || code_.isPlain(*one); };
    return llvm::all_of(launch.getConfig()->arguments(), isPlain) &&
           llvm::all_of(launch.arguments(), isPlain);
  }

  /// "gpusched::Independent name;"
  static bool declaresIndependence(const clang::Stmt& statement) {
    const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(&statement);
    return declaration && llvm::any_of(declaration->decls(), [](const clang::Decl* declared) {
             const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
             const clang::CXXRecordDecl* const type =
                 variable ? variable->getType()->getAsCXXRecordDecl() : nullptr;
             return type && type->getQualifiedNameAsString() == "gpusched::Independent";
           });
  }

  std::optional<Launch> launchIn(const clang::Stmt& statement) const {
    const auto* expression = llvm::dyn_cast<clang::Expr>(&statement);
    const auto* call = expression
                           ? llvm::dyn_cast<clang::CUDAKernelCallExpr>(expression->IgnoreImplicit())
                           : nullptr;
    if (!call || call->isInstantiationDependent() || !call->getDirectCallee())
      return std::nullopt;
    const clang::SourceLocation begin = statement.getBeginLoc(), last = statement.getEndLoc();
    if (!isInMainFile(begin) || !isInMainFile(last))
      return std::nullopt;
    const clang::SourceLocation end = clang::Lexer::findLocationAfterToken(
        last, clang::tok::semi, sources_, language_, /*SkipTrailingWhitespaceAndNewLine=*/false);
    if (end.isInvalid())
      return std::nullopt;
    return Launch{call, sources_.getFileOffset(begin), sources_.getFileOffset(end)};
  }

  /// What a macro made is in none.
  bool isInMainFile(clang::SourceLocation location) const {
    return sources_.getFileID(location) == sources_.getMainFileID();
  }

  /// What the first asks to have evaluated must not launch anything, which would be taken for it.
  bool mayPair(const Launch& first, const Launch& second, bool promised) {
    return hasPlainArguments(*first.call) &&
           (promised || (mayBeOfTwoStreams(*first.call, *second.call, context_) &&
                         hasPlainArguments(*second.call)));
  }

  void add(const Launch& first, const Launch& second, bool promised, bool declares) {
    LaunchPair pair;
    pair.promised = promised;
    pair.declares = declares;
    pair.begin = first.begin;
    pair.end = second.end;
    pair.line = sources_.getSpellingLineNumber(first.call->getBeginLoc());
    pair.symbols = {symbolOf(first), symbolOf(second)};
    Found& found = found_[{first.begin, second.end}];
    found.text = text_;
    found.pairs.push_back(std::move(pair));
  }

  static std::string symbolOf(const Launch& launch) {
    return nativeSymbol(*launch.call->getDirectCallee());
  }

  const clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  const clang::LangOptions& language_;
  PlainHostCode code_;
  clang::SourceLocation text_;                          ///< of the function that is visited
  std::map<clang::SourceLocation, std::size_t> visits_; ///< of each, once for each instantiation
  struct Found {
    clang::SourceLocation text;
    std::vector<LaunchPair> pairs; ///< one for each visit that allows it
  };
  std::map<std::pair<std::size_t, std::size_t>, Found> found_;
};

bool holdsMainFile(const clang::Decl& declared, const clang::SourceManager& sources) {
  return sources.getFileID(sources.getExpansionLoc(declared.getLocation())) ==
         sources.getMainFileID();
}

bool mayBePaired(const KernelInfo& kernel) {
  return !kernel.record.refusal && kernel.spliced && kernel.onDevice && kernel.batches &&
         kernel.others.empty() && !kernel.text.conditional;
}

std::optional<LaunchPair::Place> placeOf(const std::vector<KernelInfo>& kernels,
                                         const std::string& symbol) {
  for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel)
    for (std::size_t instance = 0; instance < kernels[kernel].instances.size(); ++instance)
      if (const KernelInstance& one = kernels[kernel].instances[instance];
          one.mangled == symbol && !one.foundBySymbol() && mayBePaired(kernels[kernel]))
        return LaunchPair::Place{kernel, instance};
  return std::nullopt;
}

} // namespace

void settleLaunchPairs(FileInfo& unit) {
  llvm::erase_if(unit.launchPairs, [&](LaunchPair& pair) {
    for (std::size_t side = 0; side < 2; ++side) {
      const std::optional<LaunchPair::Place> place = placeOf(unit.kernels, pair.symbols[side]);
      if (!place)
        return true;
      pair.places[side] = *place;
    }
    return false;
  });
  std::set<std::array<std::string, 2>> seen;
  std::set<std::size_t> places;
  for (LaunchPair& pair : unit.launchPairs) {
    pair.surrounds = places.insert(pair.begin).second;
    if (seen.insert(pair.symbols).second)
      pair.number = seen.size();
  }
}

std::vector<LaunchPair> findLaunchPairs(const clang::ASTContext& context) {
  Finder finder(context);
  for (clang::Decl* declared : context.getTranslationUnitDecl()->noload_decls())
    if (holdsMainFile(*declared, context.getSourceManager()))
      finder.TraverseDecl(declared);
  return finder.take();
}

} // namespace gpusched::passes
