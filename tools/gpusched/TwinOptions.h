// TwinOptions.h - twins for kernels of which there is only PTX, as gpusched run and profile offer
// them: docs/gpusched-ptx.md.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace gpusched::tool {

class Options;

struct TwinOptions {
  bool ptxTwins = false, embeddedPtx = false;

  void addTo(Options& options);
  bool any() const { return ptxTwins || embeddedPtx; }
  /// As options of a command of ours that starts the program.
  std::vector<std::string> words() const;
  /// As variables of programs started from now on.
  void exportAll() const;
};

/// For compilers in programs started from now on. Triton gets our ptxas, whose code has twins or,
/// where GPUSCHED_PTX_CODE says so, is PTX. What is compiled so is kept apart from what is not:
/// Triton asks ptxas for its version, PyTorch's compiler has a tag, CuPy a folder. What the user
/// has set stays.
void prepareCompilers();

} // namespace gpusched::tool
