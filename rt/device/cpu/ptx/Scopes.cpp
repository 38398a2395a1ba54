// Scopes - the names of one function body, with shadowing and forward references.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A label that two inline-assembly blocks both define is two labels: a reference binds to the
// innermost scope around it that defines the name, wherever in that scope the definition is.
// Cost: a look-up per open scope; the number of open scopes is limited.
#include "rt/device/cpu/ptx/Scopes.h"

#include <iterator>

namespace gpusched::ptx {

namespace {

constexpr std::size_t kMaximumDepth = 128;
constexpr uint64_t kMaximumRegisters = 1 << 24;

/// "%r12" -> prefix "%r", number 12. Nothing when there is no number, or one like "012".
bool splitNumber(std::string_view name, std::string_view& prefix, uint64_t& number) {
  std::size_t first = name.size();
  while (first > 0 && name[first - 1] >= '0' && name[first - 1] <= '9')
    --first;
  const std::string_view digits = name.substr(first);
  if (digits.empty() || digits.size() > 9 || (digits.size() > 1 && digits[0] == '0'))
    return false;
  prefix = name.substr(0, first);
  number = 0;
  for (char digit : digits)
    number = number * 10 + (digit - '0');
  return true;
}

} // namespace

Scopes::Scopes(Function& function, TokenStream& tokens) : function_(function), tokens_(tokens) {
  scopes_.emplace_back();
}

void Scopes::open() {
  if (scopes_.size() >= kMaximumDepth)
    return tokens_.failHere("blocks nested too deeply");
  scopes_.emplace_back();
}

void Scopes::close() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  std::vector<Pending>& outer = scopes_.empty() ? unresolved_ : scopes_.back().pending;
  for (Pending& pending : scope.pending)
    if (!resolve(scope, pending))
      outer.push_back(std::move(pending));
}

bool Scopes::resolve(const Scope& scope, const Pending& pending) {
  const auto found = scope.targets.find(pending.name());
  if (found == scope.targets.end())
    return false;
  const Target& target = found->second;
  if (!pending.operand) {
    if (target.isTable)
      return false;
    function_.branchTables[pending.table].targets[pending.entry] = target.index;
    return true;
  }
  pending.operand->kind = target.isTable ? Operand::Kind::Table : Operand::Kind::Label;
  pending.operand->target = target.index;
  if (target.isTable)
    pending.operand->name = target.uniqueName;
  return true;
}

void Scopes::checkNew(std::string_view name) {
  const Scope& scope = scopes_.back();
  if (scope.registers.contains(name) || scope.variables.contains(name) ||
      scope.targets.contains(name))
    tokens_.failHere(inQuotes(name) + " is declared twice");
}

uint32_t Scopes::addRegister(Scope& scope, std::string_view name, Type type) {
  const uint32_t index = uint32_t(function_.registers.size());
  function_.registers.push_back({std::string(name), type});
  scope.registers.emplace(name, index);
  return index;
}

void Scopes::declareRegister(const std::string& name, Type type) {
  checkNew(name);
  addRegister(scopes_.back(), name, type);
}

void Scopes::declareRegisters(const std::string& prefix, uint64_t count, Type type) {
  if (count > kMaximumRegisters)
    return tokens_.failHere("more than " + std::to_string(kMaximumRegisters) + " registers " +
                            inQuotes(prefix) + " declared");
  if (!scopes_.back().ranges.emplace(prefix, Range{count, type}).second)
    tokens_.failHere("registers " + inQuotes(prefix) + " are declared twice");
}

void Scopes::declareVariable(Variable variable) {
  checkNew(variable.name);
  scopes_.back().variables.emplace(variable.name, int32_t(function_.variables.size()));
  function_.variables.push_back(std::move(variable));
}

void Scopes::defineLabel(const std::string& name) {
  checkNew(name);
  scopes_.back().targets.emplace(name, Target{uint32_t(function_.body.size()), false, {}});
}

void Scopes::defineTable(const std::string& name, std::string uniqueName, uint32_t index) {
  checkNew(name);
  scopes_.back().targets.emplace(name, Target{index, true, std::move(uniqueName)});
}

std::optional<uint32_t> Scopes::findRegister(Scope& scope, std::string_view name) {
  if (const auto found = scope.registers.find(name); found != scope.registers.end())
    return found->second;
  std::string_view prefix;
  uint64_t number = 0;
  if (scope.ranges.empty() || !splitNumber(name, prefix, number))
    return std::nullopt;
  const auto range = scope.ranges.find(prefix);
  if (range == scope.ranges.end() || number >= range->second.count)
    return std::nullopt;
  return addRegister(scope, name, range->second.type);
}

std::optional<uint32_t> Scopes::findRegister(std::string_view name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const std::optional<uint32_t> found = findRegister(*scope, name))
      return found;
  return std::nullopt;
}

int32_t Scopes::findVariable(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->variables.find(name); found != scope->variables.end())
      return found->second;
  return -1;
}

void Scopes::addPending(Operand& operand, uint32_t line) {
  if (operand.kind == Operand::Kind::Symbol && operand.variable < 0)
    scopes_.back().pending.push_back({&operand, {}, 0, 0, line});
  for (Operand& element : operand.elements)
    addPending(element, line);
}

void Scopes::addPending(const std::string& label, uint32_t table, uint32_t entry, uint32_t line) {
  scopes_.back().pending.push_back({nullptr, label, table, entry, line});
}

} // namespace gpusched::ptx
