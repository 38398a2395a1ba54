// Loads.cpp - modules and libraries that a program loads as PTX, with twins in them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   cuModuleLoadData(ptx)   twins not asked for, no PTX, none possible -> the driver's
//     else                  -> the driver's, with the text that has twins; if it does not take that
//                              one, with the program's
// Threads: any, as in the driver.
#include "rt/modules/Forward.h"
#include "rt/modules/MachineCode.h"
#include "rt/modules/PtxTwins.h"
#include "rt/support/Log.h"

#include <algorithm>
#include <list>
#include <mutex>

namespace gpusched::modules {
namespace {

/// Does the program promise that the image stays? Then the driver may read it later.
bool mayReadLater(const CUlibraryOption* options, unsigned count) {
  return options &&
         std::find(options, options + count, CU_LIBRARY_BINARY_IS_PRESERVED) != options + count;
}

/// The same text, for as long as the process lives.
const char* kept(std::string text) {
  static std::mutex mutex;
  static std::list<std::string>* const texts = new std::list<std::string>;
  const std::lock_guard<std::mutex> lock(mutex);
  return texts->emplace_back(std::move(text)).c_str();
}

/// `load` of the text with twins, else of the program's own image, or of the machine code in whose
/// place it got that. Nothing is thrown out of here.
template <class Text, class Load>
CUresult loadWithTwins(const Text& text, const void* image, const Load& load, bool isKept = false) {
  try {
    if (std::string twins = text(); !twins.empty()) {
      const CUresult refused = load(isKept ? kept(std::move(twins)) : twins.c_str());
      const CUresult result = refused == CUDA_SUCCESS ? refused : load(machineCodeBehind(image));
      if (refused != result)
        log(LogLevel::Warning,
            "the driver does not take a PTX text with twins (error %d); it has the program's, "
            "whose kernels launch natively",
            int(refused));
      return result;
    }
  } catch (...) {
    GPUSCHED_LOG_ONCE(LogLevel::Error, "trouble with PTX (most likely out of memory); it is loaded "
                                       "without twins");
  }
  return load(machineCodeBehind(image));
}

} // namespace
} // namespace gpusched::modules

using namespace gpusched::modules;

GPUSCHED_STAND_IN_FUNCTION cuModuleLoadData(CUmodule* module, const void* image) {
  GPUSCHED_FORWARD(cuModuleLoadData);
  return loadWithTwins([&] { return withPtxTwins(image); }, image,
                       [&](const void* what) { return forward(module, what); });
}

GPUSCHED_STAND_IN_FUNCTION cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                                              CUjit_option* options, void** values) {
  GPUSCHED_FORWARD(cuModuleLoadDataEx);
  return loadWithTwins(
      [&] { return withPtxTwins(image); }, image,
      [&](const void* what) { return forward(module, what, count, options, values); });
}

/// XLA loads cubins by it.
GPUSCHED_STAND_IN_FUNCTION cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  GPUSCHED_FORWARD(cuModuleLoadFatBinary);
  static const auto forwardData = ofDriver(&cuModuleLoadData, "cuModuleLoadData");
  return loadWithTwins([&] { return withPtxTwins(image); }, image,
                       [&](const void* what) {
                         return what == image ? forward(module, what) : forwardData(module, what);
                       });
}

GPUSCHED_STAND_IN_FUNCTION cuLibraryLoadData(CUlibrary* library, const void* code,
                                             CUjit_option* jitOptions, void** jitValues,
                                             unsigned jitCount, CUlibraryOption* options,
                                             void** values, unsigned count) {
  GPUSCHED_FORWARD(cuLibraryLoadData);
  return loadWithTwins([&] { return withPtxTwins(code); }, code,
                       [&](const void* what) {
                         return forward(library, what, jitOptions, jitValues, jitCount, options,
                                        values, count);
                       },
                       mayReadLater(options, count));
}

GPUSCHED_STAND_IN_FUNCTION cuModuleLoad(CUmodule* module, const char* path) {
  GPUSCHED_FORWARD(cuModuleLoad);
  static const auto forwardData = ofDriver(&cuModuleLoadData, "cuModuleLoadData");
  return loadWithTwins(
      [&] { return fileWithPtxTwins(path); }, nullptr,
      [&](const void* what) { return what ? forwardData(module, what) : forward(module, path); });
}

GPUSCHED_STAND_IN_FUNCTION cuLibraryLoadFromFile(CUlibrary* library, const char* path,
                                                 CUjit_option* jitOptions, void** jitValues,
                                                 unsigned jitCount, CUlibraryOption* options,
                                                 void** values, unsigned count) {
  GPUSCHED_FORWARD(cuLibraryLoadFromFile);
  static const auto forwardData = ofDriver(&cuLibraryLoadData, "cuLibraryLoadData");
  return loadWithTwins([&] { return fileWithPtxTwins(path); }, nullptr,
                       [&](const void* what) {
                         return what ? forwardData(library, what, jitOptions, jitValues, jitCount,
                                                   options, values, count)
                                     : forward(library, path, jitOptions, jitValues, jitCount,
                                               options, values, count);
                       },
                       mayReadLater(options, count));
}
