// ErrorText.h - name and description of every cudaError_t.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <driver_types.h>

namespace gpusched::cudart {

struct ErrorText {
  cudaError_t code;
  const char* name;
  const char* description;
};

/// "unrecognized error code" for a value that is no cudaError_t.
const ErrorText& errorText(cudaError_t code);

} // namespace gpusched::cudart
