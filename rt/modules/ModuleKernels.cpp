// ModuleKernels.cpp - reads what a module says of its twins.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variable is copied in a stream of ours, so that nothing of the program is waited for.
// Whatever does not fit (another ABI, no end of a name, another number of parameters) is no twin,
// and the kernel one of which there is only the name.
#include "rt/modules/ModuleKernels.h"

#include "rt/support/KernelName.h"
#include "rt/support/Log.h"

#include <cstring>
#include <optional>

namespace gpusched::modules {
namespace {

constexpr size_t kMostBytes = 1 << 16;

/// Copies `bytes` from the device, in a stream of its own.
bool readDevice(const ModuleDriver& driver, void* to, CUdeviceptr from, size_t bytes) {
  CUstream stream = nullptr;
  if (driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS)
    return false;
  const bool copied = driver.cuMemcpyDtoHAsync(to, from, bytes, stream) == CUDA_SUCCESS &&
                      driver.cuStreamSynchronize(stream) == CUDA_SUCCESS;
  return driver.cuStreamDestroy(stream) == CUDA_SUCCESS && copied;
}

struct TwinWords {
  gpusched_module_twin fixed = {};
  std::string symbol, name, file;
};

std::optional<TwinWords> readWords(const ModuleDriver& driver, CUmodule module,
                                   const std::string& symbol) {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  const std::string variable = GPUSCHED_MODULE_TWIN_PREFIX + symbol;
  if (driver.cuModuleGetGlobal(&address, &bytes, module, variable.c_str()) != CUDA_SUCCESS)
    return std::nullopt;
  if (bytes <= sizeof(gpusched_module_twin) || bytes > kMostBytes)
    return std::nullopt;
  std::vector<char> text(bytes + 1);
  if (!readDevice(driver, text.data(), address, bytes))
    return std::nullopt;
  TwinWords words;
  std::memcpy(&words.fixed, text.data(), sizeof words.fixed);
  if (words.fixed.abi_version != GPUSCHED_ABI_VERSION) {
    GPUSCHED_LOG_ONCE(LogLevel::Warning,
                      "a module was compiled for launch ABI %u, this runtime has %u; launching its "
                      "kernels natively. Compile the module again",
                      words.fixed.abi_version, GPUSCHED_ABI_VERSION);
    return std::nullopt;
  }
  const char *at = text.data() + sizeof words.fixed, *const end = text.data() + bytes;
  for (std::string* part : {&words.symbol, &words.name, &words.file}) {
    *part = at < end ? at : "";
    at += part->size() + 1;
  }
  return words;
}

/// Sizes and places of the parameters of the native kernel.
bool readParameters(const ModuleDriver& driver, CUfunction function, ModuleKernel& kernel) {
  for (size_t index = 0;; ++index) {
    size_t offset = 0, bytes = 0;
    if (driver.cuFuncGetParamInfo(function, index, &offset, &bytes) != CUDA_SUCCESS)
      return index == kernel.kernel.parameters;
    kernel.offsets.push_back(offset);
    kernel.bytes.push_back(gpusched_u32(bytes));
  }
}

/// False: the module has none for it.
bool addTwin(const ModuleDriver& driver, CUmodule module, CUfunction function, const char* symbol,
             ModuleKernel& found) {
  std::optional<TwinWords> words = readWords(driver, module, symbol);
  CUfunction twin = nullptr;
  if (!words || driver.cuModuleGetFunction(&twin, module, words->symbol.c_str()) != CUDA_SUCCESS)
    return false;
  gpusched_kernel& kernel = found.kernel;
  kernel.parameters = words->fixed.parameters;
  if (!readParameters(driver, function, found))
    return false;
  found.name = std::move(words->name);
  found.file = std::move(words->file);
  kernel.persistent = twin;
  kernel.line = words->fixed.line;
  kernel.flags = words->fixed.flags;
  kernel.parameterBytes = found.bytes.data();
  return true;
}

std::unique_ptr<ModuleKernel> read(const ModuleDriver& driver, CUfunction function) {
  CUmodule module = nullptr;
  const char* symbol = nullptr;
  if (driver.cuFuncGetModule(&module, function) != CUDA_SUCCESS ||
      driver.cuFuncGetName(&symbol, function) != CUDA_SUCCESS || !symbol)
    return nullptr;
  std::unique_ptr<ModuleKernel> found = std::make_unique<ModuleKernel>();
  if (!addTwin(driver, module, function, symbol, *found))
    found->name = kernelName(symbol);
  found->kernel.native = function;
  found->kernel.name = found->name.c_str();
  found->kernel.file = found->file.c_str();
  return found;
}

} // namespace

const ModuleKernel* ModuleKernels::find(const ModuleDriver& driver, CUfunction function) {
  Key key{function, 0};
  if (driver.cuCtxGetId(nullptr, &key.context) != CUDA_SUCCESS)
    return nullptr;
  {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    if (auto found = known_.find(key); found != known_.end())
      return found->second;
  }
  return learn(driver, key);
}

/// The driver is asked without the lock: it may take locks of its own that an unload holds.
const ModuleKernel* ModuleKernels::learn(const ModuleDriver& driver, const Key& key) {
  bool ofLibrary = false;
  {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    ofLibrary = libraryKernels_.count(reinterpret_cast<CUkernel>(key.function)) != 0;
  }
  // Our questions must not spoil a capture that some thread has under way.
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  (void)driver.cuThreadExchangeStreamCaptureMode(&mode);
  CUfunction function = key.function;
  std::unique_ptr<ModuleKernel> found;
  if (!ofLibrary || driver.cuKernelGetFunction(
                        &function, reinterpret_cast<CUkernel>(key.function)) == CUDA_SUCCESS)
    found = read(driver, function);
  (void)driver.cuThreadExchangeStreamCaptureMode(&mode);

  std::lock_guard<std::shared_mutex> lock(mutex_);
  const auto [place, isNew] = known_.try_emplace(key, found.get());
  if (isNew && found) {
    gpusched_kernel& kernel = found.release()->kernel;
    kernel.next = newest_.load(std::memory_order_relaxed);
    newest_.store(&kernel, std::memory_order_release);
  }
  return place->second;
}

void ModuleKernels::addLibraryKernel(CUlibrary library, CUkernel kernel) {
  std::lock_guard<std::shared_mutex> lock(mutex_);
  libraryKernels_[kernel] = library;
}

bool ModuleKernels::forget(CUlibrary library) {
  std::lock_guard<std::shared_mutex> lock(mutex_);
  std::erase_if(libraryKernels_, [&](const auto& known) { return known.second == library; });
  bool knewAny = false;
  for (const auto& [key, kernel] : known_)
    knewAny |= kernel != nullptr;
  known_.clear();
  return knewAny;
}

} // namespace gpusched::modules
