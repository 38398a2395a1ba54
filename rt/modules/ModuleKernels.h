// ModuleKernels.h - from the CUfunction that a program launches to what we know of the kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module compiled by gpusched-cc holds for each kernel k with a twin a variable
// gpusched_twin_of_<k's symbol> (gpusched_module_twin). It is read once, at the first launch of the
// function: no load, unload or look-up of the program has to be watched for that, only
//   unloads     another function may get the handle of one that is gone
//   CUkernels   what cuLibraryGetKernel gives may be launched in place of a CUfunction
// Contexts are told apart by their numbers, which CUDA never uses twice.
//
// Thread-safe: one lock that launches share.
#pragma once

#include "rt/include/gpusched/LaunchAbi.h"
#include "rt/modules/ModuleDriver.h"

#include <atomic>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace gpusched::modules {

/// A kernel of a module, with or without a twin. Never freed: the runtime keeps pointers to it.
struct ModuleKernel {
  gpusched_kernel kernel = {};
  std::vector<gpusched_u32> bytes; ///< of each parameter
  std::vector<size_t> offsets;     ///< of each parameter in a packed buffer
  std::string name, file;
};

class ModuleKernels {
public:
  /// Null: nobody knows it. Asks the driver the first time.
  const ModuleKernel* find(const ModuleDriver& driver, CUfunction function);
  /// A `kernel` of `library` may be launched in place of a CUfunction.
  void addLibraryKernel(CUlibrary library, CUkernel kernel);
  /// A module goes away, and with it the kernels of `library`, if it is one. True if a kernel was
  /// known.
  bool forget(CUlibrary library);
  /// Newest first; what launches hand to the runtime.
  gpusched_kernel* list() const { return newest_.load(std::memory_order_acquire); }

private:
  struct Key {
    CUfunction function;
    unsigned long long context;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return (reinterpret_cast<uintptr_t>(key.function) ^ key.context) * 0x9E3779B97F4A7C15ull >> 7;
    }
  };

  const ModuleKernel* learn(const ModuleDriver& driver, const Key& key);

  std::shared_mutex mutex_;
  std::unordered_map<Key, const ModuleKernel*, KeyHash> known_; // null: nobody knows it
  std::unordered_map<CUkernel, CUlibrary> libraryKernels_;
  std::atomic<gpusched_kernel*> newest_{nullptr};
};

} // namespace gpusched::modules
