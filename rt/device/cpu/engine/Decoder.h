// Decoder.h - PTX instructions of one function to micro-ops.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   ptx::Function -> live ranges -> frame layout -> per instruction: the group that knows the
//   opcode emits micro-ops -> branch distances patched
//
// A group (Decode*.cpp) reads the instruction through this class and calls emit(). An instruction
// no group can decode, or with a modifier that none asked for (ModifierRules.h), becomes a micro-op
// that ends the launch with a message if reached.
#pragma once

#include "rt/device/cpu/engine/FrameLayout.h"
#include "rt/device/cpu/engine/Isa.h"
#include "rt/device/cpu/engine/Program.h"

#include <map>
#include <optional>
#include <string_view>

namespace gpusched::cpu {

/// What a name means in a function.
struct SymbolMeaning {
  enum class Kind : uint8_t { Unknown, Host, Shared, Local, KernelParameter, Function } kind;
  uint64_t value = 0; // host address, shared symbol, local offset, parameter offset, function index
};

class Decoder {
public:
  Decoder(LoadedModule& module, DecodedFunction& out,
          const std::map<std::string, uint32_t>& shared);
  void run();

  // The instruction being decoded.
  const ptx::Instruction& instruction() const { return *instruction_; }
  std::string_view opcode() const { return instruction_->opcode; }
  bool has(std::string_view modifier) const;
  /// The index-th modifier that names a type; None if there are fewer.
  ptx::Type type(unsigned index = 0) const;
  ptx::Space space() const;
  size_t operandCount() const { return instruction_->operands.size(); }
  const ptx::Operand& operand(size_t index) const;
  const ptx::Function& function() const { return *out_.source; }

  // Slots. A register of another width than `type` is resized into a scratch slot.
  uint32_t source(const ptx::Operand& operand, ptx::Type type);
  uint32_t destination(const ptx::Operand& operand, ptx::Type type);
  /// A predicate mask; `negated` tells of !%p.
  uint32_t predicate(const ptx::Operand& operand, bool& negated);
  uint32_t predicateDestination(const ptx::Operand& operand);
  uint32_t constant(uint64_t bits, unsigned bytes);
  uint32_t special(SpecialKind kind, unsigned bytes, uint32_t symbol = 0);
  uint32_t scratch(unsigned bytes);
  SymbolMeaning meaning(const ptx::Operand& symbol) const;
  ptx::Type registerType(const ptx::Operand& operand) const;

  struct Address {
    uint32_t slot = 0;
    int64_t offset = 0;
    AddressKind kind = AddressKind::Host;
    bool ok = false;
  };
  Address address(const ptx::Operand& operand, ptx::Space space);
  /// A shared::cluster address as a host address; any other as it is.
  Address inCluster(Address given);

  /// Appends a micro-op with this instruction's guard. Null handler: unsupported. The reference is
  /// good until the next.
  MicroOp& emit(Handler handler, OpClass opClass, unsigned flops = 0);
  /// The instruction is none that the engine can execute.
  void refuse() { refused_ = true; }
  /// Appends a result slot and sources of one type each, in order.
  MicroOp* emitSimple(Handler handler, OpClass opClass, ptx::Type result,
                      std::initializer_list<ptx::Type> sources, unsigned flops = 0);
  /// Resizes results that went to scratch; called after a group has emitted.
  void flushResults();

  LoadedModule& module() { return module_; }
  DecodedFunction& out() { return out_; }
  const Isa& isa() const { return isa_; }
  uint64_t reserveLocal(uint64_t bytes, uint64_t align);
  std::optional<ParameterPlace> place(const ptx::Operand& symbol) const;
  /// The branch's distance is filled in when the whole function is decoded.
  void branchTo(MicroOp& op, uint32_t instruction) {
    (void)op, branches_.push_back({module_.code.size() - 1, instruction});
  }
  /// The micro-op emitted last writes global or generic memory, or is an atomic.
  void endsOpening() {
    module_.openingEnds.push_back(static_cast<uint32_t>(module_.code.size() - 1));
  }
  /// What the micro-op emitted last does to memory; its lanes' addresses are in slot 7.
  void note(Access access) {
    access.op = static_cast<uint32_t>(module_.code.size() - 1);
    module_.accesses.push_back(access);
  }
  uint32_t branchTable(const std::string& name);

private:
  struct Branch {
    size_t op;
    uint32_t instruction;
  };
  struct Resized {
    uint32_t from, to;
    unsigned fromBytes, toBytes;
    bool isSigned;
  };
  void layOutLocals();
  void decode(uint32_t index);
  void patch();
  bool startsBlock(uint32_t index) const;
  void emitEntry();
  void findTargets();
  uint32_t endOfBlock(uint32_t entry) const;
  void finishBlocks();
  CompiledBlock& addBlock(uint32_t first, uint32_t count, uint32_t finalFirst);
  bool allModifiersRead() const;
  bool guardIsPredicate() const;
  uint32_t predicateSlot(uint32_t reg);
  uint32_t symbolValue(const ptx::Operand& operand, unsigned bytes);
  void refuseUnlessWhole(const ptx::Operand& operand);
  uint32_t addOffset(uint32_t slot, int64_t offset, unsigned bytes);

  LoadedModule& module_;
  DecodedFunction& out_;
  const Isa& isa_;
  const ptx::Instruction* instruction_ = nullptr;
  mutable uint64_t readModifiers_ = 0; // of the instruction, by position
  bool refused_ = false;               // the instruction
  uint32_t index_ = 0;
  std::vector<LiveRange> ranges_;
  FrameLayout layout_;
  std::map<std::pair<uint64_t, unsigned>, uint32_t> constants_;
  std::vector<uint64_t> variablePlace_;     // local offset or shared symbol of each variable
  std::map<std::string, uint64_t> formals_; // formal parameters and results: local offsets
  const std::map<std::string, uint32_t>& moduleShared_;
  std::vector<uint32_t> firstOpOf_; // by instruction
  std::vector<bool> targets_;       // of branches, by instruction; only where blocks are compiled
  std::vector<Branch> branches_;
  std::vector<std::pair<uint32_t, uint32_t>> tables_; // function's table -> module's
  std::vector<Resized> results_;
  uint32_t nextOffset_ = 0, nextScratch_ = 0;
  std::vector<uint32_t> scratch_;
};

/// The one that a modifier names.
std::optional<Comparison> comparisonOf(const Decoder& decoder);

// The groups: true if the opcode was theirs and has been emitted.
bool decodeSimd(Decoder& decoder);
bool decodeVideo(Decoder& decoder);
bool decodeInteger(Decoder& decoder);
bool decodeFloat(Decoder& decoder);
bool decodeCompare(Decoder& decoder);
bool decodeConversion(Decoder& decoder);
bool decodeMove(Decoder& decoder);
bool decodeMemory(Decoder& decoder);
bool decodeAsync(Decoder& decoder);
bool decodeAtomic(Decoder& decoder);
bool decodeControl(Decoder& decoder);
bool decodeCall(Decoder& decoder);
bool decodeCluster(Decoder& decoder);
bool decodeBarrier(Decoder& decoder);
bool decodeWarp(Decoder& decoder);
bool decodeTensor(Decoder& decoder);
bool decodeImage(Decoder& decoder);

} // namespace gpusched::cpu
