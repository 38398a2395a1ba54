// PtxasReport.h - what `ptxas -v` says of each function, and how to keep it from the user.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpusched-cc always asks for the report, because spill bytes exist nowhere else. The lines are
// taken out of nvcc's stderr unless the user asked for them too.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gpusched::cc {

struct PtxasFunction {
  std::string symbol, architecture; ///< mangled name, "sm_90"
  uint64_t stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0;
  uint64_t sharedBytes = 0;
  uint32_t registers = 0, barriers = 0;
};

/// All entry functions that `text` reports on. Fields are found by keyword: ptxas leaves out those
/// that are zero, and their order varies.
std::vector<PtxasFunction> readPtxasReport(const std::string& text);

/// Reports on two parts of one PTX text, with what is said of the whole text once.
std::string joinedReports(const std::string& first, const std::string& second);

/// `text` without the report.
std::string withoutPtxasReport(const std::string& text);

/// `text` without the part of the report that is about functions whose symbols `drops` accepts.
std::string withoutFunctions(const std::string& text,
                             const std::function<bool(const std::string&)>& drops);

} // namespace gpusched::cc
