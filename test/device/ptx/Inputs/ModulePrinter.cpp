// ModulePrinter - reads PTX files, links them, prints the module as PTX again.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strongest check of the parser there is without a GPU: ptxas must make the same machine
// code from what is printed here as from the original (round-trip.cu). Names of registers,
// local variables and labels are made from indices, so a wrong scope or a wrong target shows.
#include "rt/device/cpu/ptx/Linker.h"
#include "rt/device/cpu/ptx/Parser.h"
#include "rt/device/cpu/ptx/TypeNames.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>

using namespace gpusched;
using namespace gpusched::ptx;

namespace {

std::string_view spaceName(Space space) {
  switch (space) {
  case Space::Global:
    return ".global";
  case Space::Shared:
    return ".shared";
  case Space::Local:
    return ".local";
  case Space::Const:
    return ".const";
  case Space::Param:
    return ".param";
  default:
    return ".reg";
  }
}

/// The parts one after the other, as a stream writes them.
template <class... Parts> std::string join(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

template <class Symbol> const char* linkageText(const Symbol& symbol) {
  if (symbol.isExtern)
    return ".extern ";
  switch (symbol.linkage) {
  case Linkage::Visible:
    return ".visible ";
  case Linkage::Weak:
    return ".weak ";
  case Linkage::Common:
    return ".common ";
  case Linkage::Local:
    return "";
  }
  return "";
}

/// Space, alignment, type, name and size of a declaration.
std::string declaration(const Variable& variable, const std::string& name) {
  std::string text(spaceName(variable.space));
  if (variable.space != Space::Reg)
    text += join(" .align ", variable.align);
  text += join(" .", typeName(variable.type), " ", name);
  const unsigned size = sizeInBytes(variable.type);
  if (variable.bytes == 0)
    text += "[]";
  else if (variable.bytes != size)
    text += join("[", variable.bytes / size, "]");
  return text;
}

std::string number(uint64_t bits, int digits, const char* prefix) {
  char text[32];
  std::snprintf(text, sizeof(text), "%s%0*llX", prefix, digits, (unsigned long long)bits);
  return text;
}

std::string relocationText(const Variable::Relocation& relocation) {
  std::string text = relocation.generic ? "generic(" + relocation.symbol + ")" : relocation.symbol;
  return relocation.addend ? text + "+" + std::to_string(relocation.addend) : text;
}

/// Initial values, one of the element type at a time; packed addresses as masked bytes.
void printInitializer(const Variable& variable) {
  const unsigned size = sizeInBytes(variable.type);
  const bool scalar = variable.bytes == size;
  std::cout << (scalar ? " = " : " = {");
  std::size_t relocation = 0;
  for (uint64_t at = 0; at < variable.init.size(); at += size) {
    std::cout << (at ? ", " : "");
    while (relocation < variable.relocations.size() &&
           variable.relocations[relocation].offset + variable.relocations[relocation].size <= at)
      ++relocation;
    if (relocation < variable.relocations.size() && variable.relocations[relocation].offset <= at) {
      const Variable::Relocation& address = variable.relocations[relocation];
      const uint64_t byte = at - address.offset;
      if (size == address.size)
        std::cout << relocationText(address);
      else
        std::cout << (uint64_t(0xff) << (8 * byte)) << "(" << relocationText(address) << ")";
      continue;
    }
    uint64_t bits = 0;
    for (unsigned i = 0; i < size && at + i < variable.init.size(); ++i)
      bits |= uint64_t(variable.init[at + i]) << (8 * i);
    if (variable.type == Type::F32 || variable.type == Type::F64)
      std::cout << number(bits, int(2 * size), size == 4 ? "0f" : "0d");
    else
      std::cout << bits;
  }
  std::cout << (scalar ? "" : "}");
}

class FunctionPrinter {
public:
  explicit FunctionPrinter(const Function& function) : function_(function) {}
  void printHeader() const;
  void printBody();

private:
  std::string local(int32_t variable) const { return "local_" + std::to_string(variable); }
  std::string label(uint32_t target) const { return "L_" + std::to_string(target); }
  std::string registerText(const Operand& operand) const;
  std::string text(const Operand& operand) const;
  std::string list(const std::vector<Operand>& operands, std::size_t first) const;
  void collectTargets(const Operand& operand);
  void printTables() const;
  void print(const Instruction& instruction) const;

  const Function& function_;
  std::set<uint32_t> targets_;
};

std::string parameterList(const std::vector<Variable>& parameters, bool named) {
  std::string text = "(";
  for (const Variable& parameter : parameters)
    text += (text.size() > 1 ? ", " : "") + declaration(parameter, named ? parameter.name : "_");
  return text + ")";
}

void FunctionPrinter::printHeader() const {
  std::cout << linkageText(function_) << (function_.isEntry ? ".entry " : ".func ");
  if (!function_.results.empty())
    std::cout << parameterList(function_.results, true) << " ";
  std::cout << function_.name << parameterList(function_.parameters, true);
}

std::string FunctionPrinter::list(const std::vector<Operand>& operands, std::size_t first) const {
  std::string joined;
  for (std::size_t i = first; i < operands.size(); ++i)
    joined += (i > first ? ", " : "") + text(operands[i]);
  return joined;
}

std::string FunctionPrinter::registerText(const Operand& operand) const {
  const std::string name = join(operand.negated ? "!%v" : "%v", operand.reg);
  if (operand.component >= '0' && operand.component <= '3')
    return join(name, ".b", operand.component);
  if (operand.component == 'l' || operand.component == 'h')
    return join(name, operand.component == 'l' ? ".h0" : ".h1");
  return operand.component ? join(name, ".", operand.component) : name;
}

std::string FunctionPrinter::text(const Operand& operand) const {
  const std::string offset = operand.offset ? join("+", operand.offset) : "";
  switch (operand.kind) {
  case Operand::Kind::Register:
    return registerText(operand);
  case Operand::Kind::Integer:
    return join(int64_t(operand.bits));
  case Operand::Kind::Float32:
    return number(operand.bits, 8, "0f");
  case Operand::Kind::Float64:
    return number(operand.bits, 16, "0d");
  case Operand::Kind::Special:
    return join("%", operand.name);
  case Operand::Kind::Symbol:
    return join(operand.variable < 0 ? operand.name : local(operand.variable), offset);
  case Operand::Kind::Address:
    return join("[", text(operand.elements[0]), offset, operand.elements.size() > 1 ? ", " : "",
                list(operand.elements, 1), "]");
  case Operand::Kind::Label:
    return label(operand.target);
  case Operand::Kind::Vector:
    return join("{", list(operand.elements, 0), "}");
  case Operand::Kind::Pair:
    return join(text(operand.elements[0]), "|", text(operand.elements[1]));
  case Operand::Kind::Sink:
    return "_";
  case Operand::Kind::List:
    return join("(", list(operand.elements, 0), ")");
  case Operand::Kind::Table:
    return operand.name;
  }
  return "?";
}

void FunctionPrinter::collectTargets(const Operand& operand) {
  if (operand.kind == Operand::Kind::Label)
    targets_.insert(operand.target);
  for (const Operand& element : operand.elements)
    collectTargets(element);
}

void FunctionPrinter::printTables() const {
  for (const BranchTable& table : function_.branchTables) {
    std::cout << table.name << ": .branchtargets ";
    for (std::size_t i = 0; i < table.targets.size(); ++i)
      std::cout << (i ? ", " : "") << label(table.targets[i]);
    std::cout << ";\n";
  }
  for (const Prototype& prototype : function_.prototypes)
    std::cout << prototype.name << ": .callprototype " << parameterList(prototype.results, false)
              << " _ " << parameterList(prototype.parameters, false) << ";\n";
}

void FunctionPrinter::print(const Instruction& instruction) const {
  std::cout << "  ";
  if (instruction.predicate >= 0)
    std::cout << (instruction.predicateNegated ? "@!%v" : "@%v") << instruction.predicate << " ";
  std::cout << instruction.opcode;
  for (const std::string& modifier : instruction.modifiers)
    std::cout << "." << modifier;
  std::cout << " " << list(instruction.operands, 0) << ";\n";
}

void printTriple(const char* name, const std::array<uint32_t, 3>& triple) {
  if (triple[0])
    std::cout << " ." << name << " " << triple[0] << ", " << triple[1] << ", " << triple[2];
}

void FunctionPrinter::printBody() {
  printHeader();
  printTriple("maxntid", function_.maxThreads);
  printTriple("reqntid", function_.requiredThreads);
  if (function_.clusterBlocks[0])
    std::cout << " .explicitcluster";
  printTriple("reqnctapercluster", function_.clusterBlocks);
  if (function_.minBlocksPerSm)
    std::cout << " .minnctapersm " << function_.minBlocksPerSm;
  if (function_.maxRegisters)
    std::cout << " .maxnreg " << function_.maxRegisters;
  std::cout << "\n{\n";
  for (std::size_t i = 0; i < function_.registers.size(); ++i)
    std::cout << ".reg ." << typeName(function_.registers[i].type) << " %v" << i << ";\n";
  for (std::size_t i = 0; i < function_.variables.size(); ++i)
    std::cout << declaration(function_.variables[i], local(int32_t(i))) << ";\n";
  for (const Instruction& instruction : function_.body)
    for (const Operand& operand : instruction.operands)
      collectTargets(operand);
  for (const BranchTable& table : function_.branchTables)
    targets_.insert(table.targets.begin(), table.targets.end());
  printTables();
  for (uint32_t i = 0; i < function_.body.size(); ++i) {
    if (targets_.contains(i))
      std::cout << label(i) << ":\n";
    print(function_.body[i]);
  }
  std::cout << "}\n";
}

void printVariable(const Variable& variable) {
  std::cout << linkageText(variable) << declaration(variable, variable.name);
  if (!variable.init.empty())
    printInitializer(variable);
  std::cout << ";\n";
}

void printModule(const Module& module) {
  std::cout << ".version " << module.versionMajor << "." << module.versionMinor << "\n.target "
            << module.target << "\n.address_size " << module.addressBits << "\n";
  for (const Function& function : module.functions) {
    FunctionPrinter(function).printHeader();
    std::cout << ";\n";
  }
  for (const Variable& variable : module.variables)
    printVariable(variable);
  for (const Function& function : module.functions)
    if (!function.isExtern)
      FunctionPrinter(function).printBody();
}

} // namespace

int main(int argc, char** argv) {
  std::vector<std::shared_ptr<const Module>> modules;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i]);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const Result<std::shared_ptr<const Module>> module = parse(text);
    if (!module) {
      std::cerr << argv[i] << ": " << module.message() << "\n";
      return 1;
    }
    modules.push_back(*module);
  }
  const Result<std::shared_ptr<const Module>> linked = link(modules);
  if (!linked) {
    std::cerr << linked.message() << "\n";
    return 1;
  }
  printModule(**linked);
  return 0;
}
