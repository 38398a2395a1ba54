// MacroUses.cpp - the preprocessor's callback for an expansion.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/MacroUses.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

namespace gpusched::passes {

class MacroRecorder : public clang::PPCallbacks {
public:
  MacroRecorder(MacroUses& uses, const clang::LangOptions& language)
      : uses_(uses), language_(language) {}

  void MacroExpands(const clang::Token& name, const clang::MacroDefinition& definition,
                    clang::SourceRange range, const clang::MacroArgs*) override {
    const clang::SourceManager& sources = *uses_.sources_;
    const clang::MacroInfo* const macro = definition.getMacroInfo();
    if (!macro || macro->isBuiltinMacro() || !range.getBegin().isFileID() ||
        !range.getEnd().isFileID() || sources.isInSystemHeader(range.getBegin()) ||
        sources.isInSystemHeader(macro->getDefinitionLoc()))
      return;
    const auto [file, begin] = sources.getDecomposedLoc(range.getBegin());
    const auto [endFile, last] = sources.getDecomposedLoc(range.getEnd());
    if (file != endFile)
      return;
    const unsigned length = clang::Lexer::MeasureTokenLength(range.getEnd(), sources, language_);
    uses_.uses_[file][begin] = {name.getIdentifierInfo()->getName().str(), last + length, macro};
  }

private:
  MacroUses& uses_;
  const clang::LangOptions& language_;
};

void MacroUses::record(clang::Preprocessor& preprocessor) {
  sources_ = &preprocessor.getSourceManager();
  preprocessor.addPPCallbacks(std::make_unique<MacroRecorder>(*this, preprocessor.getLangOpts()));
}

const MacroUsesByOffset& MacroUses::in(clang::FileID file) const {
  static const MacroUsesByOffset none;
  const std::map<clang::FileID, MacroUsesByOffset>::const_iterator found = uses_.find(file);
  return found == uses_.end() ? none : found->second;
}

} // namespace gpusched::passes
