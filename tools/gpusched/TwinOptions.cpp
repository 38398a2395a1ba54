// TwinOptions.cpp - options to variables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched/TwinOptions.h"

#include "tools/gpusched/ChildProcess.h"
#include "tools/gpusched/Subcommand.h"

#include "rt/include/gpusched/LaunchAbi.h"
#include "rt/support/Environment.h"

#include <cstdlib>
#include <filesystem>

namespace gpusched::tool {

void TwinOptions::addTo(Options& options) {
  options.addFlag(
      "--ptx-twins", ptxTwins,
      "Give the kernels of PTX that the program loads, or compiles itself, their twins");
  options.addFlag(
      "--embedded-ptx", embeddedPtx,
      "The same for PTX in fat binaries, which is then used in place of their machine code");
}

std::vector<std::string> TwinOptions::words() const {
  std::vector<std::string> words;
  if (ptxTwins)
    words.push_back("--ptx-twins");
  if (embeddedPtx)
    words.push_back("--embedded-ptx");
  return words;
}

void TwinOptions::exportAll() const {
  if (!any())
    return;
  setenv("GPUSCHED_PTX", ownFile("lib/libgpusched_ptx_twins.so").c_str(), /*overwrite=*/1);
  if (embeddedPtx)
    setenv("GPUSCHED_EMBEDDED_PTX", "1", /*overwrite=*/1);
  prepareCompilers();
}

void prepareCompilers() {
  for (const auto& [variable, name] : {std::pair("TRITON_PTXAS_PATH", "ptxas"),
                                       {"TRITON_PTXAS_BLACKWELL_PATH", "ptxas-blackwell"}})
    if (const auto own = ownFile(std::string("libexec/gpusched/") + name);
        std::filesystem::exists(own))
      setenv(variable, own.c_str(), /*overwrite=*/0);
  const std::string kind = environmentFlag("GPUSCHED_PTX_CODE")
                               ? "gpusched-ptx"
                               : "gpusched-twins-" + std::to_string(GPUSCHED_ABI_VERSION);
  constexpr const char* kTag = "TORCH_COMPILE_CACHE_KEY_TAG";
  const std::string given = std::getenv(kTag) ? std::getenv(kTag) : "";
  if (!given.ends_with(kind))
    setenv(kTag, (given + kind).c_str(), /*overwrite=*/1);
  if (const char* home = std::getenv("HOME"))
    setenv("CUPY_CACHE_DIR", (std::string(home) + "/.cupy/kernel_cache-" + kind).c_str(),
           /*overwrite=*/0);
}

} // namespace gpusched::tool
