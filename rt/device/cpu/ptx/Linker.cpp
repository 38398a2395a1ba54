// Linker - several PTX modules into one, as a device linker does for -rdc=true.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two passes. The first decides, for every module-scope name of every module, which definition
// stands for it: Visible before Weak or Common, of those the first (of Common the largest). The
// second copies what was chosen and renames collided local names where they are used. A name is
// one of the module only if the function has no parameter of that name.
#include "rt/device/cpu/ptx/Linker.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace gpusched::ptx {

namespace {

/// File numbers of the modules must stay apart.
constexpr unsigned kFileBits = 16;

using Renames = std::unordered_map<std::string, std::string>;

/// Whether `candidate` should stand for the name instead of `current`; both have the same name.
template <class Symbol> bool isBetter(const Symbol& candidate, const Symbol& current) {
  if (candidate.isExtern || !current.isExtern)
    return !candidate.isExtern && candidate.linkage == Linkage::Visible &&
           current.linkage != Linkage::Visible;
  return true;
}

template <class Symbol> bool clash(const Symbol& a, const Symbol& b) {
  return !a.isExtern && !b.isExtern && a.linkage == Linkage::Visible &&
         b.linkage == Linkage::Visible;
}

Status duplicate(const char* what, const std::string& name) {
  return Status::error(std::string(what) + " '" + name +
                       "' is defined in two source files of the program's device code");
}

void rename(std::string& name, const Renames& renames) {
  if (const auto found = renames.find(name); found != renames.end())
    name = found->second;
}

class Linker {
public:
  Status add(const Module& module);
  std::shared_ptr<const Module> finish() { return std::move(linked_); }

private:
  Renames renameLocals(const Module& module);
  Status add(Variable variable);
  Status add(Function function);
  void apply(const Renames& renames, Function& function) const;
  void apply(const Renames& renames, Operand& operand,
             const std::unordered_set<std::string>& parameters) const;

  std::shared_ptr<Module> linked_ = std::make_shared<Module>();
  std::unordered_map<std::string, std::size_t> variables_, functions_;
  std::unordered_set<std::string> taken_;
  unsigned count_ = 0;
};

/// Every local name gets a new one if an earlier module, or a global name of this one, has it.
Renames Linker::renameLocals(const Module& module) {
  Renames renames;
  const auto visit = [&](const auto& symbol) {
    if (symbol.linkage != Linkage::Local || symbol.isExtern || !taken_.contains(symbol.name))
      return;
    std::string fresh = symbol.name + "$" + std::to_string(count_);
    while (taken_.contains(fresh))
      fresh += "$";
    renames.emplace(symbol.name, fresh);
  };
  std::for_each(module.variables.begin(), module.variables.end(), visit);
  for (const Function& function : module.functions)
    if (!function.isEntry) // the host launches kernels by name
      visit(function);
  return renames;
}

void Linker::apply(const Renames& renames, Operand& operand,
                   const std::unordered_set<std::string>& parameters) const {
  if (operand.kind == Operand::Kind::Symbol && operand.variable < 0 &&
      !parameters.contains(operand.name))
    rename(operand.name, renames);
  for (Operand& element : operand.elements)
    apply(renames, element, parameters);
}

void Linker::apply(const Renames& renames, Function& function) const {
  if (renames.empty())
    return;
  if (!function.isEntry)
    rename(function.name, renames);
  std::unordered_set<std::string> parameters;
  for (const Variable& parameter : function.parameters)
    parameters.insert(parameter.name);
  for (const Variable& result : function.results)
    parameters.insert(result.name);
  for (Instruction& instruction : function.body)
    for (Operand& operand : instruction.operands)
      apply(renames, operand, parameters);
}

Status Linker::add(const Module& module) {
  ++count_;
  if (std::pair(module.versionMajor, module.versionMinor) >
      std::pair(linked_->versionMajor, linked_->versionMinor)) {
    linked_->versionMajor = module.versionMajor;
    linked_->versionMinor = module.versionMinor;
  }
  linked_->addressBits = module.addressBits;
  if (linked_->target.empty())
    linked_->target = module.target;

  const Renames renames = renameLocals(module);
  for (Variable variable : module.variables) {
    rename(variable.name, renames);
    for (Variable::Relocation& relocation : variable.relocations)
      rename(relocation.symbol, renames);
    if (Status status = add(std::move(variable)); !status)
      return status;
  }
  const uint32_t firstFile = count_ << kFileBits;
  for (const auto& [number, name] : module.files)
    linked_->files[firstFile + number] = name;
  for (Function function : module.functions) {
    apply(renames, function);
    for (Instruction& instruction : function.body)
      instruction.sourceFile += firstFile;
    if (Status status = add(std::move(function)); !status)
      return status;
  }
  return Status();
}

Status Linker::add(Variable variable) {
  taken_.insert(variable.name);
  const auto [found, isNew] = variables_.emplace(variable.name, linked_->variables.size());
  if (isNew) {
    linked_->variables.push_back(std::move(variable));
    return Status();
  }
  Variable& known = linked_->variables[found->second];
  if (clash(variable, known))
    return duplicate("variable", variable.name);
  const uint64_t align = std::max(known.align, variable.align);
  const bool larger = variable.linkage == Linkage::Common && known.linkage == Linkage::Common &&
                      variable.bytes > known.bytes;
  if (larger || isBetter(variable, known))
    known = std::move(variable);
  known.align = align;
  return Status();
}

Status Linker::add(Function function) {
  taken_.insert(function.name);
  const auto [found, isNew] = functions_.emplace(function.name, linked_->functions.size());
  if (isNew) {
    linked_->functions.push_back(std::move(function));
    return Status();
  }
  Function& known = linked_->functions[found->second];
  if (clash(function, known))
    return duplicate("function", function.name);
  if (isBetter(function, known))
    known = std::move(function);
  return Status();
}

} // namespace

Result<std::shared_ptr<const Module>>
link(const std::vector<std::shared_ptr<const Module>>& modules) {
  if (modules.size() == 1)
    return modules.front();
  Linker linker;
  for (const std::shared_ptr<const Module>& module : modules)
    if (Status status = linker.add(*module); !status)
      return status;
  return linker.finish();
}

} // namespace gpusched::ptx
