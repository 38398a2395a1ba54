// CubinLines.h - a cubin's tables of places in the source and in the PTX, by function.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -lineinfo a cubin has two tables in DWARF 2's form: .debug_line for the source, and
// .nv_debug_line_sass for the PTX, whose lines are in .nv_debug_ptx_txt, each with a zero behind
// it. A table is one unit: a header, which has all files of the PTX whoever uses them, then the
// rows of one function after another, each ending a sequence. Rows name no other function's, so
// they may be moved. Those of inlined functions name these by a place in .debug_str, which is all
// of the PTX's, too; where there are none, that section comes last, and the header of
// .debug_line is shorter.
#pragma once

#include "rt/support/Result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched::ptxas {

inline constexpr size_t kLineTables = 2;
inline constexpr const char* kLineTableNames[kLineTables] = {".debug_line", ".nv_debug_line_sass"};
inline constexpr const char *kPtxTextName = ".nv_debug_ptx_txt", *kInlinedNames = ".debug_str";

/// Bytes of the unit's length, in front of its header.
inline constexpr size_t kUnitLengthBytes = 4;

/// The table that a section is, or has the relocations of; kLineTables for others.
size_t lineTableOf(const std::string& section);
size_t relocatedLineTable(const std::string& section);

/// A table's rows: sequence i ends at ends[i] and begins where the one before, or the header, ends.
struct LineSequences {
  size_t headerEnd = 0;
  std::vector<size_t> ends;
};

/// An error for what is no table of one unit.
Result<LineSequences> sequencesOf(std::string_view table);

/// The one header that two cubins of one PTX text have, of which one may lack inlined functions:
/// then four zeros are missing behind it. Both are without the unit's length.
Result<std::string> commonHeader(const std::string& a, const std::string& b);

/// The lines of a PTX text, of which either of two has left some out and kept their ends.
Result<std::string> commonText(const std::string& a, const std::string& b);

} // namespace gpusched::ptxas
