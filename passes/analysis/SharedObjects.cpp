// SharedObjects.cpp - respells the words in front of one declarator.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets stay: every word is replaced by one of its length. `static` would make the variable one
// of the device, whose constructor Clang rejects as well; it goes.
#include "passes/analysis/SharedObjects.h"

#include "passes/analysis/Parse.h"
#include "passes/edit/SourceTokens.h"

#include "clang/AST/Attr.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"

#include <algorithm>

namespace gpusched::passes {
namespace {

constexpr std::string_view kShared = "__shared__";
constexpr std::string_view kMarked = "GPUSCHED_S"; // in compat/shim/gpusched_parse.h
static_assert(kShared.size() == kMarked.size());
constexpr llvm::StringRef kAnnotation = "gpusched_shared";

bool isMarked(const clang::Decl& declared) {
  const auto* const mark = declared.getAttr<clang::AnnotateAttr>();
  return mark && mark->getAnnotation() == kAnnotation;
}

/// Respells the declaration of the variable at `offset`; false if its words are not there.
bool respell(std::string& text, std::size_t offset) {
  const std::string original = text;
  const SourceTokens tokens(original);
  bool found = false;
  for (std::size_t index = tokens.at(offset); index-- > 0;) {
    const std::string_view word = tokens.text(index);
    if (word == ";" || word == "{" || word == "}" || tokens.all()[index].inDirective)
      break;
    found |= word == kShared || word == kMarked;
    if (word == kShared)
      text.replace(tokens.all()[index].offset, kShared.size(), kMarked);
    else if (word == "static")
      text.replace(tokens.all()[index].offset, word.size(), word.size(), ' ');
  }
  return found;
}

} // namespace

bool isShared(const clang::Decl& declared) {
  return declared.hasAttr<clang::CUDASharedAttr>() || isMarked(declared);
}

bool isUnconstructed(const clang::VarDecl& variable) {
  return isMarked(variable);
}

void SharedObjects::note(const clang::Diagnostic& diagnostic) {
  if (diagnostic.getID() != clang::diag::err_shared_var_init || !diagnostic.hasSourceManager() ||
      !diagnostic.getLocation().isFileID())
    return;
  const clang::SourceManager& sources = diagnostic.getSourceManager();
  const clang::SourceLocation place = diagnostic.getLocation();
  const std::string path = textKey(sources.getFilename(place).str());
  const auto known = texts_.find(path);
  std::string text =
      known == texts_.end() ? sources.getBufferData(sources.getFileID(place)).str() : known->second;
  if (respell(text, sources.getFileOffset(place)))
    texts_[path] = std::move(text);
}

void SharedObjects::putInto(std::vector<std::pair<std::string, std::string>>& texts) const {
  std::erase_if(texts, [&](const auto& text) { return texts_.count(text.first) > 0; });
  texts.insert(texts.end(), texts_.begin(), texts_.end());
}

} // namespace gpusched::passes
