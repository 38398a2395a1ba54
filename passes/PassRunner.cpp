// PassRunner.cpp - PassList.def as a table, and the closure over what passes need.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass needs at most one other, which stands earlier in the table, so one backward walk closes
// the selection.
#include "passes/PassRunner.h"

#include <algorithm>
#include <string_view>

namespace gpusched::passes {
namespace {

struct Entry {
  std::string_view flag;
  KernelPass onKernels;
  FunctionPass onFunctions;
  LaunchPass onLaunches;
  std::string_view needs;
};

constexpr Entry kPasses[] = {
#define GPUSCHED_KERNEL_PASS(file, flag, function, needs, help)                                    \
  {flag, function, nullptr, nullptr, needs},
#define GPUSCHED_FUNCTION_PASS(file, flag, function, needs, help)                                  \
  {flag, nullptr, function, nullptr, needs},
#define GPUSCHED_LAUNCH_PASS(file, flag, function, needs, help)                                    \
  {flag, nullptr, nullptr, function, needs},
#include "passes/PassList.def"
#undef GPUSCHED_LAUNCH_PASS
#undef GPUSCHED_KERNEL_PASS
#undef GPUSCHED_FUNCTION_PASS
};

std::vector<bool> select(const std::vector<std::string>& names) {
  const std::size_t count = std::size(kPasses);
  std::vector<bool> selected(count, names.empty());
  for (std::size_t index = count; index-- > 0;) {
    if (std::find(names.begin(), names.end(), kPasses[index].flag) != names.end())
      selected[index] = true;
    for (std::size_t earlier = 0; selected[index] && earlier < index; ++earlier)
      if (kPasses[earlier].flag == kPasses[index].needs)
        selected[earlier] = true;
  }
  return selected;
}

} // namespace

const std::vector<PassDescription>& passDescriptions() {
  static const std::vector<PassDescription> descriptions = {
#define GPUSCHED_KERNEL_PASS(file, flag, function, needs, help) {flag, help},
#define GPUSCHED_FUNCTION_PASS(file, flag, function, needs, help) {flag, help},
#define GPUSCHED_LAUNCH_PASS(file, flag, function, needs, help) {flag, help},
#include "passes/PassList.def"
#undef GPUSCHED_LAUNCH_PASS
#undef GPUSCHED_KERNEL_PASS
#undef GPUSCHED_FUNCTION_PASS
  };
  return descriptions;
}

std::vector<EditSet> runPasses(const TransformRequest& request, const FileInfo& unit) {
  const std::vector<bool> selected = select(request.passes);
  std::vector<EditSet> edits(unit.files.size());
  EditSet endOfUnit;
  const auto add = [&](std::size_t file, const EditSet& found) {
    edits[file].append(found);
    endOfUnit.addToEndOfUnit(found.endOfUnit());
  };
  const auto textOf = [&](const KernelText& text) -> const SourceFile& {
    return text.seenAs ? *text.seenAs : *unit.files[text.file];
  };
  for (std::size_t index = 0; index < selected.size(); ++index) {
    const Entry& pass = kPasses[index];
    if (selected[index] && pass.onFunctions)
      for (const std::unique_ptr<VirtualFunction>& function : unit.functions) {
        const auto run = [&](const KernelText& text, FunctionPart part) {
          add(text.file, pass.onFunctions({textOf(text), *function, text, part}));
        };
        if (!function->isDeclaredOnly)
          run(function->text, FunctionPart::Definition);
        if (function->declaration)
          run(*function->declaration, FunctionPart::Declaration);
        for (const std::unique_ptr<KernelText>& text : function->specialisations)
          run(*text, FunctionPart::Specialisation);
        for (const KernelText& text : function->friends)
          run(text, FunctionPart::Friend);
      }
    if (selected[index] && pass.onKernels)
      for (const KernelInfo& kernel : unit.kernels)
        if (!kernel.record.refusal)
          for (const KernelInfo* definition : kernel.definitions())
            add(definition->text.file, pass.onKernels({textOf(definition->text), *definition,
                                                       request.isModule && !request.relocatable}));
    if (selected[index] && pass.onLaunches && !request.isModule)
      for (const LaunchPair& pair : unit.launchPairs)
        add(0, pass.onLaunches({*unit.files[0], pair, unit.kernels}));
  }
  if (!endOfUnit.endOfUnit().empty())
    edits[0].insert(unit.files[0]->text.size(), endOfUnit.endOfUnit());
  return edits;
}

} // namespace gpusched::passes
