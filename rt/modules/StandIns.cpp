// StandIns.cpp - libgpusched_modules.so: launches of modules' kernels, offered to the runtime.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   cuLaunchKernel(f)  preloaded: found before the driver's, by linking, dlsym or cuGetProcAddress
//     GPUSCHED unset, any trouble  -> the driver's cuLaunchKernel
//     f has a twin                 -> gpusched_rt_launch with the driver as CUDA runtime
//                                     (DriverCudart.h)
//     else                         -> gpusched_rt_launch_unmanaged, which makes this very launch;
//                                     graphs the same
//
// A program that links or opens libcuda.so.1 and one that uses the CUDA runtime, which is such a
// program itself, meet these functions. What a twin could not be launched as is unmanaged, too:
// cooperatively, or with attributes that matter. Launches that the runtime library makes go on to
// the driver, since it refuses those from inside itself.
//
// Threads: any, as in the driver. An unload forgets what was known before the driver is told, since
// the handles may be given again afterwards.
#include "rt/modules/DriverCudart.h"
#include "rt/modules/Forward.h"
#include "rt/modules/Lookup.h"
#include "rt/modules/ModuleKernels.h"
#include "rt/support/Environment.h"
#include "rt/support/Log.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>

// cuda.h names the second form by the first's name.
#undef cuGetProcAddress

namespace gpusched::modules {
namespace {

/// The runtime library, or nulls: it is asked for as in host/Program.h.
struct RuntimeLibrary {
  gpusched_rt_launch_function launch = nullptr;
  gpusched_rt_launch_unmanaged_function launchUnmanaged = nullptr;
  gpusched_rt_unloading_function unloading = nullptr;
};

RuntimeLibrary openRuntime() {
  RuntimeLibrary found;
  const std::string policy = environment("GPUSCHED");
  if (policy.empty() || policy == "0" || policy == "native")
    return found;
  const std::string path = environment("GPUSCHED_RT");
  void* const library = dlopen(path.empty() ? "libgpusched_rt.so" : path.c_str(), RTLD_NOW);
  if (!library) {
    log(LogLevel::Warning, "no runtime (%s); kernels of modules launch natively", dlerror());
    return found;
  }
  found.launch = reinterpret_cast<gpusched_rt_launch_function>(
      systemLookup(library, GPUSCHED_RT_LAUNCH_SYMBOL));
  found.launchUnmanaged = reinterpret_cast<gpusched_rt_launch_unmanaged_function>(
      systemLookup(library, GPUSCHED_RT_LAUNCH_UNMANAGED_SYMBOL));
  found.unloading = reinterpret_cast<gpusched_rt_unloading_function>(
      systemLookup(library, GPUSCHED_RT_UNLOADING_SYMBOL));
  return found;
}

const RuntimeLibrary& runtime() {
  static const RuntimeLibrary library = openRuntime();
  return library;
}

ModuleKernels& kernels() {
  static ModuleKernels* const known = new ModuleKernels; // launches from static destructors find it
  return *known;
}

void sayTrouble() {
  GPUSCHED_LOG_ONCE(LogLevel::Error, "trouble with kernels of modules (most likely out of memory); "
                                     "they launch natively");
}

struct Launch {
  CUfunction function;
  gpusched_dim3 grid, block;
  unsigned sharedBytes;
  CUstream stream;
  void **arguments, **extra;
};

/// The arguments in the packed buffer of `extra`, or none.
std::vector<void*> unpack(const ModuleKernel& kernel, void** extra) {
  char* buffer = nullptr;
  for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2)
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = static_cast<char*>(extra[1]);
  std::vector<void*> arguments;
  for (size_t offset : kernel.offsets)
    if (buffer)
      arguments.push_back(buffer + offset);
  return arguments;
}

/// `function`: as the runtime knows it.
gpusched_launch_request requestOf(DefaultStream kind, const Launch& launch, const void* function) {
  gpusched_launch_request request = {};
  request.abi_version = GPUSCHED_ABI_VERSION;
  request.function = function;
  request.grid = launch.grid;
  request.block = launch.block;
  request.arguments = launch.arguments;
  request.sharedBytes = launch.sharedBytes;
  request.stream = launch.stream;
  request.kernels = kernels().list();
  request.cudart = &driverCudart(kind);
  return request;
}

/// What the runtime may do in a launch's place.
enum class Offer : uint8_t {
  Any,      ///< it may be made with other attributes, or as a twin
  Unmanaged ///< nothing: it is as the program made it
};

/// True when the runtime made the launch, one that it does not change by `make(data)`; `result` is
/// then what the program shall see.
bool offer(DefaultStream kind, const Launch& launch, Offer what, int (*make)(void*), void* data,
           CUresult& result) {
  if (!runtime().launch)
    return false;
  const ModuleDriver* const api = driver(kind);
  const ModuleKernel* const kernel = api ? kernels().find(*api, launch.function) : nullptr;
  if (!kernel)
    return false;
  gpusched_launch_request request = requestOf(kind, launch, kernel->kernel.native);
  int error = CUDA_SUCCESS;
  bool made = false;
  if (what == Offer::Unmanaged || !kernel->kernel.persistent) {
    made = runtime().launchUnmanaged && runtime().launchUnmanaged(&request, make, data, &error);
  } else {
    std::vector<void*> packed;
    if (!launch.arguments) {
      packed = unpack(*kernel, launch.extra);
      request.arguments = packed.data();
    }
    if (!launch.arguments && packed.size() != kernel->offsets.size())
      return false; // the driver says what is wrong
    made = runtime().launch(&request, &error) != 0;
  }
  result = CUresult(error);
  return made;
}

/// The same of a whole graph.
bool offerGraph(DefaultStream kind, CUstream stream, int (*make)(void*), void* data,
                CUresult& result) {
  if (!runtime().launchUnmanaged || !driver(kind))
    return false;
  const Launch launch = {nullptr, {1, 1, 1}, {1, 1, 1}, 0, stream, nullptr, nullptr};
  const gpusched_launch_request request = requestOf(kind, launch, nullptr);
  int error = CUDA_SUCCESS;
  const bool made = runtime().launchUnmanaged(&request, make, data, &error) != 0;
  result = CUresult(error);
  return made;
}

/// `forward()` is the driver's own launch, which `offering(make, data, result)` offers to the
/// runtime. For functions that no exception may leave.
template <class Forward, class Offering>
CUresult launchBy(const Forward& forward, const Offering& offering) {
  CUresult result = CUDA_SUCCESS;
  try {
    const auto make = [](void* data) { return int((*static_cast<const Forward*>(data))()); };
    if (offering(make, const_cast<Forward*>(&forward), result))
      return result;
  } catch (...) {
    sayTrouble();
  }
  return forward();
}

template <class Forward>
CUresult launchBy(const Forward& forward, DefaultStream kind, const Launch& launch, Offer what) {
  return launchBy(forward, [&](int (*make)(void*), void* data, CUresult& result) {
    return offer(kind, launch, what, make, data, result);
  });
}

/// Attributes that may be left out, as in host/Program.h.
bool attributesMayGo(const CUlaunchConfig& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id != CU_LAUNCH_ATTRIBUTE_IGNORE &&
        config.attrs[i].id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      return false;
  return true;
}

Launch launchOf(const CUlaunchConfig& config, CUfunction function, void** arguments, void** extra) {
  return {function,
          {config.gridDimX, config.gridDimY, config.gridDimZ},
          {config.blockDimX, config.blockDimY, config.blockDimZ},
          config.sharedMemBytes,
          config.hStream,
          arguments,
          extra};
}

/// The kernel may be launched in place of a function, which nobody could tell from its address.
void learn(CUlibrary library, CUkernel kernel) {
  try {
    if (runtime().launch)
      kernels().addLibraryKernel(library, kernel);
  } catch (...) {
    sayTrouble();
  }
}

void beforeUnload(CUlibrary library) {
  if (runtime().launch && kernels().forget(library) && runtime().unloading)
    runtime().unloading();
}

/// What cuGetProcAddress found under `symbol`, or ours in its place.
void replace(const char* symbol, int version, cuuint64_t flags, void** function) {
  if (!symbol || !function || !*function)
    return;
  std::string exported = symbol;
  if (exported == "cuGetProcAddress" && version >= 12000)
    exported += "_v2";
  else if ((exported.starts_with("cuLaunch") || exported == "cuGraphLaunch") &&
           (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM))
    exported += "_ptsz";
  if (void* const ours = standIn(exported.c_str()))
    *function = ours;
}

} // namespace
} // namespace gpusched::modules

using namespace gpusched::modules;

// Of Nvrtc.cpp.
extern "C" int nvrtcGetCUBIN(void* program, char* code);
extern "C" int nvrtcGetCUBINSize(void* program, size_t* bytes);

#define GPUSCHED_LAUNCH_STAND_INS(SUFFIX, KIND)                                                    \
  GPUSCHED_STAND_IN_FUNCTION cuLaunchKernel##SUFFIX(                                               \
      CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,        \
      unsigned blockY, unsigned blockZ, unsigned shared, CUstream stream, void** arguments,        \
      void** extra) {                                                                              \
    GPUSCHED_FORWARD(cuLaunchKernel##SUFFIX);                                                      \
    const CUlaunchConfig config = {gridX,  gridY,  gridZ,  blockX,  blockY,                        \
                                   blockZ, shared, stream, nullptr, 0};                            \
    return launchBy(                                                                               \
        [&] {                                                                                      \
          return forward(function, gridX, gridY, gridZ, blockX, blockY, blockZ, shared, stream,    \
                         arguments, extra);                                                        \
        },                                                                                         \
        KIND, launchOf(config, function, arguments, extra), Offer::Any);                           \
  }                                                                                                \
  GPUSCHED_STAND_IN_FUNCTION cuLaunchKernelEx##SUFFIX(                                             \
      const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra) {         \
    GPUSCHED_FORWARD(cuLaunchKernelEx##SUFFIX);                                                    \
    const auto itself = [&] { return forward(config, function, arguments, extra); };               \
    return config ? launchBy(itself, KIND, launchOf(*config, function, arguments, extra),          \
                             attributesMayGo(*config) ? Offer::Any : Offer::Unmanaged)             \
                  : itself();                                                                      \
  }                                                                                                \
  GPUSCHED_STAND_IN_FUNCTION cuLaunchCooperativeKernel##SUFFIX(                                    \
      CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,        \
      unsigned blockY, unsigned blockZ, unsigned shared, CUstream stream, void** arguments) {      \
    GPUSCHED_FORWARD(cuLaunchCooperativeKernel##SUFFIX);                                           \
    const CUlaunchConfig config = {gridX,  gridY,  gridZ,  blockX,  blockY,                        \
                                   blockZ, shared, stream, nullptr, 0};                            \
    return launchBy(                                                                               \
        [&] {                                                                                      \
          return forward(function, gridX, gridY, gridZ, blockX, blockY, blockZ, shared, stream,    \
                         arguments);                                                               \
        },                                                                                         \
        KIND, launchOf(config, function, arguments, nullptr), Offer::Unmanaged);                   \
  }

#define GPUSCHED_GRAPH_STAND_IN(SUFFIX, KIND)                                                      \
  GPUSCHED_STAND_IN_FUNCTION cuGraphLaunch##SUFFIX(CUgraphExec graph, CUstream stream) {           \
    GPUSCHED_FORWARD(cuGraphLaunch##SUFFIX);                                                       \
    return launchBy([&] { return forward(graph, stream); },                                        \
                    [&](int (*make)(void*), void* data, CUresult& result) {                        \
                      return offerGraph(KIND, stream, make, data, result);                         \
                    });                                                                            \
  }

GPUSCHED_LAUNCH_STAND_INS(, DefaultStream::Legacy)
GPUSCHED_LAUNCH_STAND_INS(_ptsz, DefaultStream::PerThread)
GPUSCHED_GRAPH_STAND_IN(, DefaultStream::Legacy)
GPUSCHED_GRAPH_STAND_IN(_ptsz, DefaultStream::PerThread)

GPUSCHED_STAND_IN_FUNCTION cuModuleUnload(CUmodule module) {
  beforeUnload(nullptr);
  GPUSCHED_FORWARD(cuModuleUnload);
  return forward(module);
}

GPUSCHED_STAND_IN_FUNCTION cuLibraryUnload(CUlibrary library) {
  beforeUnload(library);
  GPUSCHED_FORWARD(cuLibraryUnload);
  return forward(library);
}

GPUSCHED_STAND_IN_FUNCTION cuLibraryGetKernel(CUkernel* kernel, CUlibrary library,
                                              const char* name) {
  GPUSCHED_FORWARD(cuLibraryGetKernel);
  const CUresult result = forward(kernel, library, name);
  if (result == CUDA_SUCCESS)
    learn(library, *kernel);
  return result;
}

GPUSCHED_STAND_IN_FUNCTION cuLibraryEnumerateKernels(CUkernel* all, unsigned count,
                                                     CUlibrary library) {
  GPUSCHED_FORWARD(cuLibraryEnumerateKernels);
  std::fill_n(all, all ? count : 0, nullptr);
  const CUresult result = forward(all, count, library);
  for (unsigned i = 0; all && i < count && result == CUDA_SUCCESS; ++i)
    if (all[i])
      learn(library, all[i]);
  return result;
}

GPUSCHED_STAND_IN_FUNCTION cuGetProcAddress_v2(const char* symbol, void** function, int version,
                                               cuuint64_t flags,
                                               CUdriverProcAddressQueryResult* status) {
  GPUSCHED_FORWARD(cuGetProcAddress_v2);
  const CUresult result = forward(symbol, function, version, flags, status);
  if (result == CUDA_SUCCESS)
    replace(symbol, version, flags, function);
  return result;
}

GPUSCHED_STAND_IN_FUNCTION cuGetProcAddress(const char* symbol, void** function, int version,
                                            cuuint64_t flags) {
  GPUSCHED_FORWARD(cuGetProcAddress);
  const CUresult result = forward(symbol, function, version, flags);
  if (result == CUDA_SUCCESS)
    replace(symbol, version, flags, function);
  return result;
}

void* gpusched::modules::standIn(const char* name) {
  struct StandIn {
    const char* name;
    void* function;
  };
  static const StandIn standIns[] = {
#define GPUSCHED_STAND_IN(NAME) {#NAME, reinterpret_cast<void*>(&NAME)},
#include "rt/modules/StandIns.def"
  };
  for (const StandIn& each : standIns)
    if (!std::strcmp(each.name, name))
      return each.function;
  return nullptr;
}
