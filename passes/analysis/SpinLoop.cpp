// SpinLoop.cpp - a loop that only waits, and what it reads.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only waits: it stores nothing but local and shared variables, loads nothing but by volatile,
// atomic and assembly reads, and calls nothing but fences, sleeps, votes and barriers.
// Conservative towards native: a loop that waits for the host through mapped memory is taken for a
// barrier too, and costs the kernel its twin only.
#include "passes/analysis/SpinLoop.h"

#include "passes/analysis/Expressions.h"
#include "passes/analysis/FunctionUses.h"
#include "passes/analysis/SharedObjects.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"

#include <set>
#include <utility>
#include <vector>

namespace gpusched::passes {
namespace {

llvm::StringRef nameOf(const clang::FunctionDecl* function) {
  return function && function->getIdentifier() ? function->getName() : llvm::StringRef();
}

bool isSharedPlace(const clang::Expr& place) {
  const clang::Expr* root = place.IgnoreParenImpCasts();
  while (true) {
    if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(root))
      root = subscript->getBase()->IgnoreParenImpCasts();
    else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(root);
             member && !member->isArrow())
      root = member->getBase()->IgnoreParenImpCasts();
    else
      break;
  }
  const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(root);
  return reference && isShared(*reference->getDecl());
}

bool isZero(const clang::Expr& expression, const clang::ASTContext& context) {
  clang::Expr::EvalResult value;
  return !expression.isValueDependent() && expression.EvaluateAsInt(value, context) &&
         value.Val.getInt().isZero();
}

/// An atomic that leaves what it finds: a read. Others take a lock, or their turn.
bool isAtomicRead(const clang::CallExpr& call, const clang::ASTContext& context) {
  const clang::FunctionDecl* const callee = call.getDirectCallee();
  if (!callee || call.getNumArgs() < 2 || intrinsicOf(*callee) != Intrinsic::Atomic)
    return false;
  const llvm::StringRef name = nameOf(callee);
  if (name.starts_with("atomicCAS"))
    return call.getNumArgs() > 2 && isSameExpression(*call.getArg(1), *call.getArg(2), context);
  if (name.starts_with("atomicMax") || name.starts_with("atomicMin") ||
      name.starts_with("atomicAnd"))
    return true;
  return isZero(*call.getArg(1), context);
}

/// Assembly that loads and does nothing else.
bool isLoad(const clang::GCCAsmStmt& assembly) {
  const std::string raw = assembly.getAsmString();
  const llvm::StringRef text = raw;
  return text.contains("ld.") && !text.contains("st.") && !text.contains("atom.") &&
         !text.contains("red.");
}

/// Assembly that only passes time, or keeps an order.
bool isPause(const clang::GCCAsmStmt& assembly) {
  const std::string raw = assembly.getAsmString();
  const llvm::StringRef text = raw;
  return raw.empty() || text.starts_with("fence") || text.starts_with("membar") ||
         text.starts_with("nanosleep") || text.starts_with("bar.warp");
}

bool isCachedLoad(llvm::StringRef name) {
  return name == "__ldcg" || name == "__ldcv" || name == "__ldca" || name == "__ldcs";
}

/// Does a short function of the program read memory anew, as ld_acquire(p) does?
bool readsAnew(const clang::FunctionDecl& function) {
  struct Finder : clang::DynamicRecursiveASTVisitor {
    bool reads = false, acts = false;
    bool VisitGCCAsmStmt(clang::GCCAsmStmt* assembly) override {
      reads |= isLoad(*assembly);
      acts |= !isLoad(*assembly) && !isPause(*assembly);
      return true;
    }
    bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) override {
      reads |= cast->getCastKind() == clang::CK_LValueToRValue &&
               cast->getSubExpr()->getType().isVolatileQualified();
      return true;
    }
    bool VisitBinaryOperator(clang::BinaryOperator* operation) override {
      acts |= operation->isAssignmentOp() && !localOrParameterOf(*operation->getLHS());
      return true;
    }
    bool VisitCallExpr(clang::CallExpr* call) override {
      const llvm::StringRef name = nameOf(call->getDirectCallee());
      reads |= isCachedLoad(name);
      acts |= !isCachedLoad(name) && !name.starts_with("__threadfence");
      return true;
    }
  } finder;
  const clang::FunctionDecl* definition = nullptr;
  if (!function.hasBody(definition))
    return false;
  finder.TraverseStmt(definition->getBody());
  return finder.reads && !finder.acts;
}

/// flag.load() of cuda::atomic and its like.
const clang::Expr* loadedAtomic(const clang::CallExpr& call) {
  const auto* member = llvm::dyn_cast<clang::CXXMemberCallExpr>(&call);
  const clang::CXXMethodDecl* const method = member ? member->getMethodDecl() : nullptr;
  return nameOf(method) == "load" &&
                 llvm::StringRef(method->getParent()->getQualifiedNameAsString()).contains("atomic")
             ? member->getImplicitObjectArgument()
             : nullptr;
}

/// The place that an expression reads anew each time it is evaluated; null: it does not.
const clang::Expr* placeReadBy(const clang::Expr& expression, const clang::ASTContext& context) {
  if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&expression))
    return cast->getCastKind() == clang::CK_LValueToRValue &&
                   cast->getSubExpr()->getType().isVolatileQualified()
               ? cast->getSubExpr()
               : nullptr;
  const auto* call = llvm::dyn_cast<clang::CallExpr>(&expression);
  const clang::FunctionDecl* const callee = call ? call->getDirectCallee() : nullptr;
  if (!callee)
    return nullptr;
  if (const clang::Expr* const object = loadedAtomic(*call))
    return object;
  const bool reads = isAtomicRead(*call, context) || isCachedLoad(nameOf(callee)) ||
                     (intrinsicOf(*callee) == Intrinsic::None && readsAnew(*callee));
  for (const clang::Expr* argument : call->arguments())
    if (reads && (argument->getType()->isPointerType() || argument->isLValue()))
      return argument;
  return nullptr;
}

bool onlyPassesTime(const clang::CallExpr& call) {
  const clang::FunctionDecl* const callee = call.getDirectCallee();
  const llvm::StringRef name = nameOf(callee);
  const bool vote = name.starts_with("__any") || name.starts_with("__all") ||
                    name.starts_with("__ballot") || name.starts_with("__activemask");
  return name.starts_with("__threadfence") || (callee && isBuiltinAccessor(*callee)) ||
         name.starts_with("__nanosleep") || name.starts_with("__nvvm_membar") ||
         name.starts_with("clock") || name == "__syncwarp" || name == "__syncthreads" || vote;
}

/// One walk over a loop: what it does, reads, and assigns.
class Loop : public clang::DynamicRecursiveASTVisitor {
public:
  explicit Loop(const clang::ASTContext& context) : context_(context) {
    ShouldVisitImplicitCode = true;
  }

  bool works = false;                        ///< it does something but wait
  std::vector<const clang::Expr*> places;    ///< that it reads anew
  std::set<const clang::VarDecl*> assigned;  ///< variables
  std::set<const clang::VarDecl*> fromReads; ///< that get what was read
  std::vector<const clang::Stmt*> exits;     ///< conditions

  bool VisitExpr(clang::Expr* expression) override {
    if (const clang::Expr* const place = placeReadBy(*expression, context_))
      note(*place);
    return !works;
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    works |= !onlyPassesTime(*call) && !placeReadBy(*call, context_);
    return !works;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr*) override {
    works = true;
    return false;
  }
  bool VisitGCCAsmStmt(clang::GCCAsmStmt* assembly) override {
    works |= !isLoad(*assembly) && !isPause(*assembly);
    for (unsigned input = 0; isLoad(*assembly) && input < assembly->getNumInputs(); ++input)
      if (assembly->getInputExpr(input)->getType()->isPointerType())
        note(*assembly->getInputExpr(input));
    for (unsigned output = 0; output < assembly->getNumOutputs(); ++output)
      assign(*assembly->getOutputExpr(output), isLoad(*assembly));
    return !works;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) override {
    if (cast->getCastKind() == clang::CK_LValueToRValue)
      works |= isOrdinaryLoad(*cast->getSubExpr());
    return !works;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* operation) override {
    if (operation->isAssignmentOp())
      assign(*operation->getLHS(), isFromReads(*operation->getRHS()));
    return !works;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* operation) override {
    if (operation->isIncrementDecrementOp())
      assign(*operation->getSubExpr(), false);
    return !works;
  }
  bool VisitVarDecl(clang::VarDecl* variable) override {
    if (variable->getInit() && isFromReads(*variable->getInit()))
      fromReads.insert(variable);
    assigned.insert(variable);
    return !works;
  }
  bool VisitIfStmt(clang::IfStmt* choice) override {
    if (leaves(choice->getThen()) || leaves(choice->getElse()))
      exits.push_back(choice->getCond());
    return !works;
  }

  /// Does the end of the loop depend on what it read?
  bool waits() const {
    for (const clang::Stmt* exit : exits)
      if (exit && isFromReads(*exit))
        return true;
    return false;
  }

private:
  static bool leaves(const clang::Stmt* statement) {
    if (!statement)
      return false;
    if (llvm::isa<clang::BreakStmt, clang::ReturnStmt>(statement))
      return true;
    const auto* block = llvm::dyn_cast<clang::CompoundStmt>(statement);
    return block && block->size() > 0 && leaves(block->body_back());
  }

  static bool isOrdinaryLoad(const clang::Expr& place) {
    const clang::Expr* const plain = place.IgnoreParens();
    const auto* member = llvm::dyn_cast<clang::MemberExpr>(plain);
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(plain);
    const bool loads = llvm::isa<clang::ArraySubscriptExpr>(plain) ||
                       (unary && unary->getOpcode() == clang::UO_Deref) ||
                       (member && member->isArrow() && !member->isImplicitAccess() &&
                        !member->getType()->isPointerType());
    return loads && !place.getType().isVolatileQualified() && !isSharedPlace(place);
  }

  void note(const clang::Expr& place) {
    if (!isSharedPlace(place))
      places.push_back(&place);
  }

  void assign(const clang::Expr& target, bool fromRead) {
    const clang::VarDecl* const variable = localOrParameterOf(target);
    works |= !variable && !isSharedPlace(target);
    if (!variable)
      return;
    assigned.insert(variable);
    if (fromRead)
      fromReads.insert(variable);
  }

  bool isFromReads(const clang::Stmt& expression) const {
    if (const auto* value = llvm::dyn_cast<clang::Expr>(&expression)) {
      if (placeReadBy(*value, context_))
        return true;
      if (const clang::VarDecl* const variable = localOrParameterOf(*value);
          fromReads.count(variable))
        return true;
    }
    for (const clang::Stmt* child : expression.children())
      if (child && isFromReads(*child))
        return true;
    return false;
  }

  const clang::ASTContext& context_;
};

} // namespace

ForeignWord waitedWord(const clang::Stmt& statement, const clang::FunctionDecl& function) {
  Loop loop(function.getASTContext());
  if (const auto* whileLoop = llvm::dyn_cast<clang::WhileStmt>(&statement))
    loop.exits.push_back(whileLoop->getCond());
  else if (const auto* doLoop = llvm::dyn_cast<clang::DoStmt>(&statement))
    loop.exits.push_back(doLoop->getCond());
  else if (const auto* forLoop = llvm::dyn_cast<clang::ForStmt>(&statement))
    loop.exits.push_back(forLoop->getCond());
  for (const clang::Stmt* part : statement.children())
    if (part)
      loop.TraverseStmt(const_cast<clang::Stmt*>(part));
  if (loop.works || !loop.waits())
    return {};
  ForeignWord depending;
  for (const clang::Expr* place : loop.places) {
    ForeignWord word = foreignWord(*place, function, loop.assigned);
    if (!word.name.empty() && word.parameters.empty())
      return word;
    if (depending.name.empty())
      depending = std::move(word);
  }
  return depending;
}

} // namespace gpusched::passes
