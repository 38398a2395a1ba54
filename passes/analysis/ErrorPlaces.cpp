// ErrorPlaces.cpp - a binary search for the first error behind a function's begin.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/ErrorPlaces.h"

#include <algorithm>

namespace gpusched::passes {

ErrorPlaces::ErrorPlaces(clang::SourceManager& sources,
                         const std::vector<clang::SourceLocation>& errors)
    : sources_(sources) {
  for (const clang::SourceLocation error : errors)
    if (error.isValid())
      places_.push_back(sources_.getExpansionLoc(error));
  std::sort(places_.begin(), places_.end(),
            clang::BeforeThanCompare<clang::SourceLocation>(sources_));
  places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
}

std::optional<clang::SourceLocation> ErrorPlaces::in(const clang::FunctionDecl& function) {
  const clang::FunctionDecl* const pattern = function.getTemplateInstantiationPattern();
  const clang::FunctionDecl& text = pattern ? *pattern : function;
  if (const auto known = known_.find(&text); known != known_.end())
    return known->second;
  return known_[&text] = find(text);
}

std::optional<clang::SourceLocation> ErrorPlaces::find(const clang::FunctionDecl& function) const {
  const clang::SourceRange range = function.getSourceRange();
  const clang::SourceLocation begin = sources_.getExpansionLoc(range.getBegin()),
                              end = sources_.getExpansionLoc(range.getEnd());
  if (begin.isInvalid())
    return std::nullopt;
  const auto place = std::lower_bound(places_.begin(), places_.end(), begin,
                                      clang::BeforeThanCompare<clang::SourceLocation>(sources_));
  return place == places_.end() || sources_.isBeforeInTranslationUnit(end, *place)
             ? std::nullopt
             : std::optional(*place);
}

} // namespace gpusched::passes
