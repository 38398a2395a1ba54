// PtxTwins.cpp - opens the library that makes twins, once, and asks it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/modules/PtxTwins.h"

#include "rt/modules/Lookup.h"
#include "rt/support/Environment.h"
#include "rt/support/Log.h"

#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>

namespace gpusched::modules {
namespace {

gpusched_ptx_add_twins_function* openLibrary() {
  const std::string path = environment("GPUSCHED_PTX");
  if (path.empty())
    return nullptr;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = library ? systemLookup(library, GPUSCHED_PTX_ADD_TWINS_SYMBOL) : nullptr;
  if (!found)
    log(LogLevel::Warning, "no twins for PTX (%s); its kernels launch natively",
        library ? "the library of GPUSCHED_PTX makes none" : dlerror());
  return reinterpret_cast<gpusched_ptx_add_twins_function*>(found);
}

gpusched_ptx_add_twins_function* addTwins() {
  static gpusched_ptx_add_twins_function* const function = openLibrary();
  return function;
}

/// Cubins and fat binaries begin with bytes that no text has.
bool isText(const void* image) {
  const unsigned char first = image ? *static_cast<const unsigned char*>(image) : 0;
  return first != 0 && std::strchr("./ \t\r\n", first) != nullptr;
}

void keep(void* context, const char* text, size_t bytes) {
  static_cast<std::string*>(context)->assign(text, bytes);
}

} // namespace

bool wantsPtxTwins() {
  return addTwins() != nullptr;
}

std::string withPtxTwins(const void* image) {
  std::string text;
  if (!addTwins() || !isText(image))
    return text;
  const int twins = addTwins()(static_cast<const char*>(image), keep, &text);
  log(LogLevel::Info, "%d kernels of PTX have twins", twins);
  return text;
}

std::string fileWithPtxTwins(const char* path) {
  if (!addTwins() || !path)
    return "";
  std::ifstream file(path, std::ios::binary);
  const std::string image((std::istreambuf_iterator<char>(file)), {});
  return withPtxTwins(image.c_str());
}

} // namespace gpusched::modules
