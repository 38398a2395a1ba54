// MachineCode.cpp - keeps the machine code for which a program got PTX.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver may be older than the compiler and not take its PTX, and assembling costs time where no
// kernel has a twin: then the program's own code is loaded (Loads.cpp).
#include "rt/modules/MachineCode.h"

#include "rt/modules/PtxTwins.h"
#include "rt/support/Environment.h"

#include <cstring>
#include <mutex>
#include <unordered_map>

namespace gpusched::modules {
namespace {

std::mutex mutex;
std::unordered_map<std::string, std::string>&
codes() { // by PTX; loads from static destructors find it
  static auto* const all = new std::unordered_map<std::string, std::string>;
  return *all;
}

} // namespace

bool takesOnlyPtx() {
  static const bool asked = environmentFlag("GPUSCHED_PTX_CODE");
  return asked;
}

bool wantsPtxCode() {
  return takesOnlyPtx() || wantsPtxTwins();
}

void rememberMachineCode(const std::string& ptx, const std::string& code) {
  if (takesOnlyPtx())
    return;
  const std::lock_guard<std::mutex> lock(mutex);
  codes().try_emplace(ptx, code);
}

const void* machineCodeBehind(const void* image) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (!image || codes().empty())
    return image;
  const auto found = codes().find(static_cast<const char*>(image));
  return found == codes().end() ? image : found->second.data();
}

} // namespace gpusched::modules
