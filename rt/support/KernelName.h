// KernelName.h - names of kernels and functions of which only the symbol is known.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gpusched {

/// "scale" in a symbol of C's kind has a twin of this end: gpusched-ptx gives it, who reads
/// measurements knows it again.
inline constexpr const char* kPtxTwinEnd = "__gs";

/// "ns::scale(int*)", or the symbol where it is no mangled one.
std::string demangled(const std::string& symbol);

/// "ns::scale<int>" of "_ZN2ns5scaleIiEEvPT_": the demangled symbol without its result, its
/// parameters and ABI tags, or the symbol where it is no mangled one. The runtime finds a profile
/// by the name that it has for the kernel, so who writes either takes this one.
std::string kernelName(const std::string& symbol);

} // namespace gpusched
