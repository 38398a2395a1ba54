// StaticRuntimePatch.cpp - redirects a statically linked cudart to this library.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc links cudart statically unless told otherwise, so preloading this library is not enough.
// A constructor, which the linker flag -z initfirst puts before those of every other object (they
// call __cudaRegisterFatBinary), looks at the program and each library that is loaded with it:
//
//   .symtab has cudaMalloc, ...   each function of that cudart jumps to ours of the same name;
//                                 a name we lack jumps to a stub that says so and returns
//                                 cudaErrorNotSupported, so NVIDIA's code never runs; in CUDA 12's
//                                 gpusched12_cudaMalloc comes first (ApiCuda12.cpp)
//   imports cudaMalloc, ...       shared cudart: the dynamic linker has bound it to us
//   neither, but device code      stripped: the program cannot run here; says how to relink
//
// A name that starts with "cuda" counts as cudart's only if it lies between functions that are
// known to be, so a program's own extern "C" functions are left alone. Those that are known are
// the names we have that the file defines once: a linker keeps the members of an archive
// together, so they span the runtime's code. A name may also be defined by the program's objects:
// with --default-stream=per-thread cuda_runtime.h puts a static cudaLaunchKernel into each, and
// gpusched-cc relies on it to call the launch hook. Such a copy lies outside and stays as it is;
// with a shared cudart nothing else would lie anywhere. Binding and visibility do not tell the
// copies apart: GNU ld makes both plain local symbols.
//
// The constructor runs before those of libc: no dlopen (it would run them with an empty
// environment), no getenv. Our own functions are found in our own symbol table.
//
// A library that dlopen() brings later is looked at when it is initialised: the start of its _init,
// which is every linker's crti.o, calls __gmon_start__ if anybody has it, before the library's own
// constructors. We have it. Nobody runs the library's code yet, so it may be written, whatever
// threads there are. Libraries linked without crti.o are not seen.
#include "rt/device/cpu/cudart/ElfSymbols.h"
#include "rt/device/cpu/cudart/NearJumps.h"
#include "rt/support/Log.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <unordered_map>

namespace gpusched::cudart {

static constexpr int kCannotRun = 125;    // as env(1) and timeout(1): the wrapper failed
static constexpr int kNotSupported = 801; // cudaErrorNotSupported

extern "C" int gpuschedUnknownFunction(const char* name) {
  log(LogLevel::Error, "%s is not implemented on the cpu device", name);
  return kNotSupported;
}

namespace {
struct Redirection {
  ElfSymbol symbol;
  void* ours; // null: a function we lack
};
struct LoadedObject {
  std::string path;
  uintptr_t offset;
  bool isProgram;
};
} // namespace

/// Our exported functions by name.
using OurFunctions = std::unordered_map<std::string_view, void*>;

/// CUDA 12's cudart, which has this beside another one for CUDA 11.
static bool isCuda12(const ElfSymbols& object) {
  return !object.functions("cudaGetDeviceProperties_v2").empty();
}

/// Ours for a function of cudart's; null for one that we lack.
static void* find(const OurFunctions& ours, std::string_view name, bool isOf12) {
  if (isOf12)
    if (const auto found = ours.find("gpusched12_" + std::string(name)); found != ours.end())
      return found->second;
  const auto found = ours.find(name);
  return found == ours.end() ? nullptr : found->second;
}

/// cudart's functions in `object`, ours attached; empty when it has no cudart inside.
static std::vector<Redirection> plan(const ElfSymbols& object, const OurFunctions& ours) {
  std::vector<Redirection> all;
  const bool isOf12 = isCuda12(object);
  for (std::string_view prefix : {"cuda", "__cuda"})
    for (const ElfSymbol& symbol : object.functions(prefix))
      all.push_back({symbol, find(ours, symbol.name, isOf12)});
  std::unordered_map<std::string_view, unsigned> definitions;
  for (const Redirection& one : all)
    ++definitions[one.symbol.name];
  uint64_t low = UINT64_MAX, high = 0;
  for (const Redirection& one : all) {
    if (!one.ours || definitions[one.symbol.name] > 1)
      continue;
    low = std::min(low, one.symbol.value);
    high = std::max(high, one.symbol.value);
  }
  std::erase_if(all, [&](const Redirection& one) {
    return one.symbol.value < low || one.symbol.value > high || one.symbol.bytes < 5;
  });
  return all;
}

static void redirectAll(const std::vector<Redirection>& redirections, const LoadedObject& object) {
  uintptr_t low = UINTPTR_MAX, high = 0;
  for (const Redirection& one : redirections) {
    low = std::min<uintptr_t>(low, object.offset + one.symbol.value);
    high = std::max<uintptr_t>(high, object.offset + one.symbol.value + 5);
  }
  NearJumps jumps(low, high, redirections.size());
  if (!jumps.ok() || !NearJumps::setWritable(low, high, true)) {
    log(LogLevel::Error,
        "cannot redirect the CUDA runtime inside %s (its code cannot be made writable); "
        "relink it with -cudart shared",
        object.path.c_str());
    _exit(kCannotRun);
  }
  for (const Redirection& one : redirections) {
    void* function = reinterpret_cast<void*>(object.offset + one.symbol.value);
    if (one.ours)
      jumps.redirect(function, one.ours);
    else
      jumps.redirect(function, reinterpret_cast<void*>(gpuschedUnknownFunction),
                     strndup(one.symbol.name.data(), one.symbol.name.size()));
  }
  NearJumps::setWritable(low, high, false);
}

/// Any function will do: a program without kernels of its own, or whose are all in libraries, wants
/// few. A static cudart leaves none to be wanted.
static bool importsRuntime(const ElfSymbols& file, const OurFunctions& ours) {
  for (std::string_view prefix : {"cuda", "__cuda"})
    for (std::string_view name : file.imports(prefix))
      if (ours.count(name))
        return true;
  return false;
}

/// A program cannot run; a library's launches fail, of which one line is enough: PyTorch loads six
/// of NVIDIA's.
static void sayStripped(const LoadedObject& object) {
  static std::atomic<bool> said = false;
  const LogLevel ofLibrary = said.exchange(true) ? LogLevel::Info : LogLevel::Warning;
  log(object.isProgram ? LogLevel::Error : ofLibrary,
      "%s contains a CUDA runtime that cannot be found because its symbols were stripped%s; "
      "relink it with -cudart shared, or without -s and strip",
      object.path.c_str(),
      object.isProgram
          ? ""
          : ", so its launches find no device (GPUSCHED_LOG=info names others like it)");
  if (object.isProgram)
    _exit(kCannotRun);
}

static void patch(const LoadedObject& object, const OurFunctions& ours) {
  ElfSymbols file(object.path.c_str());
  if (importsRuntime(file, ours))
    return;
  std::vector<Redirection> redirections = plan(file, ours);
  if (!redirections.empty())
    return redirectAll(redirections, object);
  if (file.hasDeviceCode())
    sayStripped(object);
}

namespace {
/// What the constructor leaves for libraries that come later; never freed.
struct Startup {
  std::string ownPath;
  ElfSymbols ownFile; // has the names of `ours`
  OurFunctions ours;
  std::vector<LoadedObject> objects;
};
} // namespace

static const Startup* startup = nullptr; // written before any other object is initialised

static bool mayHaveRuntime(const Startup& known, const LoadedObject& object) {
  return object.path != known.ownPath && object.path.find('/') != std::string::npos;
}

static std::string programPath() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, size_t(length)) : "/proc/self/exe";
}

static int collect(dl_phdr_info* info, size_t, void* data) {
  std::vector<LoadedObject>& objects = *static_cast<std::vector<LoadedObject>*>(data);
  bool isProgram = objects.empty(); // the first one always is
  objects.push_back({isProgram ? programPath() : info->dlpi_name, info->dlpi_addr, isProgram});
  return 0;
}

__attribute__((constructor)) static void redirectStaticRuntimes() {
  Dl_info self;
  if (!dladdr(reinterpret_cast<void*>(gpuschedUnknownFunction), &self))
    return;
  Startup* const found = new Startup{self.dli_fname, ElfSymbols(self.dli_fname), {}, {}};
  for (const ElfSymbol& symbol : found->ownFile.exportedFunctions())
    found->ours.emplace(symbol.name, static_cast<char*>(self.dli_fbase) + symbol.value);
  dl_iterate_phdr(collect, &found->objects);
  for (const LoadedObject& object : found->objects)
    if (mayHaveRuntime(*found, object))
      patch(object, found->ours);
  startup = found;
}

/// The object that `code` is in, if it has come since the start.
static void redirectLate(const void* code) {
  Dl_info info;
  link_map* map = nullptr;
  if (!startup || !dladdr1(code, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP))
    return;
  const LoadedObject object{info.dli_fname, map->l_addr, false};
  for (const LoadedObject& known : startup->objects)
    if (known.offset == object.offset)
      return;
  if (mayHaveRuntime(*startup, object))
    patch(object, startup->ours);
}

} // namespace gpusched::cudart

/// The linker's hook for profilers (gcc -pg has its own, in the program).
extern "C" __attribute__((visibility("default"))) void __gmon_start__() {
  gpusched::cudart::redirectLate(__builtin_return_address(0));
}
