// CubinParts.h - a cubin taken apart into what is of one function and what is of all.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   takeApart      cubin -> module, functions in the file's order; symbols by key, not by index
//   putTogether    the way back, by the rules that ptxas orders sections and symbols by
//
// The two are checked against each other: a cubin whose parts do not make the same cubin again is
// one that is not understood. takeApart refuses sections, attributes and relocations that it has no
// name for, since they may have numbers of symbols in them.
#pragma once

#include "tools/gpusched-ptxas/Cubin.h"
#include "tools/gpusched-ptxas/CubinLines.h"

#include <array>
#include <string>
#include <vector>

namespace gpusched::ptxas {

/// A word that holds the index of a symbol.
struct Reference {
  size_t at = 0;
  std::string key; ///< of the symbol

  bool operator==(const Reference&) const = default;
};

/// Bytes of a section, with zeros where symbols are referred to.
struct Piece {
  std::string bytes;
  std::vector<Reference> references;

  void append(const Piece& other);
  bool operator==(const Piece&) const = default;
};

/// Up to sm_89 the upper bits of a function's section's info are its registers; below is the index
/// of its symbol.
inline constexpr uint32_t kRegistersInInfo = 0xff000000;

/// A section whose link, info and bytes are made anew.
struct PartSection {
  Section header; ///< without these
  Piece content;

  bool operator==(const PartSection&) const = default;
};

/// A symbol of a cubin. Of one function: in a section of this; of the module else.
struct PartSymbol {
  std::string key;         ///< unique; of one function, no other cubin has it for another function
  Symbol symbol;           ///< without section; without number, where it has one
  std::string section;     ///< its name, empty for none
  bool isNumbered = false; ///< "$__internal_12_$...": counted through the cubin

  bool operator==(const PartSymbol&) const = default;
};

/// The one that is launched, not one of those that were made for it.
bool isFunctionItself(const PartSymbol& part);

/// Of the shared memory that the driver keeps for itself. From 13.4 on they are among the global
/// symbols, behind that of the first function, if this has one.
bool isOfReserve(const PartSymbol& part);
/// Of these, what only some functions ask for, from sm_100 on.
inline constexpr const char* kAskedReserve = ".nv.reservedSmem.cap";

/// Call frame information of one function, as if it were alone.
struct Frames {
  Piece entries;
  std::vector<size_t> entryPlaces; ///< where entries hold the place of another
  Piece relocations;               ///< their places count from the first entry too
};

/// Rows of a line table that are of one function.
struct Lines {
  std::string rows;
  Piece relocations; ///< their places count from the first row

  bool operator==(const Lines&) const = default;
};

/// Parts of the call graph, as its rows of zero and a negative number divide it.
inline constexpr size_t kCallKinds = 4;

struct FunctionParts {
  std::string name;
  std::string symbol; ///< its key
  std::vector<PartSection> sections;
  std::vector<PartSymbol> locals; ///< and the module's that it is the first to use
  std::vector<PartSymbol> globals;
  std::vector<PartSymbol> constants; ///< symbol of its constant bank
  Frames frames;
  std::array<Lines, kLineTables> lines;
  Piece registers, stack; ///< its attributes in the module's list
  std::array<Piece, kCallKinds> calls;
};

struct CubinParts {
  Cubin header; ///< without sections and symbols
  std::vector<PartSection> sections;
  std::vector<PartSymbol> firstSymbols, lastLocals;
  std::vector<FunctionParts> functions;
  size_t frameRelocationBytes = 0;                  ///< of each; 0 where there are none
  std::array<std::string, kLineTables> lineHeaders; ///< without the unit's length; "" for no table
  std::array<size_t, kLineTables> lineRelocationBytes = {};
  bool hasInlinedRows = false; ///< then the names are in front of the second table
};

Result<CubinParts> takeApart(const Cubin& cubin);

/// An error where a symbol is referred to that no part has.
Result<Cubin> putTogether(const CubinParts& parts);

/// "F" for ".text.F" and ".text."; empty for others.
std::string withoutPrefix(const std::string& name, const std::string& prefix);

} // namespace gpusched::ptxas
