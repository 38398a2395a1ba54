// JitLink.cpp - who asks nvJitLink for machine code gets PTX.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   inputs for LTO   are linked a second time beside the program's own link, with -ptx
//   inputs of PTX    are PTX
//   libraries        stay outside: the cpu device has the functions of libcudadevrt.a
//   all else, and whatever fails in the second link   the program's machine code
//
// If that gives one text, it is the answer to nvJitLinkGetLinkedCubin. Several (JoinedPtx.h) are
// for the cpu device alone.
//
// Found by dlsym, as Python does (numba, cuda.core); programs that are linked with the library have
// its own functions. Its header names them __nvJitLinkCreate_13_0 and the like, which are exported
// beside the plain names; the second link goes by whichever names the program asked for.
//
// Threads: any; a link belongs to one at a time, as in nvJitLink. Nothing is thrown out of here.
#include "rt/modules/FileText.h"
#include "rt/modules/Lookup.h"
#include "rt/modules/MachineCode.h"
#include "rt/support/JoinedPtx.h"
#include "rt/support/Log.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpusched::modules {
namespace {

using Handle = void*;
constexpr int kSuccess = 0;
constexpr int kInternalError = 6; // NVJITLINK_ERROR_INTERNAL
constexpr int kPtx = 2;           // NVJITLINK_INPUT_PTX
constexpr int kLtoIr = 3;         // NVJITLINK_INPUT_LTOIR
constexpr int kLibrary = 6;       // NVJITLINK_INPUT_LIBRARY

constexpr std::string_view kPlain = "nvJitLink", kDecorated = "__nvJitLink";

/// The library as the program looked it up.
struct Library {
  void* handle = nullptr;
  std::string prefix, suffix; // around "Create": "__nvJitLink", "_13_0"
};

/// What is known of the program's link.
struct Link {
  Handle second = nullptr;      // with -ptx; null: none
  bool secondHasInput = false;  // of LTO
  bool hasOther = false;        // something that cannot be PTX
  std::vector<std::string> ptx; // inputs
  std::string answer;           // in place of machine code, once complete; "": that itself
};

std::mutex mutex; // of both of these
Library library;
std::unordered_map<Handle, Link>& links() {
  static auto* const all = new std::unordered_map<Handle, Link>;
  return *all;
}

/// Does what must not stand in the program's way.
template <class Work> void attempt(Work work) {
  try {
    work();
  } catch (...) {
    GPUSCHED_LOG_ONCE(LogLevel::Error, "trouble with nvJitLink's links (most likely out of "
                                       "memory); they have machine code, and no twins");
  }
}

template <class... Arguments> int call(const char* name, Arguments... arguments) {
  void* function = nullptr;
  attempt([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    function = systemLookup(library.handle, (library.prefix + name + library.suffix).c_str());
  });
  return function ? reinterpret_cast<int (*)(Arguments...)>(function)(arguments...)
                  : kInternalError;
}

/// Of a link that we saw created, else null. It stays where it is while others come and go.
Link* find(Handle handle) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = links().find(handle);
  return found == links().end() ? nullptr : &found->second;
}

void dropSecond(Link& link) {
  if (link.second)
    call("Destroy", &link.second);
  link.second = nullptr;
}

/// An input for LTO was given to the second link.
void follow(Link& link, int result) {
  link.secondHasInput = true;
  if (result != kSuccess)
    dropSecond(link);
}

Handle createSecond(uint32_t count, const char** options) {
  std::vector<const char*> all(options, options + count);
  const auto given = [&](const char* option) {
    for (const char* each : all)
      if (!std::strcmp(each, option))
        return true;
    return false;
  };
  Handle second = nullptr;
  if (!given("-lto") || given("-ptx"))
    return nullptr;
  all.push_back("-ptx");
  return call("Create", &second, uint32_t(all.size()), all.data()) == kSuccess ? second : nullptr;
}

// The functions.

int create(Handle* handle, uint32_t count, const char** options) {
  const int result = call("Create", handle, count, options);
  if (result == kSuccess)
    attempt([&] {
      Link link;
      link.second = createSecond(count, options);
      const std::lock_guard<std::mutex> lock(mutex);
      links().insert_or_assign(*handle, std::move(link));
    });
  return result;
}

int destroy(Handle* handle) {
  if (Link* const link = handle ? find(*handle) : nullptr) {
    dropSecond(*link);
    const std::lock_guard<std::mutex> lock(mutex);
    links().erase(*handle);
  }
  return call("Destroy", handle);
}

/// What the program's link gets. `text`: of PTX; `add`: to a link, as the program does.
template <class Text, class Add> int addInput(Handle handle, int type, Text text, Add add) {
  if (Link* const link = find(handle)) {
    const bool isLto = type == kLtoIr && link->second, hadOther = link->hasOther;
    link->hasOther = true; // for as long as this input is not kept
    attempt([&] {
      if (type == kPtx)
        link->ptx.push_back(text());
      else if (isLto)
        follow(*link, add(link->second));
      link->hasOther = hadOther || !(type == kPtx || isLto || type == kLibrary);
    });
  }
  return add(handle);
}

int addData(Handle handle, int type, const void* data, size_t bytes, const char* name) {
  const char* const text = static_cast<const char*>(data);
  return addInput(
      handle, type, [&] { return std::string(text, strnlen(text, bytes)); },
      [&](Handle link) { return call("AddData", link, type, data, bytes, name); });
}

int addFile(Handle handle, int type, const char* path) {
  return addInput(
      handle, type, [&] { return fileText(path); },
      [&](Handle link) { return call("AddFile", link, type, path); });
}

/// What the second link made; "" for nothing.
std::string linkedPtx(Handle second) {
  size_t bytes = 0;
  if (call("GetLinkedPtxSize", second, &bytes) != kSuccess)
    return "";
  std::string text(bytes, 0);
  if (call("GetLinkedPtx", second, text.data()) != kSuccess)
    return "";
  text.resize(std::strlen(text.c_str()));
  return text;
}

/// What the program gets in place of machine code; "" for the code itself.
std::string ptxOf(const Link& link) {
  if (link.hasOther)
    return "";
  std::vector<std::string> texts = link.ptx;
  if (link.secondHasInput)
    texts.push_back(link.second ? linkedPtx(link.second) : "");
  const bool complete = std::find(texts.begin(), texts.end(), "") == texts.end();
  return complete && (texts.size() == 1 || takesOnlyPtx()) ? joinPtx(texts) : "";
}

int complete(Handle handle) {
  Link* const link = find(handle);
  attempt([&] {
    if (link && link->second && link->secondHasInput)
      follow(*link, call("Complete", link->second));
    if (link)
      link->answer = ptxOf(*link);
  });
  const int result = call("Complete", handle);
  if (link && result != kSuccess)
    link->answer.clear();
  return result;
}

int getCubinSize(Handle handle, size_t* bytes) {
  const Link* const link = find(handle);
  const int result = call("GetLinkedCubinSize", handle, bytes);
  if (result == kSuccess && link && !link->answer.empty())
    *bytes = link->answer.size() + 1;
  return result;
}

int getCubin(Handle handle, char* code) {
  const Link* const link = find(handle);
  if (!link || link->answer.empty())
    return call("GetLinkedCubin", handle, code);
  attempt([&] {
    size_t bytes = 0;
    (void)call("GetLinkedCubinSize", handle, &bytes);
    std::string own(bytes, 0);
    if (call("GetLinkedCubin", handle, own.data()) == kSuccess)
      rememberMachineCode(link->answer, own);
  });
  std::memcpy(code, link->answer.c_str(), link->answer.size() + 1);
  return kSuccess;
}

struct Function {
  std::string_view name;
  void* ours;
};

void* find(std::string_view name) {
  static const Function functions[] = {
      {"Create", reinterpret_cast<void*>(create)},
      {"Destroy", reinterpret_cast<void*>(destroy)},
      {"AddData", reinterpret_cast<void*>(addData)},
      {"AddFile", reinterpret_cast<void*>(addFile)},
      {"Complete", reinterpret_cast<void*>(complete)},
      {"GetLinkedCubinSize", reinterpret_cast<void*>(getCubinSize)},
      {"GetLinkedCubin", reinterpret_cast<void*>(getCubin)},
  };
  for (const Function& each : functions)
    if (each.name == name)
      return each.ours;
  return nullptr;
}

} // namespace

void* jitLinkStandIn(void* handle, const char* name, void* found) {
  std::string_view rest = name;
  const std::string_view prefix = rest.starts_with(kPlain) ? kPlain : kDecorated;
  if (!found || !wantsPtxCode() || !rest.starts_with(prefix))
    return found;
  rest.remove_prefix(prefix.size());
  const std::string_view suffix = rest.substr(std::min(rest.find('_'), rest.size()));
  void* const ours = find(rest.substr(0, rest.size() - suffix.size()));
  if (!ours)
    return found;
  const std::lock_guard<std::mutex> lock(mutex);
  library = {handle, std::string(prefix), std::string(suffix)};
  return ours;
}

} // namespace gpusched::modules
