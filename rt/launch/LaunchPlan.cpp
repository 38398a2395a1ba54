// LaunchPlan.cpp - asks the CUDA runtime once what a launch configuration can do.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every question that fails leaves the plan native, with the reason; the errors of our own
// questions are taken out of cudaGetLastError. Registers are counted as the hardware allocates
// them (rt/support/WarpRegisters.h).
#include "rt/launch/LaunchPlan.h"

#include "rt/profile/ProfileStore.h"
#include "rt/support/KernelName.h"
#include "rt/support/Log.h"
#include "rt/support/RoundUp.h"
#include "rt/support/WarpRegisters.h"

#include <algorithm>

namespace gpusched {
namespace {

// Of every GPU that CUDA 13 supports.
constexpr uint64_t kRegisterUnit = 256, kRegistersPerScheduler = 16384;
constexpr uint64_t kWarp = 32;
constexpr size_t kSharedAlignment = 16; // GPUSCHED_KERNEL_SHARED_SHIFT

bool queryAttributes(const gpusched_cudart& runtime, const void* function,
                     cudart::FunctionAttributes& attributes) {
  if (runtime.funcGetAttributes(&attributes, function) == cudart::kSuccess)
    return true;
  cudart::discardError(runtime);
  return false;
}

uint32_t queryOccupancy(const gpusched_launch_request& request, const void* function,
                        size_t dynamicBytes) {
  int blocks = 0;
  int threads = int(cudart::count(request.block));
  if (request.cudart->occupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads,
                                                                dynamicBytes) == cudart::kSuccess &&
      blocks > 0)
    return uint32_t(blocks);
  cudart::discardError(*request.cudart);
  return 0;
}

bool setAttribute(const gpusched_cudart& runtime, const void* function, int name, int value) {
  if (runtime.funcSetAttribute(function, name, value) == cudart::kSuccess)
    return true;
  cudart::discardError(runtime);
  return false;
}

/// False where the two come from different binaries. Files may share one host stub (weak kernels,
/// nvcc's -static-global-template-stub=false) and hold device code and variables each; whose code a
/// stub launches, CUDA alone decides. Where nobody can tell, they are believed to belong together.
bool ofOneModule(const gpusched_cudart& runtime, const void* first, const void* second) {
  using GetModule = int (*)(void** module, void* function);
  void *handles[2] = {}, *modules[2] = {};
  const GetModule getModule = cudart::driverFunction<GetModule>(
      runtime, "cuFuncGetModule", cudart::kDriverVersionOfFunctionModule);
  bool known = getModule && runtime.getFuncBySymbol(&handles[0], first) == cudart::kSuccess &&
               runtime.getFuncBySymbol(&handles[1], second) == cudart::kSuccess;
  if (getModule && !known)
    cudart::discardError(runtime);
  for (int i = 0; i < 2 && known; ++i)
    known = getModule(&modules[i], handles[i]) == cudart::kSuccess;
  return !known || modules[0] == modules[1];
}

/// Of a kernel that no object has registered; empty where the driver does not say it.
std::string symbolOf(const gpusched_cudart& runtime, const void* function) {
  using GetName = int (*)(const char** name, void* function);
  void* handle = nullptr;
  const char* symbol = nullptr;
  const GetName getName = cudart::driverFunction<GetName>(runtime, "cuFuncGetName",
                                                          cudart::kDriverVersionOfFunctionName);
  if (!getName || !cudart::succeeded(runtime, runtime.getFuncBySymbol(&handle, function)) ||
      getName(&symbol, handle) != cudart::kSuccess || !symbol)
    return "";
  return symbol;
}

/// Gives `function`, which has `own`, this carve-out, and room for `wanted` bytes: as much as the
/// program may ask for later, `most`; where the device has less, what it asks for now.
bool giveAttributes(const gpusched_cudart& runtime, const void* function,
                    const cudart::FunctionAttributes& own, int carveout, size_t most,
                    size_t wanted) {
  if (carveout != own.preferredShmemCarveout)
    setAttribute(runtime, function, cudart::kFuncPreferredSharedMemoryCarveout, carveout);
  if (wanted <= size_t(own.maxDynamicSharedSizeBytes))
    return true;
  const auto allow = [&](size_t bytes) {
    return setAttribute(runtime, function, cudart::kFuncMaxDynamicSharedMemorySize, int(bytes));
  };
  return allow(most) || allow(wanted);
}

/// Gives the twin what the program gave the native kernel, and room for its own words.
bool mirrorAttributes(const gpusched_launch_request& request, const LaunchPlan& plan,
                      const cudart::FunctionAttributes& native) {
  const void* const twin = plan.kernel->persistent;
  cudart::FunctionAttributes own;
  return queryAttributes(*request.cudart, twin, own) &&
         giveAttributes(*request.cudart, twin, own, native.preferredShmemCarveout,
                        plan.twinSharedBytes(size_t(native.maxDynamicSharedSizeBytes)),
                        plan.twinSharedBytes(request.sharedBytes));
}

/// Empty when the twin is usable; fills persistentOccupancy.
std::string prepareTwin(LaunchPlan& plan, const gpusched_launch_request& request,
                        const cudart::FunctionAttributes& native) {
  if (!plan.kernel)
    return "kept native by the compiler, or not compiled by gpusched-cc";
  if (plan.kernel->first)
    return "runs the blocks of two launches";
  if (!plan.kernel->persistent)
    return *plan.kernel->file ? "kept native by the compiler" : "of no compiler of ours";
  if (native.binaryVersion < cudart::kOldestTwin)
    return "its code is for a GPU older than sm_70";
  if (request.sharedBytes > size_t(native.maxDynamicSharedSizeBytes))
    return "the program did not ask for so much dynamic shared memory";
  if (!ofOneModule(*request.cudart, request.function, plan.kernel->persistent))
    return "its persistent variant belongs to another binary's kernel of this name";
  if (!mirrorAttributes(request, plan, native))
    return "its persistent variant does not take the native one's attributes";
  plan.persistentOccupancy =
      queryOccupancy(request, plan.kernel->persistent, plan.twinSharedBytes(request.sharedBytes));
  if (plan.persistentOccupancy == 0)
    return "no block of its persistent variant fits on an SM";
  return "";
}

/// Empty when the kernel, which is one for pairs, can stand for launches of both.
std::string preparePair(const gpusched_kernel& pair, const gpusched_launch_request& request,
                        const cudart::FunctionAttributes& own) {
  // A pair that gpusched-cicc could not make has a limit of one thread.
  const uint64_t threads = std::max<uint64_t>(cudart::count(request.block), kWarp);
  if (own.maxThreadsPerBlock < 0 || threads > uint64_t(own.maxThreadsPerBlock))
    return "their kernel does not take so many threads, or could not be made";
  cudart::FunctionAttributes sides[2];
  const void* const stubs[] = {pair.first, pair.second};
  for (int side = 0; side < 2; ++side) {
    if (!queryAttributes(*request.cudart, stubs[side], sides[side]))
      return "the CUDA runtime does not know the attributes of one";
    if (!ofOneModule(*request.cudart, stubs[side], request.function))
      return "their kernel belongs to another binary";
  }
  // What the program gave the two, and room for the needier one.
  const auto larger = [&](int cudart::FunctionAttributes::* attribute) {
    return std::max(sides[0].*attribute, sides[1].*attribute);
  };
  if (!giveAttributes(*request.cudart, request.function, own,
                      larger(&cudart::FunctionAttributes::preferredShmemCarveout),
                      size_t(larger(&cudart::FunctionAttributes::maxDynamicSharedSizeBytes)),
                      request.sharedBytes))
    return "their kernel does not take their attributes";
  return "";
}

void fillStatic(PolicyKernel& kernel, const LaunchPlan& plan,
                const gpusched_launch_request& request,
                const cudart::FunctionAttributes& attributes) {
  int device = 0;
  (void)cudart::succeeded(*request.cudart, request.cudart->getDevice(&device));
  kernel.threadsPerBlock = uint32_t(cudart::count(request.block));
  kernel.registersPerBlock = registersOfBlock(kernel.threadsPerBlock, uint32_t(attributes.numRegs),
                                              kRegisterUnit, kRegistersPerScheduler);
  kernel.hasPersistent = plan.persistentOccupancy > 0;
  kernel.sharedBytesPerBlock =
      attributes.sharedSizeBytes +
      (kernel.hasPersistent ? plan.twinSharedBytes(request.sharedBytes) : request.sharedBytes) +
      cudart::attribute(*request.cudart, cudart::kAttributeReservedSharedMemoryPerBlock, device, 0);
  kernel.occupancyBlocksPerSm =
      kernel.hasPersistent ? plan.persistentOccupancy : plan.nativeOccupancy;
}

} // namespace

size_t LaunchPlan::twinSharedBytes(size_t dynamicBytes) const {
  const size_t own = (kernel->flags >> GPUSCHED_KERNEL_SHARED_SHIFT) * size_t(GPUSCHED_SHARED_UNIT);
  return own == 0 ? dynamicBytes : roundUp(uint64_t(dynamicBytes), kSharedAlignment) + own;
}

void makePlan(LaunchPlan& plan, const gpusched_launch_request& request,
              const gpusched_kernel* kernel, const ProfileStore* store) {
  plan.kernel = kernel;
  plan.function = request.function;
  cudart::FunctionAttributes native;
  if (!queryAttributes(*request.cudart, request.function, native)) {
    plan.whyNative = plan.whyApart = "the CUDA runtime does not know its attributes";
    return;
  }
  const bool isPair = kernel && kernel->first;
  if (isPair)
    plan.whyApart = preparePair(*kernel, request, native);
  plan.maxThreads = uint32_t(std::max(0, native.maxThreadsPerBlock));
  plan.maxDynamicShared = size_t(std::max(0, native.maxDynamicSharedSizeBytes));
  plan.nativeOccupancy = queryOccupancy(request, request.function, request.sharedBytes);
  if (isPair && plan.whyApart.empty() && plan.nativeOccupancy == 0)
    plan.whyApart = "no block of their kernel fits on an SM";
  plan.whyNative = prepareTwin(plan, request, native);
  cudart::FunctionAttributes used = native;
  if (plan.persistentOccupancy > 0)
    (void)queryAttributes(*request.cudart, kernel->persistent, used);
  fillStatic(plan.policyKernel, plan, request, used);
  const std::string known = kernel ? kernel->name : symbolOf(*request.cudart, request.function);
  plan.policyKernel.name = known.empty() ? "(unknown)" : kernelName(known);
  const DynamicProfile* dynamic =
      store ? store->find(known, plan.policyKernel.threadsPerBlock) : nullptr;
  if (dynamic)
    plan.policyKernel.learn(*dynamic);
  log(LogLevel::Debug, "kernel '%s', %u threads: native %u, persistent %u blocks per SM%s%s",
      plan.policyKernel.name.c_str(), plan.policyKernel.threadsPerBlock, plan.nativeOccupancy,
      plan.persistentOccupancy, plan.whyNative.empty() ? "" : "; native because ",
      plan.whyNative.c_str());
}

void makeGraphPlan(LaunchPlan& plan, const DeviceLimits& limits) {
  plan.whyNative = "a graph";
  plan.policyKernel.name = "(graph)";
  plan.policyKernel.threadsPerBlock = limits.threadsPerSm;
  plan.policyKernel.occupancyBlocksPerSm = plan.nativeOccupancy = 1;
}

} // namespace gpusched
