// Registry.cpp - what the program registered before main: fat binaries, kernels, variables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/device/cpu/cudart/Registry.h"

#include "rt/device/cpu/cudart/ModuleLoader.h"
#include "rt/support/Log.h"

namespace gpusched::cudart {

using Lock = std::lock_guard<std::recursive_mutex>;

Registry& Registry::instance() {
  static Registry* const kRegistry = new Registry;
  return *kRegistry;
}

RegisteredBinary* Registry::addBinary(const void* wrapper) {
  Lock lock(mutex_);
  binaries_.emplace_back();
  binaries_.back().wrapper = wrapper;
  return &binaries_.back();
}

void Registry::addKernel(RegisteredBinary* binary, const void* hostFunction, const char* name) {
  Lock lock(mutex_);
  kernels_.emplace_back();
  RegisteredKernel& kernel = kernels_.back();
  kernel.binary = binary;
  kernel.name = name;
  kernel.hostFunction = hostFunction;
  kernelByAddress_[hostFunction] = &kernel;
  kernelByAddress_[&kernel] = &kernel;
}

void Registry::addVariable(RegisteredBinary* binary, const void* hostVariable, const char* name,
                           uint64_t bytes, void** managedPointer) {
  Lock lock(mutex_);
  RegisteredVariable& variable = variables_[hostVariable];
  variable = {}; // a closed library may have had another one here
  variable.binary = binary;
  variable.name = name;
  variable.bytes = bytes;
  variable.managedPointer = managedPointer;
}

RegisteredKernel* Registry::findKernel(const void* functionOrHandle) {
  Lock lock(mutex_);
  std::unordered_map<const void*, RegisteredKernel*>::iterator found =
      kernelByAddress_.find(functionOrHandle);
  return found == kernelByAddress_.end() ? nullptr : found->second;
}

RegisteredKernel* Registry::findKernel(const cpu::Kernel& wanted) {
  Lock lock(mutex_);
  for (const std::pair<const void* const, RegisteredKernel*>& entry : kernelByAddress_)
    if (entry.second->kernel == &wanted)
      return entry.second;
  return nullptr;
}

cudaError_t Registry::load(cpu::Gpu& gpu, RegisteredBinary& binary) {
  if (!binary.loadTried) {
    binary.loadTried = true;
    LoadedBinary loaded = loadFatBinary(gpu, binary.wrapper);
    binary.module = std::move(loaded.module);
    binary.loadError = loaded.error;
    if (!loaded.message.empty())
      log(LogLevel::Error, "%s", loaded.message.c_str());
  }
  return binary.loadError;
}

cudaError_t Registry::resolve(cpu::Gpu& gpu, RegisteredKernel& kernel) {
  Lock lock(mutex_);
  if (kernel.kernel)
    return cudaSuccess;
  if (cudaError_t error = load(gpu, *kernel.binary); error != cudaSuccess)
    return error;
  kernel.kernel = cpu::Gpu::findKernel(*kernel.binary->module, kernel.name);
  if (kernel.kernel)
    return cudaSuccess;
  log(LogLevel::Error, "kernel %s is not in the program's PTX; rebuild with PTX for every kernel",
      kernel.name.c_str());
  return cudaErrorInvalidDeviceFunction;
}

cudaError_t Registry::resolve(cpu::Gpu& gpu, const void* hostVariable,
                              RegisteredVariable** variable) {
  Lock lock(mutex_);
  std::unordered_map<const void*, RegisteredVariable>::iterator found =
      variables_.find(hostVariable);
  if (found == variables_.end())
    return cudaErrorInvalidSymbol;
  *variable = &found->second;
  if (found->second.symbol.address)
    return cudaSuccess;
  if (cudaError_t error = load(gpu, *found->second.binary); error != cudaSuccess)
    return error;
  found->second.symbol = cpu::Gpu::findGlobal(*found->second.binary->module, found->second.name);
  return found->second.symbol.address ? cudaSuccess : cudaErrorInvalidSymbol;
}

cudaError_t Registry::loadLibrary(cpu::Gpu& gpu, const void* code, RegisteredBinary** result) {
  LoadedBinary loaded = loadCode(gpu, code);
  if (!loaded.message.empty())
    log(LogLevel::Error, "%s", loaded.message.c_str());
  if (loaded.error != cudaSuccess)
    return loaded.error;
  Lock lock(mutex_);
  Library& library = libraries_.emplace_back();
  library.binary.loadTried = true;
  library.binary.module = std::move(loaded.module);
  for (std::string& name : cpu::Gpu::kernelNames(*library.binary.module)) {
    RegisteredKernel& kernel = library.kernels.emplace_back();
    kernel.binary = &library.binary;
    kernel.kernel = cpu::Gpu::findKernel(*library.binary.module, name);
    kernel.name = std::move(name);
    kernelByAddress_[&kernel] = &kernel;
  }
  *result = &library.binary;
  return cudaSuccess;
}

std::list<Registry::Library>::iterator Registry::library(const void* handle) {
  std::list<Library>::iterator place = libraries_.begin();
  while (place != libraries_.end() && &place->binary != handle)
    ++place;
  return place;
}

bool Registry::unloadLibrary(const RegisteredBinary* handle) {
  Lock lock(mutex_);
  std::list<Library>::iterator place = library(handle);
  if (place == libraries_.end())
    return false;
  for (const RegisteredKernel& kernel : place->kernels)
    kernelByAddress_.erase(&kernel);
  libraries_.erase(place);
  return true;
}

RegisteredBinary* Registry::findLibrary(const void* handle) {
  Lock lock(mutex_);
  std::list<Library>::iterator place = library(handle);
  return place == libraries_.end() ? loadedBinary(handle) : &place->binary;
}

RegisteredBinary* Registry::loadedBinary(const void* handle) {
  for (RegisteredBinary& binary : binaries_)
    if (&binary == handle && binary.module)
      return &binary;
  return nullptr;
}

/// As the host knows it, else as nobody has named it before.
RegisteredKernel* Registry::kernelOf(RegisteredBinary& binary, const std::string& name) {
  for (RegisteredKernel& kernel : kernels_)
    if (kernel.binary == &binary && kernel.name == name)
      return &kernel;
  RegisteredKernel& kernel = kernels_.emplace_back();
  kernel.binary = &binary;
  kernel.name = name;
  kernelByAddress_[&kernel] = &kernel;
  return &kernel;
}

RegisteredKernel* Registry::findKernel(const RegisteredBinary* handle, std::string_view name) {
  for (RegisteredKernel* kernel : kernelsOf(handle))
    if (kernel->name == name)
      return kernel;
  return nullptr;
}

std::vector<RegisteredKernel*> Registry::kernelsOf(const RegisteredBinary* handle) {
  Lock lock(mutex_);
  std::vector<RegisteredKernel*> kernels;
  std::list<Library>::iterator place = library(handle);
  if (place != libraries_.end())
    for (RegisteredKernel& kernel : place->kernels)
      kernels.push_back(&kernel);
  else if (RegisteredBinary* binary = loadedBinary(handle))
    for (const std::string& name : cpu::Gpu::kernelNames(*binary->module))
      kernels.push_back(kernelOf(*binary, name));
  return kernels;
}

cudaError_t Registry::initialiseManaged(cpu::Gpu& gpu, RegisteredBinary* binary) {
  Lock lock(mutex_);
  for (std::pair<const void* const, RegisteredVariable>& entry : variables_) {
    if (entry.second.binary != binary || !entry.second.managedPointer)
      continue;
    RegisteredVariable* variable = nullptr;
    if (cudaError_t error = resolve(gpu, entry.first, &variable); error != cudaSuccess)
      return error;
    *variable->managedPointer = variable->symbol.address;
  }
  return cudaSuccess;
}

} // namespace gpusched::cudart
