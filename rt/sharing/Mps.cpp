// Mps.cpp - the daemon's control pipe.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/sharing/Mps.h"

#include <cstdlib>
#include <filesystem>

namespace gpusched {

std::string mpsFolder() {
  const char* named = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  const std::filesystem::path folder = named && *named ? named : "/tmp/nvidia-mps";
  std::error_code error;
  return std::filesystem::exists(folder / "control", error) ? folder.string() : "";
}

} // namespace gpusched
