// Scopes.h - the names of one function body, with shadowing and forward references.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX blocks { } open a scope for registers, variables and labels; inline assembly and call
// sequences use them all the time. Registers and variables are declared before use. Labels may
// be used first, so every name that is not yet known stays pending until its scope closes,
// then moves outwards.
//
// `.reg .b32 %r<1000000>` declares names without using them: a register gets its index when it
// is first mentioned, so a function holds only what its text uses.
#pragma once

#include "rt/device/cpu/ptx/Ir.h"
#include "rt/device/cpu/ptx/TokenStream.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpusched::ptx {

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const {
    return std::hash<std::string_view>()(name);
  }
};

template <class T> using NameMap = std::unordered_map<std::string, T, NameHash, std::equal_to<>>;

class Scopes {
public:
  Scopes(Function& function, TokenStream& tokens);

  void open();
  /// Resolves what this scope can and hands the rest to the scope around it.
  void close();
  std::size_t depth() const { return scopes_.size(); }

  void declareRegister(const std::string& name, Type type);
  /// `prefix<count>`: prefix0 ... prefix(count-1).
  void declareRegisters(const std::string& prefix, uint64_t count, Type type);
  void declareVariable(Variable variable);
  void defineLabel(const std::string& name);
  /// `index` into the function's branchTables or prototypes; the name is made unique.
  void defineTable(const std::string& name, std::string uniqueName, uint32_t index);

  std::optional<uint32_t> findRegister(std::string_view name);
  /// Index into Function::variables, or -1.
  int32_t findVariable(std::string_view name) const;

  /// Registers the operand's symbols that may turn out to be labels or tables. The operand
  /// must not move afterwards.
  void addPending(Operand& operand, uint32_t line);
  /// A branch table's entry, to be filled when the label is known.
  void addPending(const std::string& label, uint32_t table, uint32_t entry, uint32_t line);

  /// A name that was never defined in the function: a module's symbol, or an error.
  struct Pending {
    Operand* operand = nullptr; // null for a branch table's entry
    std::string label;          // of the entry
    uint32_t table = 0, entry = 0;
    uint32_t line = 0;
    std::string_view name() const { return operand ? operand->name : label; }
  };
  /// After the last close().
  const std::vector<Pending>& unresolved() const { return unresolved_; }

private:
  struct Range {
    uint64_t count = 0;
    Type type = Type::None;
  };
  struct Target {
    uint32_t index = 0;
    bool isTable = false;
    std::string uniqueName;
  };
  struct Scope {
    NameMap<uint32_t> registers;
    NameMap<Range> ranges;
    NameMap<int32_t> variables;
    NameMap<Target> targets;
    std::vector<Pending> pending;
  };

  std::optional<uint32_t> findRegister(Scope& scope, std::string_view name);
  uint32_t addRegister(Scope& scope, std::string_view name, Type type);
  bool resolve(const Scope& scope, const Pending& pending);
  void checkNew(std::string_view name);

  Function& function_;
  TokenStream& tokens_;
  std::vector<Scope> scopes_;
  std::vector<Pending> unresolved_;
};

} // namespace gpusched::ptx
