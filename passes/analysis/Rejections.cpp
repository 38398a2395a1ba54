// Rejections.cpp - from a line, or a name, to the kernels that need what stands there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cost: only where nvcc rejected something; kernels times functions of one file.
#include "passes/analysis/Rejections.h"

#include "passes/Refusals.h"

#include <algorithm>
#include <functional>

namespace gpusched::passes {
namespace {

bool isOfName(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) || character == '_';
}

/// Does the text have this name as a whole word?
bool names(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); !name.empty() && at != std::string::npos;
       at = text.find(name, at + 1))
    if ((at == 0 || !isOfName(text[at - 1])) &&
        (at + name.size() == text.size() || !isOfName(text[at + name.size()])))
      return true;
  return false;
}

class Search {
public:
  Search(const Rejection& rejection, FileInfo& unit) : rejection_(rejection), unit_(unit) {}

  /// The kernels by the first place that is of one, else by names.
  std::vector<KernelInfo*> run() {
    std::vector<KernelInfo*> found;
    for (const SourcePlace& place : rejection_.places)
      if (found.empty())
        found = kernelsWith([&](const KernelText& text) { return covers(text, place); });
    return found.empty() ? kernelsNamed() : found;
  }

private:
  using OfText = std::function<bool(const KernelText&)>;

  std::size_t lineOf(const SourceFile& file, std::size_t offset) const {
    return 1 + std::count(file.text.begin(), file.text.begin() + offset, '\n');
  }

  bool covers(const KernelText& text, const SourcePlace& place) const {
    const SourceFile& file = *unit_.files[text.file];
    return file.name == place.file && lineOf(file, text.templateBegin) <= place.line &&
           place.line <= lineOf(file, text.bodyEnd);
  }

  std::vector<KernelInfo*> kernelsWith(const OfText& accepts) {
    return kernelsFor([&](const KernelInfo& kernel) { return accepts(kernel.text); },
                      [&](const VirtualFunction& function) {
                        return accepts(function.text) ||
                               (function.declaration && accepts(*function.declaration));
                      });
  }

  std::vector<KernelInfo*> kernelsNamed() {
    const std::string& shown = rejection_.shown;
    return kernelsFor(
        [&](const KernelInfo& kernel) {
          return names(shown, kernel.twinName()) || names(shown, kernel.bodyName()) ||
                 names(shown, kernel.record.persistentSymbol) ||
                 std::any_of(kernel.instanceRecords.begin(), kernel.instanceRecords.end(),
                             [&](const KernelRecord& instance) {
                               return names(shown, instance.persistentSymbol);
                             });
        },
        [&](const VirtualFunction& function) {
          return names(shown, function.typeName()) ||
                 (function.isMethod && !function.isConstructor &&
                  names(shown, function.methodName()));
        });
  }

  /// Kernels that are meant or need a function that is. Those that are refused already have lost
  /// theirs.
  std::vector<KernelInfo*> kernelsFor(const std::function<bool(const KernelInfo&)>& isMeant,
                                      const std::function<bool(const VirtualFunction&)>& isNeeded) {
    std::vector<KernelInfo*> found;
    for (KernelInfo& kernel : unit_.kernels)
      for (const KernelInfo* definition : kernel.definitions()) {
        if (definition->record.refusal)
          continue;
        std::set<const VirtualFunction*> seen;
        if (isMeant(*definition) || needs(definition->callees, definition->text, isNeeded, seen)) {
          found.push_back(&kernel);
          break;
        }
      }
    return found;
  }

  static bool needs(const std::vector<const VirtualFunction*>& callees, const KernelText& text,
                    const std::function<bool(const VirtualFunction&)>& isNeeded,
                    std::set<const VirtualFunction*>& seen) {
    const std::vector<const VirtualFunction*> all = calledBy(callees, text);
    return std::any_of(all.begin(), all.end(), [&](const VirtualFunction* function) {
      return seen.insert(function).second &&
             (isNeeded(*function) || needs(function->callees, function->text, isNeeded, seen));
    });
  }

  const Rejection& rejection_;
  FileInfo& unit_;
};

std::string describe(const Rejection& rejection) {
  if (rejection.places.empty())
    return rejection.message;
  const SourcePlace& place = rejection.places.front();
  return place.file + ":" + std::to_string(place.line) + ": " + rejection.message;
}

} // namespace

void refuseRejected(const std::vector<Rejection>& rejections, FileInfo& unit) {
  for (const Rejection& rejection : rejections)
    for (KernelInfo* kernel : Search(rejection, unit).run())
      if (!kernel->record.refusal)
        kernel->record.refusal =
            refuse(RefusalCode::RejectedByNvcc, describe(rejection), kernel->record.where);
}

} // namespace gpusched::passes
