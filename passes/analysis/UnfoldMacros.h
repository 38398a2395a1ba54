// UnfoldMacros.h - writes out the macros that a kernel's definition is made of.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before:  #define KERNEL(name, T) template <class T> __global__ void name(T* a)
//          KERNEL(fill, Element) { a[blockIdx.x] = 1; }
// After:   template < class Element > __global__ void fill(Element* a) { a[blockIdx.x] = 1; }
//
// Sound because: one use is replaced by one level of its expansion, and the preprocessor goes on
// from there as it would have; lines do not move. The new text is parsed again, and only it is
// analysed and edited. Left alone: macros with a second #define in their file, one of them under a
// condition (another pass of the compiler may see that one), and those in files that are read more
// than once, each time under other macros perhaps.
#pragma once

#include "passes/analysis/KernelInfo.h"
#include "passes/analysis/MacroUses.h"
#include "passes/analysis/SourceFiles.h"
#include "passes/edit/EditSet.h"

#include <optional>
#include <set>

namespace clang {
class FunctionDecl;
}

namespace gpusched::passes {

class MacroUnfolder {
public:
  explicit MacroUnfolder(const MacroUses& uses) : uses_(uses) {}

  /// Fills `text`, or says why this form is not taken. Where a macro is the reason, those in the
  /// signature and at the end of the body are to be written out. REQUIRES: text.file holds the
  /// definition.
  std::optional<Refusal> readSignature(const clang::FunctionDecl& definition,
                                       const SourceFiles& files, KernelText& text);
  /// The same for a lambda that a macro is given, where the lambda's body has to change.
  void unfoldAround(const clang::FunctionDecl& definition, const SourceFiles& files,
                    const KernelText& text);
  /// Is the place inside a use of a macro that begins at `first` or behind it?
  bool isInUse(clang::FileID file, std::size_t first, std::size_t place) const;
  /// Edits by file, without those that are empty.
  std::map<std::size_t, EditSet> take();

private:
  bool isTheSameForAll(const MacroUse& use, const clang::SourceManager& sources);
  void unfold(const clang::FunctionDecl& definition, std::size_t number, const SourceFile& file);

  const MacroUses& uses_;
  std::map<std::size_t, EditSet> edits_;
  /// Of each file that was asked about: macros whose definition may differ between passes.
  std::map<clang::FileID, std::set<std::string>> uncertain_;
};

} // namespace gpusched::passes
