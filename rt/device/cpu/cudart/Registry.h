// Registry.h - what the program registered before main: fat binaries, kernels, variables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc's host code calls __cudaRegisterFatBinary and friends from constructors, when not much
// of the process is initialised; so registration only records. A fat binary is parsed and
// loaded into the Gpu when the first of its kernels or variables is needed, and stays loaded
// until the process ends. One lock guards everything; Entry objects never move or disappear.
#pragma once

#include "rt/device/cpu/engine/Gpu.h"

#include <cuda_runtime_api.h>

#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpusched::cudart {

struct RegisteredBinary {
  const void* wrapper = nullptr; // the program's __fatBinC_Wrapper_t
  bool loadTried = false;
  cudaError_t loadError = cudaSuccess;
  std::shared_ptr<cpu::LoadedModule> module;
};

/// A kernel as the host knows it. cudaKernel_t and cudaFunction_t handles point here.
struct RegisteredKernel {
  RegisteredBinary* binary = nullptr;
  std::string name;
  const void* hostFunction = nullptr;
  const cpu::Kernel* kernel = nullptr; // null until resolved
  int maxDynamicShared = -1;           // set by cudaFuncSetAttribute, else the default
  int carveout = -1;
  bool largeClusters = false; // cudaFuncAttributeNonPortableClusterSizeAllowed
};

struct RegisteredVariable {
  RegisteredBinary* binary = nullptr;
  std::string name;
  uint64_t bytes = 0;
  void** managedPointer = nullptr; // host variable that must hold the address
  cpu::GlobalSymbol symbol;        // address null until resolved
};

class Registry {
public:
  /// Never destroyed: unregistration runs from atexit handlers.
  static Registry& instance();

  RegisteredBinary* addBinary(const void* wrapper);
  void addKernel(RegisteredBinary* binary, const void* hostFunction, const char* name);
  void addVariable(RegisteredBinary* binary, const void* hostVariable, const char* name,
                   uint64_t bytes, void** managedPointer);

  /// By host stub address or by handle; null when neither.
  RegisteredKernel* findKernel(const void* functionOrHandle);
  /// The kernel that was resolved to it; null when none was.
  RegisteredKernel* findKernel(const cpu::Kernel& kernel);
  /// Loads the kernel's binary if need be. On success kernel.kernel is set.
  cudaError_t resolve(cpu::Gpu& gpu, RegisteredKernel& kernel);
  /// cudaErrorInvalidSymbol when the address is not a registered variable.
  cudaError_t resolve(cpu::Gpu& gpu, const void* hostVariable, RegisteredVariable** variable);
  /// A module the program loads itself: all its kernels, by name.
  cudaError_t loadLibrary(cpu::Gpu& gpu, const void* code, RegisteredBinary** library);
  /// False when there is no such library. Nothing of it may be in use.
  bool unloadLibrary(const RegisteredBinary* library);
  /// A library, or a binary of the program's own that is loaded; null when it is neither.
  RegisteredBinary* findLibrary(const void* handle);
  RegisteredKernel* findKernel(const RegisteredBinary* library, std::string_view name);
  /// All that it holds, whether or not the host has named them.
  std::vector<RegisteredKernel*> kernelsOf(const RegisteredBinary* library);

  /// Stores the addresses of the binary's managed variables in their host pointers.
  cudaError_t initialiseManaged(cpu::Gpu& gpu, RegisteredBinary* binary);

private:
  /// A library's kernels are resolved from the start and go with it.
  struct Library {
    RegisteredBinary binary;
    std::deque<RegisteredKernel> kernels;
  };
  cudaError_t load(cpu::Gpu& gpu, RegisteredBinary& binary);
  std::list<Library>::iterator library(const void* handle);
  RegisteredBinary* loadedBinary(const void* handle);
  RegisteredKernel* kernelOf(RegisteredBinary& binary, const std::string& name);

  std::recursive_mutex mutex_;
  std::deque<RegisteredBinary> binaries_;
  std::deque<RegisteredKernel> kernels_;
  std::list<Library> libraries_;
  std::unordered_map<const void*, RegisteredKernel*> kernelByAddress_; // stub and handle
  std::unordered_map<const void*, RegisteredVariable> variables_;
};

} // namespace gpusched::cudart
