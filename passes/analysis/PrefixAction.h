// PrefixAction.h - parses headers alone and keeps what Clang makes of them in memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The precompiled header leaves out the function bodies that a parse leaves out.
#pragma once

#include "passes/analysis/LibraryBodies.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Serialization/ASTWriter.h"

#include <set>

namespace gpusched::passes {

class IncludedNames : public clang::PPCallbacks {
public:
  explicit IncludedNames(std::set<std::string>& names) : names_(names) {}
  void InclusionDirective(clang::SourceLocation, const clang::Token&, llvm::StringRef spelling,
                          bool, clang::CharSourceRange, clang::OptionalFileEntryRef,
                          llvm::StringRef, llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    names_.insert(spelling.str());
  }

private:
  std::set<std::string>& names_;
};

class SkipLibraryBodies : public clang::ASTConsumer {
public:
  explicit SkipLibraryBodies(const LibraryBodies& bodies) : bodies_(bodies) {}
  bool shouldSkipFunctionBody(clang::Decl* function) override {
    return bodies_.skips(function->getASTContext().getSourceManager(), function->getLocation());
  }

private:
  LibraryBodies bodies_;
};

class PrefixAction : public clang::ASTFrontendAction {
public:
  PrefixAction(LibraryBodies bodies, std::shared_ptr<clang::PCHBuffer> buffer,
               std::set<std::string>& names)
      : bodies_(std::move(bodies)), buffer_(std::move(buffer)), names_(names) {}

  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    compiler.getLangOpts().CompilingPCH = true;
    return true;
  }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    compiler.getFrontendOpts().SkipFunctionBodies = true; // those that SkipLibraryBodies names
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<IncludedNames>(names_));
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<SkipLibraryBodies>(bodies_));
    consumers.push_back(std::make_unique<clang::PCHGenerator>(
        compiler.getPreprocessor(), compiler.getModuleCache(), "prefix.pch", "", buffer_,
        compiler.getCodeGenOpts(), std::vector<std::shared_ptr<clang::ModuleFileExtension>>()));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

private:
  LibraryBodies bodies_;
  std::shared_ptr<clang::PCHBuffer> buffer_;
  std::set<std::string>& names_;
};

} // namespace gpusched::passes
