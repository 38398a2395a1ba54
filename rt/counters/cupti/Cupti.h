// Cupti.h - NVIDIA's profiling library, opened at run time.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One binary runs with and without CUPTI. Looked for in this order: GPUSCHED_CUPTI, the loader's
// path (libcupti.so.13, .12), CUDA_HOME, CUDA_PATH, the toolkit of the build, each with lib64 and
// extras/CUPTI/lib64. CUPTI loads libnvperf_host.so by name, so it is opened first from the same
// folder. Never closed, never finalised: cuptiFinalize crashes programs.
//
// The structs of CUPTI grow from release to release and carry their size; PC sampling's changed in
// 12.4, so an older library than the headers' major version is refused.
#pragma once

#include "rt/support/Result.h"

#include <cstdint>
#include <memory>
#include <string>

namespace gpusched {

struct CuptiTable;

/// Errors that are an answer about the machine, not a failure of ours.
enum class CuptiObstacle : uint8_t { None, Permission, Busy, Virtualised, Unsupported, Other };

/// Does a driver with a device answer in this process? From CUDA 13.2 on CUPTI cannot be asked
/// anything without one: 13.2 calls itself until the stack is full, later ones say 999.
enum class CuptiDriver : uint8_t { Missing, Answers };

class Cupti {
public:
  static Result<Cupti> open(CuptiDriver driver);

  uint32_t version() const { return version_; } ///< 130001
  const std::string& path() const { return path_; }
  const CuptiTable& calls() const { return *calls_; }

  /// "CUPTI_ERROR_HARDWARE_BUSY (26)".
  std::string text(int result) const;
  /// The Status of a call: what was tried, the error, and what to do about it.
  Status check(int result, const std::string& what) const;
  static CuptiObstacle obstacle(int result);
  /// One line on how to remove it.
  static const char* remedy(CuptiObstacle obstacle);

private:
  std::shared_ptr<const CuptiTable> calls_;
  std::string path_;
  uint32_t version_ = 0;
};

} // namespace gpusched
