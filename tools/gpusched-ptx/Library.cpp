// Library.cpp - libgpusched_ptx_twins.so: one function, which libgpusched_modules.so looks up.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/gpusched-ptx/ImagePtx.h"
#include "tools/gpusched-ptx/ModuleTwins.h"

#include "rt/modules/PtxTwins.h"
#include "rt/support/Log.h"

#include <algorithm>

using namespace gpusched;

namespace {

using Taker = void (*)(void* context, const char* text, size_t bytes);

int addTwins(const void* image, size_t bytes, unsigned capability, Taker take, void* context) {
  const std::string ptx = twins::ptxOfImage(image, bytes, capability);
  if (ptx.empty())
    return 0;
  const Result<twins::TwinText> text = twins::addTwins(ptx);
  if (!text) {
    log(LogLevel::Info, "PTX that is loaded gets no twins: %s", text.message().c_str());
    return 0;
  }
  twins::sayNotes(*text);
  const int twins = static_cast<int>(
      std::count_if(text->notes.begin(), text->notes.end(),
                    [](const twins::KernelNote& note) { return note.reason.empty(); }));
  if (twins > 0)
    take(context, text->ptx.data(), text->ptx.size());
  return twins;
}

} // namespace

extern "C" __attribute__((visibility("default"))) int
gpusched_ptx_add_twins(const void* image, size_t bytes, unsigned capability, Taker take,
                       void* context) {
  try {
    return addTwins(image, bytes, capability, take, context);
  } catch (...) {
    return 0;
  }
}
