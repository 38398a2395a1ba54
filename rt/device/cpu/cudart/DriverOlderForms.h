// DriverOlderForms.h - driver functions whose parameters were others before CUDA 13.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

namespace gpusched::cudart {

/// What cuGetProcAddress gives out for `name` to whom asks for CUDA `version` (12030 for 12.3),
/// where that is not the form of our cuda.h. Null inside: a form that we lack. Any thread.
std::optional<void*> olderForm(const char* name, int version);

template <class Function> void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

} // namespace gpusched::cudart
