// KernelCollector.cpp - walks scopes for kernels, and templates for their instantiations.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only declaration scopes are walked, never bodies, so the cost does not depend on how much the
// headers contain. A template is converted if at least one instantiation may be; instantiations
// that may not are left without a registrar and so stay native.
#include "passes/analysis/KernelCollector.h"

#include "passes/Refusals.h"
#include "passes/analysis/CalleeForms.h"
#include "passes/analysis/FriendClasses.h"
#include "passes/analysis/HandOn.h"
#include "passes/analysis/HostLambdas.h"
#include "passes/analysis/KernelSafety.h"
#include "passes/analysis/Signature.h"
#include "passes/analysis/SourceFiles.h"
#include "passes/analysis/SymbolPatterns.h"
#include "passes/analysis/TemplateArguments.h"
#include "passes/analysis/TwinSymbol.h"
#include "passes/analysis/UnfoldMacros.h"
#include "passes/analysis/VirtualFunctions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclFriend.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Basic/SourceManager.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

namespace gpusched::passes {
namespace {

class Collector {
public:
  Collector(const ParsedUnit& unit, std::unique_ptr<SourceFile> mainFile, const Texts& headers,
            TwinNames& names, FormChoice forms)
      : context_(unit.ast), sources_(context_.getSourceManager()),
        files_(sources_, unit.includes, std::move(mainFile), headers), macros_(unit.macros),
        calls_(context_, unit.errors, unit.closed), functions_(calls_, files_, macros_, names),
        names_(names), forms_(forms), errors_(unit.errors) {
    names_.beginParse();
  }

  FileInfo run() {
    visitScope(*context_.getTranslationUnitDecl());
    while (functions_.wantsAnotherRound()) {
      kernels_.clear();
      seen_.clear();
      names_.beginParse();
      visitScope(*context_.getTranslationUnitDecl());
    }
    std::sort(kernels_.begin(), kernels_.end(), [](const KernelInfo& a, const KernelInfo& b) {
      return std::pair(a.text.file, a.text.nameBegin) < std::pair(b.text.file, b.text.nameBegin);
    });
    FileInfo unit;
    VirtualFunctions::refuseContradictions(kernels_);
    unit.functions = functions_.take(kernels_);
    handOn(unit.functions, kernels_);
    if (retypeLambdas(context_, unit.functions))
      nameAnew();
    addPatterns();
    unit.kernels = std::move(kernels_);
    unit.launchPairs = findLaunchPairs(context_);
    unit.unfoldings = macros_.take();
    unit.seen = files_.seen();
    unit.files = files_.take(unit.quoteSearches);
    return unit;
  }

private:
  /// Symbols of kernels over lambdas that have got other parameters.
  void nameAnew() {
    for (KernelInfo& kernel : kernels_) {
      std::map<std::string, std::pair<std::string, std::string>> symbols;
      for (KernelRecord& record : kernel.instanceRecords) {
        const clang::FunctionDecl& instance = *instances_.at(record.symbol);
        const std::string before = record.symbol;
        record.symbol = nativeSymbol(instance);
        instances_[record.symbol] = &instance;
        if (!record.persistentSymbol.empty())
          record.persistentSymbol = symbolOfTwin(instance, kernel);
        symbols[before] = {record.symbol, record.persistentSymbol};
      }
      for (KernelInstance& instance : kernel.instances)
        if (instance.foundBySymbol())
          std::tie(instance.symbol, instance.twinSymbol) = symbols.at(instance.symbol);
    }
  }

  /// For registrars that look for symbols, and for return types that decide whether there is a
  /// function; most files have neither.
  void addPatterns() {
    const auto hasSuch = [](const KernelInfo& kernel) {
      return kernel.text.returnType ||
             llvm::any_of(kernel.instances, std::mem_fn(&KernelInstance::foundBySymbol));
    };
    if (llvm::none_of(kernels_, hasSuch))
      return;
    addPatterns(Signature::Cut);
    addPatterns(Signature::Kept);
    for (KernelInfo& kernel : kernels_)
      usePatterns(kernel);
  }

  /// Those that one instantiation alone has, to instantiations without. Refused ones count: theirs
  /// could be taken for another's.
  void addPatterns(Signature signature) {
    std::map<std::string, std::vector<std::pair<KernelRecord*, SymbolPatterns>>> records;
    for (KernelInfo& kernel : kernels_)
      for (KernelRecord& record : kernel.instanceRecords) {
        const std::string twin = record.persistentSymbol.empty()
                                     ? symbolOfTwin(*instances_.at(record.symbol), kernel)
                                     : record.persistentSymbol;
        SymbolPatterns patterns =
            symbolPatterns({record.symbol, twin}, kernel.record.name, kernel.twinName(), signature);
        records[patterns.native].push_back({&record, std::move(patterns)});
      }
    for (auto& [pattern, alike] : records)
      if (KernelRecord& record = *alike.front().first;
          alike.size() == 1 && record.symbolPattern.empty()) {
        record.symbolPattern = alike.front().second.native;
        record.persistentPattern = alike.front().second.twin;
      }
  }

  static void usePatterns(KernelInfo& kernel) {
    std::map<std::string, const KernelRecord*> records;
    for (const KernelRecord& record : kernel.instanceRecords)
      records[record.symbol] = &record;
    for (KernelInstance& instance : kernel.instances)
      if (const auto record = records.find(instance.symbol);
          record != records.end() && !record->second->symbolPattern.empty()) {
        instance.symbol = record->second->symbolPattern;
        instance.twinSymbol = record->second->persistentPattern;
      }
  }

  /// What a kept prefix declares is not loaded for this: it holds no kernels.
  void visitScope(const clang::DeclContext& scope) {
    for (const clang::Decl* declared : scope.noload_decls()) {
      if (const auto* described = llvm::dyn_cast<clang::FunctionTemplateDecl>(declared))
        visitFunction(*described->getTemplatedDecl());
      else if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declared))
        visitFunction(*function);
      else if (const auto* befriended = llvm::dyn_cast<clang::FriendDecl>(declared))
        visitFriend(*befriended);
      else if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(declared))
        visitUserScope(*record, *record);
      else if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(declared))
        visitUserScope(*space, *space);
      else if (const auto* linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(declared))
        visitUserScope(*linkage, *linkage);
    }
  }

  void visitUserScope(const clang::Decl& declared, const clang::DeclContext& scope) {
    if (!sources_.isInSystemHeader(sources_.getExpansionLoc(declared.getLocation())))
      visitScope(scope);
  }

  void visitFriend(const clang::FriendDecl& befriended) {
    const clang::NamedDecl* const named = befriended.getFriendDecl();
    if (const auto* described = llvm::dyn_cast_or_null<clang::FunctionTemplateDecl>(named))
      visitFunction(*described->getTemplatedDecl());
    else if (const auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(named))
      visitFunction(*function);
  }

  void visitFunction(const clang::FunctionDecl& function) {
    const clang::SourceLocation where = sources_.getExpansionLoc(function.getLocation());
    if (!function.hasAttr<clang::CUDAGlobalAttr>() || !function.isThisDeclarationADefinition() ||
        !function.getBody() || sources_.isInSystemHeader(where) || !seen_.insert(&function).second)
      return;
    KernelInfo kernel;
    describe(function, kernel.record);
    kernel.record.isTemplate = function.getDescribedFunctionTemplate() != nullptr;
    kernel.scope = printScope(function);
    kernel.overloaded = isOverloaded(function);
    kernel.suffix = names_.suffixOf(kernel.record.name,
                                    kernel.scope + kernel.record.name + ' ' +
                                        function.getType().getCanonicalType().getAsString());
    kernel.record.refusal = refusalOfForm(function, where, kernel.text);
    if (context_.getLangOpts().CUDAIsDevice)
      addInFormOf(function, kernel);
    else
      kernel.onDevice = false;
    kernels_.push_back(std::move(kernel));
  }

  /// One form for all instantiations of a template, since they have one text.
  void addInFormOf(const clang::FunctionDecl& function, KernelInfo& kernel) {
    const KernelInfo unseen = kernel;
    kernel.spliced = forms_.splices && !kernel.text.isSpecialization;
    if (kernel.spliced) {
      addInstances(function, kernel);
      if (!isToBeOutlined(kernel))
        return;
      kernel = unseen;
    }
    if (!kernel.record.refusal && isFriend(function))
      kernel.record.refusal =
          refuse(RefusalCode::MemberOrFriendKernel, "", placeOf(function.getLocation(), sources_));
    addInstances(function, kernel);
  }

  bool isToBeOutlined(const KernelInfo& kernel) const {
    const auto isNamed = [&](const KernelRecord& record) {
      return forms_.outlined.count(record.persistentSymbol) != 0;
    };
    return isNamed(kernel.record) || llvm::any_of(kernel.instanceRecords, isNamed);
  }

  void addInstances(const clang::FunctionDecl& function, KernelInfo& kernel) {
    if (kernel.record.isTemplate)
      addInstances(*function.getDescribedFunctionTemplate(), kernel);
    else
      addPlain(function, kernel);
  }

  Judgement judgeIn(KernelInfo& kernel, const clang::FunctionDecl& function) {
    if (kernel.spliced)
      return judgeSpliced(function, calls_);
    Judgement judgement = judge(function, kernel.text, calls_, functions_, kernel.callees);
    if (!judgement.refusal && judgement.facts.drainBarrier && !forms_.drainsOutlined)
      judgement.refusal =
          refuse(RefusalCode::OutlinedAfterExit, "", placeOf(function.getLocation(), sources_));
    return judgement;
  }

  void describe(const clang::FunctionDecl& function, KernelRecord& record) const {
    record.name = function.getNameAsString();
    record.qualifiedName = printReadableName(function);
    record.where = placeOf(function.getLocation(), sources_);
    record.parameters = function.getNumParams();
  }

  std::optional<Refusal> refusalOfForm(const clang::FunctionDecl& function,
                                       clang::SourceLocation where, KernelText& text) {
    const SourcePlace place = placeOf(where, sources_);
    const std::optional<std::size_t> file = files_.numberOf(where);
    if (!file)
      return refuse(RefusalCode::KernelInHeader, files_.obstacle(where), place);
    text.file = *file;
    text.conditional = files_.dependsOnArchitecture(where);
    if (isOfClass(function))
      return refuse(RefusalCode::MemberOrFriendKernel, "", place);
    return macros_.readSignature(function, files_, text);
  }

  static bool isOfClass(const clang::FunctionDecl& function) {
    return function.getDeclContext()->isRecord() || function.getLexicalDeclContext()->isRecord();
  }

  void addPlain(const clang::FunctionDecl& function, KernelInfo& kernel) {
    const Judgement judgement = judgeIn(kernel, function);
    kernel.record.facts = judgement.facts;
    if (!kernel.record.refusal)
      kernel.record.refusal = judgement.refusal;
    kernel.record.symbol = nativeSymbol(function);
    if (kernel.record.refusal)
      return;
    const PrintedArguments arguments = printTemplateArguments(function);
    if (!arguments.unnamable.empty()) {
      kernel.record.refusal =
          refuse(RefusalCode::UnnamableArgument, arguments.unnamable, kernel.record.where);
      return;
    }
    kernel.record.persistentSymbol = symbolOfTwin(function, kernel);
    addInstance(function, arguments.text, kernel, kernel.record);
  }

  void addInstances(const clang::FunctionTemplateDecl& described, KernelInfo& kernel) {
    std::optional<Refusal> first = kernel.record.refusal;
    for (const clang::FunctionDecl* instance : described.getCanonicalDecl()->specializations()) {
      const clang::TemplateSpecializationKind kind = instance->getTemplateSpecializationKind();
      const clang::FunctionDecl* definition = nullptr;
      if (kind == clang::TSK_ExplicitSpecialization || kind == clang::TSK_Undeclared ||
          kind == clang::TSK_ExplicitInstantiationDeclaration || !instance->hasBody(definition))
        continue;
      const KernelRecord record = instanceRecord(*definition, kernel);
      if (record.refusal && !first)
        first = record.refusal;
      mergeFacts(record.facts, kernel.record.facts);
      kernel.instanceRecords.push_back(record);
    }
    if (kernel.record.refusal || !kernel.instances.empty())
      return;
    kernel.record.refusal =
        first ? first : refuse(RefusalCode::NotInstantiated, missedLaunches(), kernel.record.where);
  }

  std::string missedLaunches() const {
    for (const clang::SourceLocation error : errors_)
      if (error.isValid()) {
        const SourcePlace place = placeOf(error, sources_);
        return "Clang reports an error at " + place.file + ":" + std::to_string(place.line) +
               ", where it may have missed the launch";
      }
    return "";
  }

  KernelRecord instanceRecord(const clang::FunctionDecl& instance, KernelInfo& kernel) {
    KernelRecord record;
    describe(instance, record);
    record.isInstantiation = true;
    record.symbol = nativeSymbol(instance);
    instances_[record.symbol] = &instance;
    const Judgement judgement = judgeIn(kernel, instance);
    record.facts = judgement.facts;
    record.refusal = kernel.record.refusal ? kernel.record.refusal : judgement.refusal;
    const PrintedArguments arguments = printTemplateArguments(instance);
    if (!record.refusal && !arguments.unnamable.empty() && kernel.text.keepsDefaults)
      record.refusal =
          refuse(RefusalCode::UnnamableArgument, arguments.unnamable, kernel.record.where);
    if (!record.refusal) {
      record.persistentSymbol = symbolOfTwin(instance, kernel);
      addInstance(instance, arguments.text, kernel, record);
      if (!arguments.unnamable.empty()) {
        kernel.instances.back().symbol = record.symbol;
        kernel.instances.back().twinSymbol = record.persistentSymbol;
      }
    }
    return record;
  }

  static std::string symbolOfTwin(const clang::FunctionDecl& function, const KernelInfo& kernel) {
    return twinSymbol(function, kernel.twinName(), kernel.text.returnType.has_value());
  }

  static void addInstance(const clang::FunctionDecl& function, std::string arguments,
                          KernelInfo& kernel, const KernelRecord& record) {
    KernelInstance instance;
    instance.arguments = std::move(arguments);
    instance.type = kernel.overloaded ? printPointerType(function) : "";
    instance.name = record.qualifiedName;
    instance.mangled = record.symbol;
    instance.mangledTwin = record.persistentSymbol;
    instance.parameters = record.parameters;
    instance.wholeWarpRows = record.facts.wholeWarpRows;
    kernel.instances.push_back(instance);
  }

  static void mergeFacts(const KernelFacts& from, KernelFacts& into) {
    into.blockBarriers = std::max(into.blockBarriers, from.blockBarriers);
    into.warpPrimitives = std::max(into.warpPrimitives, from.warpPrimitives);
    into.atomics = std::max(into.atomics, from.atomics);
    into.staticShared |= from.staticShared;
    into.dynamicShared |= from.dynamicShared;
    into.staticSharedBytes = std::max(into.staticSharedBytes, from.staticSharedBytes);
    into.earlyReturn |= from.earlyReturn;
    into.drainBarrier |= from.drainBarrier;
    into.countingBarriers |= from.countingBarriers;
    into.laneDrain |= from.laneDrain;
    into.anyMaskDrain |= from.anyMaskDrain;
    into.unsureDrain |= from.unsureDrain;
    into.mbarriers |= from.mbarriers;
    into.behindAlignment = std::max(into.behindAlignment, from.behindAlignment);
    into.lanesBehind |= from.lanesBehind;
    into.asyncCopies |= from.asyncCopies;
    into.bulkCopies |= from.bulkCopies;
    into.wholeWarpRows |= from.wholeWarpRows;
    into.loops |= from.loops;
    into.mayWait |= from.mayWait;
    into.maxThreadsPerBlock = std::max(into.maxThreadsPerBlock, from.maxThreadsPerBlock);
    into.minBlocksPerSm = std::max(into.minBlocksPerSm, from.minBlocksPerSm);
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  SourceFiles files_;
  MacroUnfolder macros_;
  CallGraph calls_;
  VirtualFunctions functions_;
  std::set<const clang::FunctionDecl*> seen_;
  TwinNames& names_;
  const FormChoice forms_;
  const std::vector<clang::SourceLocation>& errors_;
  std::vector<KernelInfo> kernels_;
  std::map<std::string, const clang::FunctionDecl*> instances_; ///< of kernel templates, by symbol
};

} // namespace

FileInfo collectKernels(const ParsedUnit& unit, std::unique_ptr<SourceFile> mainFile,
                        const Texts& headers, TwinNames& names, FormChoice forms) {
  return Collector(unit, std::move(mainFile), headers, names, forms).run();
}

} // namespace gpusched::passes
