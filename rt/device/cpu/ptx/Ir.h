// Ir.h - PTX after parsing: names resolved, text kept for messages.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parser knows PTX's grammar and nothing about opcodes: an instruction is its
// mnemonic, its dot-modifiers in order, and its operands. The engine's decoder
// gives them meaning, so an unknown form is reported with its own text and line.
//
//   PTX text -> Lexer -> Parser -> Module (this file) -> engine/Decode -> micro-ops
//
// A Module is immutable once parsed and may be read from any thread. All strings
// are owned by the Module.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched::ptx {

enum class Type : uint8_t {
  // clang-format off
  None, Pred,
  B8, B16, B32, B64, B128,
  U8, U16, U32, U64,
  S8, S16, S32, S64,
  F16, F16x2, BF16, BF16x2, F32, F64, TF32, E4M3, E5M2, E4M3x2, E5M2x2,
  TexRef, SamplerRef, SurfRef,
  // clang-format on
};

/// Bytes of one value of `type`; 0 for None, 1 for Pred.
unsigned sizeInBytes(Type type);

enum class Space : uint8_t { None, Reg, Generic, Global, Shared, Local, Const, Param };

/// How a module-scope name is seen by the other modules of a program (-rdc=true). Local names of
/// two modules are different things; of several Weak or Common definitions one is kept.
enum class Linkage : uint8_t { Local, Visible, Weak, Common };

/// One operand. `kind` says which of the other fields mean something.
struct Operand {
  enum class Kind : uint8_t {
    Register, // reg; negated when written !%p or -%r; component 'x','y','z','w' or 0; of a video
              // instruction '0'..'3' for .b0...b3, 'l' and 'h' for .h0 and .h1, and `name` for
              // what selects several parts: "b3210", "h10"
    Integer,  // bits: two's complement, sign-extended to 64
    Float32,  // bits: the IEEE single in the low 32 (0f........)
    Float64,  // bits: the IEEE double (0d................ or a decimal literal)
    Special,  // name without '%': "tid.x", "smid", "lanemask_lt", "clock64"
    Symbol,   // name (+ offset): a variable, function or parameter, not dereferenced
    Address,  // [base + offset]: elements[0] is Register, Symbol or Integer;
              // further elements are the rest of a bracketed list (texture coordinates)
    Label,    // target: instruction index in the function (always inside `body`)
    Vector,   // {a, b, ...} in elements
    Pair,     // a|b in elements (shfl, setp, match)
    Sink,     // _
    List,     // (a, b) of a call: its return or argument parameters, in elements
    Table,    // name of a .branchtargets / .callprototype; target: its index in the function
  };
  Kind kind = Kind::Sink;
  bool negated = false;
  char component = 0;
  uint32_t reg = 0;      // index into Function::registers
  uint32_t target = 0;   // Label, Table
  uint64_t bits = 0;     // Integer, Float32, Float64
  int64_t offset = 0;    // Symbol, Address
  int32_t variable = -1; // Symbol: index into Function::variables if local to the function, else -1
  std::string name;      // Special, Symbol, Table, Register
  std::vector<Operand> elements;
};

/// The declaration of a register of this name marks where a persistent kernel begins its next
/// logical block (rt/include/gpusched/device): of all PTX that makes no code it is what nvcc keeps
/// and ptxas is silent about. It becomes an instruction of that opcode.
inline constexpr std::string_view kLogicalBlockMarker = "gpusched_block";

struct Instruction {
  std::string opcode;                 // "ld", "fma", "call", "bra"
  std::vector<std::string> modifiers; // "global","nc","v4","f32": without dots, in order
  std::vector<Operand> operands;      // destination first, as written
  int32_t predicate = -1;             // guard register, or -1
  bool predicateNegated = false;      // @!%p
  uint32_t line = 0;                  // 1-based line in the PTX text
  uint32_t sourceFile = 0;            // number in Module::files, of the .loc before it
  uint32_t sourceLine = 0;            // of that .loc; 0 = none (compiled without -lineinfo)
  std::string text;                   // as written, whitespace folded; for messages
};

struct Register {
  std::string name; // "%r1"
  Type type = Type::None;
};

/// A .global/.const/.shared/.local/.param variable.
struct Variable {
  std::string name;
  Space space = Space::None;
  Type type = Type::B8; // element type
  uint64_t align = 1;   // bytes
  uint64_t bytes = 0;   // 0 for an unsized extern array (dynamic shared memory)
  bool isExtern = false;
  Linkage linkage = Linkage::Local; // module scope only
  /// Initial bytes, zero-extended to `bytes` by the loader.
  std::vector<uint8_t> init;
  /// At init[offset], size bytes: the address of `symbol` + addend. `generic` asks for
  /// the generic address. `mask` of PTX's mask() forms is not supported: parse error.
  struct Relocation {
    uint64_t offset = 0;
    unsigned size = 8;
    std::string symbol;
    int64_t addend = 0;
    bool generic = false;
  };
  std::vector<Relocation> relocations;
};

struct BranchTable {
  std::string name;
  std::vector<uint32_t> targets; // instruction indices
};

/// A .callprototype: sizes are enough to move arguments.
struct Prototype {
  std::string name;
  std::vector<Variable> results;
  std::vector<Variable> parameters;
};

/// An .entry (kernel) or a .func (device function).
struct Function {
  std::string name;
  bool isEntry = false;
  bool isExtern = false; // declared only: vprintf, malloc, another object's function
  Linkage linkage = Linkage::Local;
  std::vector<Variable> parameters; // in order; for an entry laid out at `offsets`
  std::vector<uint64_t> parameterOffsets;
  uint64_t parameterBytes = 0;
  std::vector<Variable> results;   // of a .func
  std::vector<Register> registers; // those the body mentions; scopes flattened, indices unique
  std::vector<Variable> variables; // .local, .shared, and call-site .param, scopes flattened
  std::vector<BranchTable> branchTables;
  std::vector<Prototype> prototypes;
  std::vector<Instruction> body;        // never falls off its end: a missing last `ret` is added
  std::array<uint32_t, 3> maxThreads{}; // .maxntid, 0 = not given
  std::array<uint32_t, 3> requiredThreads{}; // .reqntid, 0 = not given
  uint32_t minBlocksPerSm = 0;               // .minnctapersm
  uint32_t maxRegisters = 0;                 // .maxnreg, 0 = not given
  std::array<uint32_t, 3> clusterBlocks{};   // .reqnctapercluster, 0 = not given
  uint32_t line = 0;
};

struct Module {
  unsigned versionMajor = 0, versionMinor = 0; // .version
  std::string target;                          // "sm_90"
  unsigned addressBits = 64;
  std::vector<Variable> variables; // module scope
  std::vector<Function> functions;
  std::map<uint32_t, std::string> files; // .file: source files by number
};

} // namespace gpusched::ptx
