// Cupti.cpp - finds and opens CUPTI; its errors in words.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/counters/cupti/Cupti.h"

#include "rt/counters/cupti/CuptiTable.h"
#include "rt/support/Environment.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace gpusched {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> candidates() {
  if (std::string own = environment("GPUSCHED_CUPTI"); !own.empty())
    return {own};
  std::vector<std::string> names = {"libcupti.so.13", "libcupti.so.12"};
  const char* const kRoots[] = {std::getenv("CUDA_HOME"), std::getenv("CUDA_PATH"),
                                GPUSCHED_CUDA_ROOT};
  for (const char* root : kRoots)
    for (const char* folder : {"lib64", "lib", "extras/CUPTI/lib64"})
      if (root && *root)
        names.push_back((fs::path(root) / folder / "libcupti.so.13").string());
  return names;
}

/// With a folder in its name, CUPTI's own helper must come from there too.
void* openOne(const std::string& name) {
  if (fs::path folder = fs::path(name).parent_path(); !folder.empty() && fs::exists(name))
    (void)dlopen((folder / "libnvperf_host.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
  return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
}

const char* lookUp(void* library, CuptiTable& table) {
  const char* missing = nullptr;
#define GPUSCHED_CUPTI_HOST(NAME)                                                                  \
  table.NAME = reinterpret_cast<decltype(table.NAME)>(dlsym(library, #NAME));                      \
  if (!table.NAME && !missing)                                                                     \
    missing = #NAME;
#define GPUSCHED_CUPTI_TARGET(NAME) GPUSCHED_CUPTI_HOST(NAME)
#include "rt/counters/cupti/CuptiSymbols.def"
  return missing;
}

/// One of the functions that 13.2 added.
bool needsDriver(void* library) {
  return dlsym(library, "cuptiActivityGetStructSize") != nullptr;
}

std::string pathOf(const void* symbol, const std::string& fallback) {
  Dl_info info = {};
  return dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : fallback;
}

} // namespace

Result<Cupti> Cupti::open(CuptiDriver driver) {
  void* library = nullptr;
  std::string name, firstError;
  for (const std::string& candidate : candidates()) {
    library = openOne(candidate);
    name = candidate;
    if (library)
      break;
    if (const char* error = dlerror(); error && firstError.empty())
      firstError = error;
  }
  if (!library)
    return Status::error("CUPTI not found: " + firstError);
  if (driver == CuptiDriver::Missing && needsDriver(library))
    return Status::error(name + " is of CUDA 13.2 or later and answers only where a driver does");
  auto table = std::make_shared<CuptiTable>();
  if (const char* missing = lookUp(library, *table))
    return Status::error(name + " has no " + missing + "; CUPTI 13 is needed");
  Cupti cupti;
  cupti.path_ = pathOf(reinterpret_cast<const void*>(table->cuptiGetVersion), name);
  if (table->cuptiGetVersion(&cupti.version_) != CUPTI_SUCCESS)
    return Status::error(cupti.path_ + " does not say its version");
  if (cupti.version_ / 10000 < CUPTI_API_VERSION / 10000)
    return Status::error(cupti.path_ + " is version " + std::to_string(cupti.version_) +
                         ", older than the headers of this build (" +
                         std::to_string(CUPTI_API_VERSION) + ")");
  cupti.calls_ = std::move(table);
  return cupti;
}

std::string Cupti::text(int result) const {
  const char* name = nullptr;
  if (calls_->cuptiGetResultString(CUptiResult(result), &name) != CUPTI_SUCCESS || !name)
    name = "error";
  return std::string(name) + " (" + std::to_string(result) + ")";
}

Status Cupti::check(int result, const std::string& what) const {
  if (result == CUPTI_SUCCESS)
    return {};
  std::string message = what + ": " + text(result);
  if (const char* next = remedy(obstacle(result)); *next)
    message += std::string("; ") + next;
  return Status::error(message);
}

CuptiObstacle Cupti::obstacle(int result) {
  switch (result) {
  case CUPTI_SUCCESS:
    return CuptiObstacle::None;
  case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
  case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    return CuptiObstacle::Permission;
  case CUPTI_ERROR_HARDWARE_BUSY:
    return CuptiObstacle::Busy;
  case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    return CuptiObstacle::Virtualised;
  case CUPTI_ERROR_NOT_SUPPORTED:
  case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
  case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
  case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
  case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
  case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
    return CuptiObstacle::Unsupported;
  default:
    return CuptiObstacle::Other;
  }
}

const char* Cupti::remedy(CuptiObstacle obstacle) {
  switch (obstacle) {
  case CuptiObstacle::Permission:
    return "counters are for root (ncu says ERR_NVGPUCTRPERM): run as root or with CAP_PERFMON, or "
           "have the administrator load the module with NVreg_RestrictProfilingToAdminUsers=0; in "
           "a container the host decides (--cap-add SYS_ADMIN)";
  case CuptiObstacle::Busy:
    return "another profiler holds the counters: end ncu or nsys, or run dcgmi profile --pause, "
           "then try again";
  case CuptiObstacle::Virtualised:
    return "the hypervisor must allow profiling for this virtual GPU";
  case CuptiObstacle::Unsupported:
    return "this device or its mode has no counters for us; measure times only "
           "(--sources=activity)";
  case CuptiObstacle::None:
  case CuptiObstacle::Other:
    break;
  }
  return "";
}

} // namespace gpusched
