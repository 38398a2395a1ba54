// BodyUses.cpp - one walk over one function body.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intrinsics are known by name and only when a system header declares them: the walk never looks
// inside Clang's or NVIDIA's wrappers of a single instruction. blockIdx.x is a property access,
// visited in two forms; only the reference to the variable blockIdx counts, so nothing is counted
// twice. Inline assembly is searched as text.
// Does not follow calls; CallGraph does.
#include "passes/analysis/FunctionUses.h"

#include "passes/analysis/AssemblyText.h"
#include "passes/analysis/BuiltinVariables.h"
#include "passes/analysis/Destruction.h"
#include "passes/analysis/Expressions.h"
#include "passes/analysis/GroupCalls.h"
#include "passes/analysis/KernelInfo.h"
#include "passes/analysis/LaneMasks.h"
#include "passes/analysis/LoopEnd.h"
#include "passes/analysis/NamedBarriers.h"
#include "passes/analysis/ParameterUses.h"
#include "passes/analysis/ScopedWaits.h"
#include "passes/analysis/SharedObjects.h"
#include "passes/analysis/SpinLoop.h"
#include "passes/analysis/TypeMentions.h"
#include "passes/analysis/VariableEscape.h"
#include "passes/analysis/WholeWarps.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

namespace gpusched::passes {

bool isReplaceablePrimitive(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
#define GPUSCHED_WARP_PRIMITIVE(NAME) .Case(#NAME, true)
#include "rt/include/gpusched/device/WarpPrimitives.def"
      .Default(false);
}

namespace {

bool isFence(llvm::StringRef name) {
  return name.starts_with("__threadfence") || name.starts_with("__nvvm_membar") ||
         name.starts_with("__nanosleep") || name.starts_with("__nvvm_nanosleep");
}

class Walk : public clang::DynamicRecursiveASTVisitor {
public:
  explicit Walk(const clang::FunctionDecl& self)
      : context_(self.getASTContext()), function_(self), self_(*self.getCanonicalDecl()) {
    ShouldVisitTemplateInstantiations = true;
    ShouldVisitImplicitCode = true;
  }

  FunctionUses uses;

  /// Operands of decltype and the like are never run.
  bool TraverseTypeLoc(clang::TypeLoc type, bool /*qualified*/) override {
    return traverseUnevaluated(
        [=](TypeMentions& mentions) { return mentions.TraverseTypeLoc(type); });
  }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr* operand) override {
    return traverseUnevaluated(
        [=](TypeMentions& mentions) { return mentions.TraverseStmt(operand); });
  }
  bool TraverseCXXNoexceptExpr(clang::CXXNoexceptExpr* operand) override {
    return traverseUnevaluated(
        [=](TypeMentions& mentions) { return mentions.TraverseStmt(operand); });
  }
  bool TraverseStaticAssertDecl(clang::StaticAssertDecl* assertion) override {
    return traverseUnevaluated(
        [=](TypeMentions& mentions) { return mentions.TraverseDecl(assertion); });
  }

  bool TraverseVarDecl(clang::VarDecl* variable) override {
    return isUnconstructed(*variable) ? VisitVarDecl(variable) : Base::TraverseVarDecl(variable);
  }

  bool TraverseIfStmt(clang::IfStmt* choice) override {
    if (!isForWholeWarps(*choice, function_))
      return Base::TraverseIfStmt(choice);
    bool proceed = TraverseStmt(choice->getCond());
    ++wholeWarps_;
    proceed = proceed && TraverseStmt(choice->getThen());
    --wholeWarps_;
    return proceed && TraverseStmt(choice->getElse());
  }

  bool TraverseLambdaExpr(clang::LambdaExpr* lambda) override {
    const unsigned before = hiding_;
    if (lambda->getCaptureDefault() == clang::LCD_None)
      ++hiding_;
    Base::TraverseLambdaExpr(lambda);
    hiding_ = before;
    return true;
  }

  /// [n = blockIdx.x]: what initialises a capture stands outside.
  bool TraverseLambdaCapture(clang::LambdaExpr* lambda, const clang::LambdaCapture* capture,
                             clang::Expr* value) override {
    const unsigned before = hiding_;
    if (lambda->getCaptureDefault() == clang::LCD_None)
      --hiding_;
    const bool proceed = Base::TraverseLambdaCapture(lambda, capture, value);
    hiding_ = before;
    return proceed;
  }

  bool TraverseCXXRecordDecl(clang::CXXRecordDecl* record) override {
    if (record->isLambda())
      return Base::TraverseCXXRecordDecl(record);
    ++hiding_;
    Base::TraverseCXXRecordDecl(record);
    --hiding_;
    return true;
  }

  /// begin(), end() and get() are looked up where their argument's class is.
  bool TraverseCXXForRangeStmt(clang::CXXForRangeStmt* loop) override {
    WalkUpFromCXXForRangeStmt(loop);
    bool proceed = TraverseStmt(loop->getInit()) && TraverseStmt(loop->getRangeStmt());
    ++hiding_;
    for (clang::Stmt* implied : std::initializer_list<clang::Stmt*>{
             loop->getBeginStmt(), loop->getEndStmt(), loop->getCond(), loop->getInc()})
      proceed = proceed && TraverseStmt(implied);
    --hiding_;
    return proceed && TraverseStmt(loop->getLoopVarStmt()) && TraverseStmt(loop->getBody());
  }
  bool TraverseBindingDecl(clang::BindingDecl* binding) override {
    ++hiding_;
    ++unseen_;
    const bool proceed = Base::TraverseBindingDecl(binding);
    --unseen_;
    --hiding_;
    return proceed;
  }

  /// What a default says is evaluated here and looked up where it is written.
  bool TraverseCXXDefaultArgExpr(clang::CXXDefaultArgExpr* value) override {
    ++unseen_;
    const bool proceed = traverseElsewhere(value->getExpr());
    --unseen_;
    return proceed;
  }
  bool TraverseCXXDefaultInitExpr(clang::CXXDefaultInitExpr* value) override {
    return traverseElsewhere(value->getExpr());
  }

  /// The braces are those of an aggregate, not of the constructors of its parts. What is not listed
  /// of an array is made by its filler.
  bool VisitInitListExpr(clang::InitListExpr* list) override {
    aggregateEnds_.insert(list->getRBraceLoc());
    return !list->hasArrayFiller() || TraverseStmt(list->getArrayFiller());
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) override {
    const clang::VarDecl* const variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (variable && isBuiltinVariable(*variable))
      noteBuiltin(*reference, variable->getName());
    if (variable && variable->isFileVarDecl() && variable->hasExternalStorage() &&
        isShared(*variable))
      noteShared(*variable);
    addOtherName(*reference, uses.otherNames);
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl())) {
      if (isSelf(*function))
        note(uses.mentionOfItself, reference->getLocation(), function->getNameAsString());
      if (!plainCallees_.count(reference))
        uses.oddMentions.push_back(function);
    }
    return true;
  }

  bool VisitMemberExpr(clang::MemberExpr* member) override {
    addOtherName(*member, uses.otherNames);
    return true;
  }
  bool VisitSubstNonTypeTemplateParmExpr(clang::SubstNonTypeTemplateParmExpr* value) override {
    addOtherName(*value, uses.otherNames);
    return true;
  }
  bool VisitNamedDecl(clang::NamedDecl* declared) override {
    if (llvm::isa<clang::TypeDecl, clang::BindingDecl, clang::EnumConstantDecl>(declared))
      uses.otherNames.insert(declared->getNameAsString());
    return true;
  }

  bool VisitCallExpr(clang::CallExpr* call) override {
    if (llvm::isa<clang::CUDAKernelCallExpr>(call)) {
      note(uses.kernelLaunch, call->getExprLoc(), "<<< >>>");
      return true;
    }
    if (const auto* reference =
            llvm::dyn_cast<clang::DeclRefExpr>(call->getCallee()->IgnoreImpCasts()))
      notePlainCallee(*reference);
    const clang::FunctionDecl* const callee = call->getDirectCallee();
    if (!callee) {
      if (!call->isTypeDependent() && !call->getCallee()->isTypeDependent() &&
          !llvm::isa<clang::CXXPseudoDestructorExpr>(call->getCallee()->IgnoreParens()))
        uses.indirectCalls.push_back(
            {nullptr,
             call->getCallee()->getType(),
             llvm::dyn_cast_or_null<clang::ParmVarDecl>(variableOf(*call->getCallee())),
             {call->getExprLoc(), "a function pointer"}});
      return true;
    }
    noteMethodCall(*call, *callee);
    noteCall(*call, *callee);
    return true;
  }

  bool VisitCXXInheritedCtorInitExpr(clang::CXXInheritedCtorInitExpr* inherited) override {
    addCall({inherited->getConstructor(), inherited->getExprLoc()});
    return true;
  }

  bool VisitCXXConstructExpr(clang::CXXConstructExpr* construct) override {
    const clang::CXXConstructorDecl* const constructor = construct->getConstructor();
    if (constructor->isTrivial())
      return true;
    addCall({constructor, construct->getExprLoc()});
    const clang::SourceLocation known = castLists_.lookup(construct);
    const clang::SourceLocation end =
        known.isValid() ? known : construct->getParenOrBraceRange().getEnd();
    if (!hiding_ && end.isValid() && !construct->isStdInitListInitialization() &&
        !aggregateEnds_.count(end))
      uses.methodCalls.push_back({constructor, end, end, {}});
    return true;
  }

  /// T(a): only the cast knows its parentheses.
  bool VisitCXXFunctionalCastExpr(clang::CXXFunctionalCastExpr* cast) override {
    if (const auto* construct =
            llvm::dyn_cast<clang::CXXConstructExpr>(cast->getSubExpr()->IgnoreImplicit()))
      castLists_[construct] = cast->getRParenLoc();
    return true;
  }

  bool VisitExplicitCastExpr(clang::ExplicitCastExpr* cast) override {
    if (losesConst(*cast))
      note(uses.lostConst, cast->getExprLoc(), "const");
    return true;
  }

  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) override {
    if (cast->getCastKind() == clang::CK_LValueToRValue &&
        cast->getSubExpr()->getType().isVolatileQualified())
      noteReread(cast->getExprLoc(), "volatile");
    const bool toBase = cast->getCastKind() == clang::CK_DerivedToBase ||
                        cast->getCastKind() == clang::CK_UncheckedDerivedToBase;
    if (toBase && recordName(cast->getSubExpr()->getType()) == "grid_group")
      note(uses.gridSync, cast->getExprLoc(), "a grid_group taken as another group");
    return true;
  }

  bool VisitStmt(clang::Stmt* statement) override {
    uses.loops |= llvm::isa<clang::WhileStmt, clang::DoStmt, clang::ForStmt, clang::CXXForRangeStmt,
                            clang::GotoStmt, clang::IndirectGotoStmt>(statement);
    const LoopEnd end = loopEnd(*statement, context_);
    uses.readLoops |= end == LoopEnd::Read;
    uses.writtenLoops |= end == LoopEnd::Written;
    // Of the groups' own waits, those for the grid are known by name; tiles wait inside a block.
    if (!llvm::isa<clang::WhileStmt, clang::DoStmt, clang::ForStmt>(statement) ||
        isCooperative(function_))
      return true;
    const ForeignWord word = waitedWord(*statement, function_);
    if (!word.name.empty() && word.parameters.empty())
      note(uses.gridSync, statement->getBeginLoc(), "a loop that only waits for " + word.text());
    else if (!word.name.empty())
      uses.givenWaits.insert(word);
    return true;
  }

  bool VisitGCCAsmStmt(clang::GCCAsmStmt* assembly) override {
    noteReread(assembly->getAsmLoc(), "asm");
    noteAssembly(assembly->getAsmLoc(), assembly->getAsmString(), *assembly);
    if (const std::optional<MbarrierUse> use = mbarrierUse(*assembly))
      noteMbarrier(*use, assembly->getAsmLoc(), "mbarrier in asm");
    return true;
  }

  bool VisitBinaryOperator(clang::BinaryOperator* operation) override {
    const clang::VarDecl* const variable =
        operation->getOpcode() == clang::BO_Assign ? localOf(*operation->getLHS()) : nullptr;
    if (variable)
      noteMask(*variable, *operation->getRHS());
    return true;
  }

  bool VisitVarDecl(clang::VarDecl* variable) override {
    if (variable->getInit() && variable->isLocalVarDecl())
      noteMask(*variable, *variable->getInit());
    uses.otherNames.insert(variable->getNameAsString());
    if (isShared(*variable))
      noteShared(*variable);
    else if (variable->isStaticLocal() && !variable->getType().isConstQualified())
      note(uses.staticVariable, variable->getLocation(), variable->getNameAsString());
    else if (variable->isLocalVarDecl())
      noteDestruction(variable->getType(), variable->getLocation());
    return true;
  }

  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr* temporary) override {
    noteDestruction(temporary->getType(), temporary->getExprLoc());
    return true;
  }

  bool VisitCXXNewExpr(clang::CXXNewExpr* made) override {
    note(uses.threadDependence, made->getExprLoc(), "new");
    noteAllocation(made->getOperatorNew(), made->getExprLoc());
    return true;
  }

  /// Through a virtual destructor any class may end.
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr* ended) override {
    noteAllocation(ended->getOperatorDelete(), ended->getExprLoc());
    const clang::QualType type = ended->getDestroyedType();
    const clang::CXXRecordDecl* const record = type.isNull() ? nullptr : type->getAsCXXRecordDecl();
    const clang::CXXDestructorDecl* const destructor =
        record && record->hasDefinition() ? record->getDestructor() : nullptr;
    if (destructor && destructor->isVirtual())
      uses.indirectCalls.push_back(
          {destructor, {}, nullptr, {ended->getExprLoc(), "a virtual destructor"}});
    else if (!type.isNull())
      noteDestruction(type, ended->getExprLoc());
    return true;
  }

private:
  using Base = clang::DynamicRecursiveASTVisitor;

  template <class Traverse> bool traverseUnevaluated(Traverse traverse) {
    TypeMentions mentions(uses.typeMentions, uses.otherNames);
    bool proceed = traverse(mentions);
    ++hiding_;
    for (clang::LambdaExpr* lambda : mentions.lambdas)
      proceed = proceed && TraverseLambdaExpr(lambda);
    --hiding_;
    return proceed;
  }

  void addCall(const CallSite& call) {
    uses.calls.push_back(call);
    uses.calls.back().inWholeWarp = wholeWarps_ > 0 && !hiding_;
    if (unseen_)
      uses.unseenCalls.push_back(call);
  }
  void addUnseenCall(const CallSite& call) {
    ++unseen_;
    addCall(call);
    --unseen_;
  }

  bool traverseElsewhere(clang::Expr* value) {
    ++hiding_;
    const bool proceed = TraverseStmt(value);
    --hiding_;
    return proceed;
  }

  bool isSelf(const clang::FunctionDecl& function) const {
    if (function.getCanonicalDecl() == &self_)
      return true;
    const clang::FunctionTemplateDecl* const primary = self_.getPrimaryTemplate();
    return primary && function.getPrimaryTemplate() &&
           primary->getCanonicalDecl() == function.getPrimaryTemplate()->getCanonicalDecl();
  }

  void noteBuiltin(const clang::DeclRefExpr& reference, llvm::StringRef name) {
    if (name == "blockIdx" || name == "gridDim") {
      note(uses.blockIndex, reference.getLocation(), name);
      if (reference.hasQualifier() || isFoundInBlock(reference))
        note(uses.globalBlockIndex, reference.getLocation(), name);
      if (hiding_)
        note(uses.hiddenBlockIndex, reference.getLocation(), name);
    }
    if (name == "threadIdx")
      note(uses.threadDependence, reference.getLocation(), name);
  }

  /// A using-declaration or a function's declaration inside the body hides a parameter of that
  /// name.
  static bool isFoundInBlock(const clang::DeclRefExpr& reference) {
    return const_cast<clang::DeclRefExpr&>(reference)
        .getFoundDecl()
        ->getLexicalDeclContext()
        ->isFunctionOrMethod();
  }

  void notePlainCallee(const clang::DeclRefExpr& reference) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference.getDecl());
    if (!function || hiding_ || isFoundInBlock(reference) ||
        (reference.hasQualifier() && llvm::isa<clang::CXXMethodDecl>(function)) ||
        !plainCallees_.insert(&reference).second)
      return;
    if (reference.hasQualifier())
      uses.qualifiedCalls.push_back(
          {function, {reference.getQualifierLoc().getBeginLoc(), reference.getLocation()}});
    if (reference.hasExplicitTemplateArgs())
      uses.explicitCalls.push_back({function, reference.getLAngleLoc()});
  }

  void noteMethodCall(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
    const clang::Expr* const written = call.getCallee()->IgnoreParenImpCasts();
    if (hiding_ || !llvm::isa<clang::CXXMethodDecl>(callee) || isGroupIndex(callee) ||
        isGridQuery(callee) || lanesOfTile(callee) != 0)
      return;
    if (llvm::isa<clang::CXXOperatorCallExpr>(call)) {
      // In an instantiation Clang does not know where the parenthesis is.
      const clang::SourceLocation object = call.getArg(0)->getEndLoc();
      if (callee.getOverloadedOperator() == clang::OO_Call)
        uses.methodCalls.push_back({&callee, object, object, call.getArg(0)->getBeginLoc()});
      return;
    }
    if (!callee.getIdentifier() && callee.getOverloadedOperator() != clang::OO_Call)
      return;
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(written))
      uses.methodCalls.push_back({&callee, member->getMemberLoc(), member->getEndLoc(), {}});
    else if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(written))
      uses.methodCalls.push_back({&callee, reference->getLocation(), reference->getEndLoc(), {}});
  }

  void noteReread(clang::SourceLocation where, const char* what) {
    uses.rereads = true;
    note(uses.threadDependence, where, what);
  }

  void noteCall(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
    const clang::SourceLocation where = call.getExprLoc();
    const std::string name = callee.getNameAsString();
    uses.rereads |= isFence(name);
    switch (intrinsicOf(callee)) {
    case Intrinsic::BlockBarrier:
      ++uses.blockBarriers;
      note(uses.plainBarrier, where, name);
      if (hiding_ || isQualified(call))
        note(uses.hiddenBarrier, where, name);
      return;
    case Intrinsic::CountingBarrier:
      ++uses.blockBarriers;
      noteCounting(call, name);
      return;
    case Intrinsic::WarpPrimitive:
      ++uses.warpPrimitives;
      note(uses.threadDependence, where, name);
      notePrimitive(call, name);
      return;
    case Intrinsic::Atomic:
      ++uses.atomics;
      note(uses.threadDependence, where, name);
      return;
    case Intrinsic::None:
      break;
    }
    if (noteGroupCall(call, callee, {function_, hiding_ > 0}, uses))
      return;
    if (const std::optional<MbarrierUse> use = mbarrierUse(call, callee)) {
      noteMbarrier(*use, where, name);
      return;
    }
    // Not __builtin_unreachable(), nor the toolkit's accessors of blockIdx and its like; threadIdx
    // is noted where it is named.
    const bool asks =
        call.getNumArgs() == 0 && !call.getType()->isVoidType() && !isBuiltinAccessor(callee);
    if (!callee.hasBody() && (asks || makesPlace(call)))
      note(uses.threadDependence, where, name);
    noteSpecialName(callee, where);
    const clang::CXXMethodDecl* const method = llvm::dyn_cast<clang::CXXMethodDecl>(&callee);
    if (method && method->isVirtual() && !devirtualizes(call))
      uses.indirectCalls.push_back(
          {method,
           {},
           nullptr,
           {where, "the virtual function " + callee.getQualifiedNameAsString()}});
    else
      addCall({&callee, where, false, &call});
  }

  /// malloc and its like: a pointer that none of the arguments led to.
  static bool makesPlace(const clang::CallExpr& call) {
    return call.getType()->isPointerType() &&
           llvm::none_of(call.arguments(), [](const clang::Expr* argument) {
             return argument->getType()->isPointerType() || argument->isGLValue();
           });
  }

  /// A library's is in a file that is not rewritten.
  void noteCounting(const clang::CallExpr& call, const std::string& name) {
    const clang::SourceLocation where = call.getExprLoc();
    const bool named = isCountingBarrier(name) && !isQualified(call);
    if (named && !hiding_ && !context_.getSourceManager().isInSystemHeader(where)) {
      uses.counts.insert(name);
      note(uses.countingBarrier, where, name);
      return;
    }
    note(uses.opaqueBarrier, where, name);
    if (named && hiding_)
      note(uses.hiddenBarrier, where, name);
  }

  void noteMbarrier(const MbarrierUse& use, clang::SourceLocation where, llvm::StringRef what) {
    note(uses.threadDependence, where, what);
    if (endsItsMbarriers(function_))
      return;
    const bool plain = use.member && !hiding_ && use.operand.isValid() &&
                       use.operand.getBegin().isFileID() && use.operand.getEnd().isFileID() &&
                       !context_.getSourceManager().isInSystemHeader(where);
    note(plain ? uses.mbarrier : uses.barrierObject, where, what);
    if (plain)
      uses.mbarriers.push_back(use);
  }

  static bool devirtualizes(const clang::CallExpr& call) {
    const clang::CXXMemberCallExpr* const member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call);
    if (!member)
      return false;
    const clang::MemberExpr* const callee =
        llvm::dyn_cast<clang::MemberExpr>(member->getCallee()->IgnoreParens());
    const clang::CXXMethodDecl* const method = member->getMethodDecl();
    return (callee && callee->hasQualifier()) || method->hasAttr<clang::FinalAttr>() ||
           method->getParent()->hasAttr<clang::FinalAttr>();
  }

  static bool isQualified(const clang::CallExpr& call) {
    const clang::DeclRefExpr* const callee =
        llvm::dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
    return callee && (callee->hasQualifier() || isFoundInBlock(*callee));
  }

  static const clang::VarDecl* localOf(const clang::Expr& expression) {
    const clang::VarDecl* const variable = variableOf(expression);
    return variable && variable->isLocalVarDecl() ? variable : nullptr;
  }

  /// A mask that is __activemask() at the call names nobody who has left.
  void notePrimitive(const clang::CallExpr& call, const std::string& name) {
    if (call.getNumArgs() > 0 && callOf(*call.getArg(0), "__activemask"))
      return;
    const UseSite site{call.getExprLoc(), name};
    const bool replaceable = isReplaceablePrimitive(name) && !hiding_ && !isQualified(call);
    if (hiding_)
      note(uses.hiddenPrimitive, site.where, site.what);
    if (replaceable)
      uses.primitives.insert(name);
    const bool whole = call.getNumArgs() == 0 || namesWholeWarp(*call.getArg(0), function_);
    const clang::VarDecl* const mask = whole ? nullptr : maskOf(*call.getArg(0), replaceable);
    if (mask) {
      uses.variableMasks.push_back({mask, site, replaceable});
      return;
    }
    note(uses.warpPrimitive, site.where, site.what);
    if (!replaceable)
      note(uses.opaquePrimitive, site.where, site.what);
    else if (!whole)
      note(uses.maskedPrimitive, site.where, site.what);
  }

  /// The variable that a primitive's lanes are in. What a parameter holds the caller may tell.
  static const clang::VarDecl* maskOf(const clang::Expr& argument, bool replaceable) {
    const clang::VarDecl* const variable = variableOf(argument);
    const bool isParameter = variable && llvm::isa<clang::ParmVarDecl>(variable);
    return variable && (isParameter ? replaceable : variable->isLocalVarDecl()) ? variable
                                                                                : nullptr;
  }

  /// A variable that holds the lanes of this place from now on.
  void noteMask(const clang::VarDecl& variable, const clang::Expr& value) {
    const clang::CallExpr* call = callOf(value, "__activemask");
    call = call ? call : callOf(value, "__ballot_sync");
    call = call ? call : callOf(value, "__match_any_sync");
    if (call)
      uses.lanes = {call, &variable, uses.lanes.places + 1};
  }

  void noteSpecialName(const clang::FunctionDecl& callee, clang::SourceLocation where) {
    const std::string name = callee.getQualifiedNameAsString();
    const llvm::StringRef view = name;
    if (contains(view, {"cooperative_groups"})) {
      const bool onlyMakes =
          view.ends_with("::this_grid") || llvm::isa<clang::CXXConstructorDecl>(callee);
      if (!onlyMakes && contains(view, {"this_multi_grid", "grid_group", "multi_grid"}))
        note(uses.gridSync, where, name);
      if (contains(view, {"this_cluster", "cluster_group"}))
        note(uses.cluster, where, name);
    }
    if (view == "cudaLaunchDevice" || view == "cudaLaunchDeviceV2" ||
        view == "cudaGetParameterBufferV2")
      note(uses.kernelLaunch, where, name);
    if (view == "__nv_grid_barrier" || view.starts_with("__cg_"))
      note(uses.gridSync, where, name);
    if (waitsBeyondBlock(callee, self_))
      note(uses.gridSync, where, "a wait of libcu++ beyond the block");
    if (view.starts_with("__cluster"))
      note(uses.cluster, where, name);
  }

  void noteAssembly(clang::SourceLocation where, const std::string& raw,
                    const clang::GCCAsmStmt& assembly) {
    const llvm::StringRef text = raw;
    if (contains(text, {"barrier.cluster", "%cluster", "%ncluster", "mapa", "shared::cluster.b",
                        "%is_explicit_cluster"}))
      note(uses.cluster, where, "cluster instruction");
    // What a physical block can do once, or of which the next logical one would have less.
    const bool once = contains(text, {"setmaxnreg", "tcgen05.relinquish_alloc_permit"});
    if (once || contains(text, {"%gridid", "%total_smem_size", "%dynamic_smem_size"}) ||
        endsThreads(text))
      note(uses.assembly, where, onOneLine(raw.substr(0, 40)));
    if (contains(text, {"%ctaid", "%nctaid"}))
      note(uses.indexAssembly, where, onOneLine(raw.substr(0, 40)));
    if (text.contains("cp.async") || text.contains("cp.reduce.async"))
      note(uses.asyncCopy, where, "asynchronous copy");
    if (text.contains("async.bulk"))
      note(uses.bulkCopy, where, "bulk copy");
    if (hasWord(text, {"bar.sync", "bar.red", "bar.arrive", "bar.cta", "barrier.sync",
                       "barrier.red", "barrier.arrive", "barrier.cta"}))
      noteAssemblyBarrier(where, assembly);
    if (waitsForLanes(text)) {
      ++uses.warpPrimitives;
      note(uses.warpPrimitive, where, "asm warp primitive");
      note(uses.opaquePrimitive, where, "asm warp primitive");
    }
    if (contains(text, {"atom.", "red."}))
      ++uses.atomics;
    const bool branches = contains(text, {"bra", "brx"});
    uses.loops |= branches;
    uses.writtenLoops |= branches;
  }

  void noteAssemblyBarrier(clang::SourceLocation where, const clang::GCCAsmStmt& assembly) {
    const clang::SourceRange range = assembly.getSourceRange();
    if (waitsForBlock(assembly, context_) && isOnePiece(range, {function_})) {
      ++uses.blockBarriers;
      note(uses.plainBarrier, where, "bar.sync 0");
      if (hiding_)
        note(uses.hiddenBarrier, where, "bar.sync 0");
      else
        uses.groupSyncs.push_back({range, true, isAligned(assembly)});
      return;
    }
    if (!waitsForSomeWarps(assembly, context_)) {
      ++uses.blockBarriers;
      note(uses.opaqueBarrier, where, "asm barrier");
      return;
    }
    ++uses.warpPrimitives;
    note(uses.warpPrimitive, where, "asm barrier of some warps");
    note(uses.opaquePrimitive, where, "asm barrier of some warps");
  }

  /// In bytes; of an array in a template as far as it is known there.
  uint64_t alignmentOf(const clang::VarDecl& variable) const {
    return variable.getType()->isDependentType() ? 1
                                                 : context_.getDeclAlign(&variable).getQuantity();
  }

  void noteShared(const clang::VarDecl& variable) {
    if (variable.hasExternalStorage()) {
      uses.dynamicShared = true;
      uses.dynamicAlignment = std::max<uint64_t>(uses.dynamicAlignment, alignmentOf(variable));
      return;
    }
    uses.staticShared = true;
    const clang::QualType type = variable.getType();
    if (!type->isDependentType() && type->isConstantSizeType() && !type->isIncompleteType())
      uses.staticSharedBytes += context_.getTypeSizeInChars(type).getQuantity();
    uses.staticMbarriers += mbarriersIn(type);
  }

  /// A class may have its own, and anybody may add one with more parameters.
  void noteAllocation(const clang::FunctionDecl* function, clang::SourceLocation where) {
    if (function && !function->isReplaceableGlobalAllocationFunction())
      addUnseenCall({function, where});
  }

  void noteDestruction(clang::QualType type, clang::SourceLocation where) {
    for (const clang::CXXDestructorDecl* destructor : destructorsOf(type))
      addUnseenCall({destructor, where});
  }

  clang::ASTContext& context_;
  const clang::FunctionDecl& function_; ///< the definition
  const clang::FunctionDecl& self_;
  std::set<const clang::DeclRefExpr*> plainCallees_;
  llvm::DenseMap<const clang::CXXConstructExpr*, clang::SourceLocation> castLists_;
  std::set<clang::SourceLocation> aggregateEnds_;
  unsigned wholeWarps_ = 0; ///< branches around it that only whole warps take
  unsigned hiding_ = 0;     ///< scopes around the current node that do not see parameters
  unsigned unseen_ = 0;     ///< expressions around it that are no part of Clang's control flow
};

} // namespace

namespace {

/// Primitives over lanes that this function takes down itself, and those that name any others.
void sortPrimitives(const clang::Stmt& body, FunctionUses& uses) {
  const bool isMask = uses.lanes && uses.lanes.mask && assignmentsOf(*uses.lanes.mask, body) == 1u;
  if (uses.lanes.mask && !isMask)
    uses.lanes = {};
  for (const auto& [mask, site, replaceable] : uses.variableMasks) {
    const bool isFormed = isMask && mask == uses.lanes.mask;
    note(isFormed ? uses.groupPrimitive : uses.warpPrimitive, site.where, site.what);
    if (!replaceable)
      note(isFormed ? uses.opaqueGroup : uses.opaquePrimitive, site.where, site.what);
    else if (!isFormed)
      note(uses.maskedPrimitive, site.where, site.what);
  }
  if (!uses.lanes && uses.tellableGroup) {
    note(uses.warpPrimitive, uses.tellableGroup.where, uses.tellableGroup.what);
    note(uses.maskedPrimitive, uses.tellableGroup.where, uses.tellableGroup.what);
  }
  if (!uses.lanes && uses.opaqueGroup) {
    note(uses.warpPrimitive, uses.opaqueGroup.where, uses.opaqueGroup.what);
    note(uses.opaquePrimitive, uses.opaqueGroup.where, uses.opaqueGroup.what);
  }
}

} // namespace

FunctionUses usesOf(const clang::FunctionDecl& self, const clang::Stmt& body) {
  Walk walk(self);
  walk.TraverseStmt(const_cast<clang::Stmt*>(&body));
  for (const clang::ParmVarDecl* parameter : self.parameters())
    walk.uses.otherNames.insert(parameter->getNameAsString());
  if (const clang::FunctionTemplateDecl* const primary = self.getPrimaryTemplate())
    for (const clang::NamedDecl* parameter : *primary->getTemplateParameters())
      walk.uses.otherNames.insert(parameter->getNameAsString());
  if (&body != self.getBody())
    return walk.uses;
  if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(&self))
    for (const clang::CXXCtorInitializer* initializer : constructor->inits())
      walk.TraverseConstructorInitializer(const_cast<clang::CXXCtorInitializer*>(initializer));
  sortPrimitives(body, walk.uses);
  return walk.uses;
}

} // namespace gpusched::passes
