// SpinLoop.cpp - a loop that only waits, what it reads, and whether that is one place for all
// blocks.
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

#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"

#include <set>
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

const clang::VarDecl* localOf(const clang::Expr& expression) {
  const clang::VarDecl* const variable = variableOf(expression);
  return variable && variable->isLocalVarDeclOrParm() ? variable : nullptr;
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
  struct Finder : clang::RecursiveASTVisitor<Finder> {
    bool reads = false, acts = false;
    bool VisitGCCAsmStmt(clang::GCCAsmStmt* assembly) {
      reads |= isLoad(*assembly);
      acts |= !isLoad(*assembly) && !isPause(*assembly);
      return true;
    }
    bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
      reads |= cast->getCastKind() == clang::CK_LValueToRValue &&
               cast->getSubExpr()->getType().isVolatileQualified();
      return true;
    }
    bool VisitBinaryOperator(clang::BinaryOperator* operation) {
      acts |= operation->isAssignmentOp() && !localOf(*operation->getLHS());
      return true;
    }
    bool VisitCallExpr(clang::CallExpr* call) {
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
class Loop : public clang::RecursiveASTVisitor<Loop> {
public:
  explicit Loop(const clang::ASTContext& context) : context_(context) {}

  bool works = false;                        ///< it does something but wait
  std::vector<const clang::Expr*> places;    ///< that it reads anew
  std::set<const clang::VarDecl*> assigned;  ///< variables
  std::set<const clang::VarDecl*> fromReads; ///< that get what was read
  std::vector<const clang::Stmt*> exits;     ///< conditions

  bool shouldVisitImplicitCode() const { return true; }

  bool VisitExpr(clang::Expr* expression) {
    if (const clang::Expr* const place = placeReadBy(*expression, context_))
      note(*place);
    return !works;
  }
  bool VisitCallExpr(clang::CallExpr* call) {
    works |= !onlyPassesTime(*call) && !placeReadBy(*call, context_);
    return !works;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr*) {
    works = true;
    return false;
  }
  bool VisitGCCAsmStmt(clang::GCCAsmStmt* assembly) {
    works |= !isLoad(*assembly) && !isPause(*assembly);
    for (unsigned input = 0; isLoad(*assembly) && input < assembly->getNumInputs(); ++input)
      if (assembly->getInputExpr(input)->getType()->isPointerType())
        note(*assembly->getInputExpr(input));
    for (unsigned output = 0; output < assembly->getNumOutputs(); ++output)
      assign(*assembly->getOutputExpr(output), isLoad(*assembly));
    return !works;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
    if (cast->getCastKind() == clang::CK_LValueToRValue)
      works |= isOrdinaryLoad(*cast->getSubExpr());
    return !works;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* operation) {
    if (operation->isAssignmentOp())
      assign(*operation->getLHS(), isFromReads(*operation->getRHS()));
    return !works;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* operation) {
    if (operation->isIncrementDecrementOp())
      assign(*operation->getSubExpr(), false);
    return !works;
  }
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (variable->getInit() && isFromReads(*variable->getInit()))
      fromReads.insert(variable);
    assigned.insert(variable);
    return !works;
  }
  bool VisitIfStmt(clang::IfStmt* choice) {
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
    const clang::VarDecl* const variable = localOf(target);
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
      if (const clang::VarDecl* const variable = localOf(*value); fromReads.count(variable))
        return true;
    }
    for (const clang::Stmt* child : expression.children())
      if (child && isFromReads(*child))
        return true;
    return false;
  }

  const clang::ASTContext& context_;
};

/// All that the function ever assigns to a local variable.
std::vector<const clang::Expr*> valuesOf(const clang::VarDecl& variable,
                                         const clang::FunctionDecl& function) {
  struct Values : clang::RecursiveASTVisitor<Values> {
    const clang::VarDecl* variable = nullptr;
    std::vector<const clang::Expr*> all;
    bool VisitBinaryOperator(clang::BinaryOperator* operation) {
      if (operation->isAssignmentOp() && localOf(*operation->getLHS()) == variable)
        all.push_back(operation->getRHS());
      return true;
    }
  } values;
  values.variable = &variable;
  values.TraverseStmt(function.getBody());
  if (variable.getInit())
    values.all.push_back(variable.getInit());
  return values.all;
}

/// Is a place computed from a number behind the block's own: blockIdx.x + 1, or n - blockIdx.x,
/// which is behind it for half of the blocks?
class LaterPlace {
public:
  explicit LaterPlace(const clang::FunctionDecl& function) : function_(function) {}

  bool isLater(const clang::Stmt& expression) {
    if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&expression))
      if (isBehindOwn(*operation))
        return true;
    if (const auto* value = llvm::dyn_cast<clang::Expr>(&expression))
      if (const clang::VarDecl* const variable = localOf(*value))
        return anyValue(*variable, [&](const clang::Expr& each) { return isLater(each); });
    return llvm::any_of(expression.children(),
                        [&](const clang::Stmt* child) { return child && isLater(*child); });
  }

private:
  bool isBehindOwn(const clang::BinaryOperator& operation) {
    const clang::Expr &left = *operation.getLHS(), &right = *operation.getRHS();
    if (operation.getOpcode() == clang::BO_Sub)
      return isOwn(right);
    return operation.getOpcode() == clang::BO_Add &&
           ((isOwn(left) && isPositive(right)) || (isPositive(left) && isOwn(right)));
  }

  static bool isBlockIndex(const clang::Expr& property) {
    const auto* reference = llvm::dyn_cast<clang::MSPropertyRefExpr>(&property);
    const clang::Expr* base = reference ? reference->getBaseExpr() : nullptr;
    if (const auto* opaque = llvm::dyn_cast_or_null<clang::OpaqueValueExpr>(base))
      base = opaque->getSourceExpr();
    const clang::VarDecl* const variable = base ? variableOf(*base) : nullptr;
    return variable && variable->isFileVarDecl() && variable->getName() == "blockIdx";
  }

  /// blockIdx.x, or a variable that gets it.
  bool isOwn(const clang::Expr& expression) {
    const clang::Expr* const plain = expression.IgnoreParenCasts();
    if (const auto* pseudo = llvm::dyn_cast<clang::PseudoObjectExpr>(plain))
      return isBlockIndex(*pseudo->getSyntacticForm());
    const clang::VarDecl* const variable = localOf(*plain);
    return variable && anyValue(*variable, [&](const clang::Expr& each) { return isOwn(each); });
  }

  bool isPositive(const clang::Expr& expression) const {
    clang::Expr::EvalResult value;
    return !expression.isValueDependent() &&
           expression.EvaluateAsInt(value, function_.getASTContext()) &&
           value.Val.getInt().isStrictlyPositive();
  }

  bool anyValue(const clang::VarDecl& variable,
                llvm::function_ref<bool(const clang::Expr&)> accepts) {
    if (!active_.insert(&variable).second)
      return false;
    const bool found = llvm::any_of(valuesOf(variable, function_),
                                    [&](const clang::Expr* value) { return accepts(*value); });
    active_.erase(&variable);
    return found;
  }

  const clang::FunctionDecl& function_;
  std::set<const clang::VarDecl*> active_;
};

/// Is a place, or what it is computed from, the same word for every block? Names of the block say
/// no, and so does what nobody here can tell: results of calls and what was loaded.
class SharedPlace {
public:
  SharedPlace(const clang::FunctionDecl& function, const std::set<const clang::VarDecl*>& moving)
      : function_(function), moving_(moving) {}

  const clang::ValueDecl* root = nullptr; ///< the first variable, for the message

  bool isFixed(const clang::Stmt& expression) {
    if (const auto* pseudo = llvm::dyn_cast<clang::PseudoObjectExpr>(&expression))
      return isFixed(*pseudo->getSyntacticForm());
    if (const auto* opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(&expression))
      return opaque->getSourceExpr() && isFixed(*opaque->getSourceExpr());
    if (const auto* property = llvm::dyn_cast<clang::MSPropertyRefExpr>(&expression))
      return isFixed(*property->getBaseExpr());
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&expression))
      return isFixedVariable(*reference->getDecl());
    if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&expression))
      if (cast->getCastKind() == clang::CK_LValueToRValue && isMemory(*cast->getSubExpr()))
        return false;
    const bool known =
        llvm::isa<clang::CastExpr, clang::ParenExpr, clang::ArraySubscriptExpr, clang::MemberExpr,
                  clang::UnaryOperator, clang::BinaryOperator, clang::IntegerLiteral,
                  clang::CXXThisExpr, clang::ConditionalOperator, clang::CXXConstructExpr,
                  clang::MaterializeTemporaryExpr, clang::ExprWithCleanups,
                  clang::UnaryExprOrTypeTraitExpr, clang::SubstNonTypeTemplateParmExpr>(expression);
    for (const clang::Stmt* child : expression.children())
      if (!known || (child && !isFixed(*child)))
        return false;
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&expression); member && !root)
      root = member->getMemberDecl();
    return known;
  }

private:
  /// A loaded number may be one that the block was given.
  static bool isMemory(const clang::Expr& place) {
    const clang::Expr* const plain = place.IgnoreParens();
    const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(plain);
    return llvm::isa<clang::ArraySubscriptExpr>(plain) ||
           (unary && unary->getOpcode() == clang::UO_Deref) ||
           (llvm::isa<clang::MemberExpr>(plain) && plain->getType()->isIntegerType());
  }

  bool isFixedVariable(const clang::ValueDecl& declared) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declared);
    const clang::IdentifierInfo* const name = declared.getIdentifier();
    if (!variable || moving_.count(variable) || isShared(*variable) ||
        (name && variable->isFileVarDecl() && name->isStr("blockIdx")))
      return llvm::isa<clang::EnumConstantDecl>(declared);
    if (const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(variable)) {
      const bool names = parameter->getType()->isPointerType() ||
                         parameter->getType()->isReferenceType() ||
                         parameter->getType()->isRecordType();
      return (names || function_.hasAttr<clang::CUDAGlobalAttr>()) && keep(declared);
    }
    return (variable->hasGlobalStorage() || hasFixedValues(*variable)) && keep(declared);
  }

  bool keep(const clang::ValueDecl& declared) {
    root = root ? root : &declared;
    return true;
  }

  bool hasFixedValues(const clang::VarDecl& variable) {
    if (!active_.insert(&variable).second)
      return true;
    const std::vector<const clang::Expr*> values = valuesOf(variable, function_);
    const bool fixed = !values.empty() && llvm::all_of(values, [&](const clang::Expr* value) {
      return isFixed(*value);
    });
    active_.erase(&variable);
    return fixed;
  }

  const clang::FunctionDecl& function_;
  const std::set<const clang::VarDecl*>& moving_; ///< variables that change while the loop waits
  std::set<const clang::VarDecl*> active_;
};

} // namespace

std::string waitedWord(const clang::Stmt& statement, const clang::FunctionDecl& function) {
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
    return "";
  for (const clang::Expr* place : loop.places) {
    SharedPlace shared(function, loop.assigned);
    const bool isFixed = shared.isFixed(*place);
    const std::string word =
        shared.root ? "'" + shared.root->getNameAsString() + "'" : "an address";
    if (isFixed)
      return word;
    if (LaterPlace(function).isLater(*place))
      return word + " of a later block";
  }
  return "";
}

} // namespace gpusched::passes
