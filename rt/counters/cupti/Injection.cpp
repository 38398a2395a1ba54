// Injection.cpp - libgpusched_profiler.so: measures the program that the driver loads it into.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   CUDA_INJECTION64_PATH=libgpusched_profiler.so -> the driver calls InitializeInjection in cuInit
//     -> subscribe to contexts and launches            one subscriber a process is all CUPTI allows
//        first context  -> Collector::start            range: at its first launch, when the
//                                                      context is whole
//        each launch    -> Collector::beforeLaunch     range only
//        context's end or exit -> Collector::finish -> GPUSCHED_MEASURE_OUTPUT
//
// cuInit has succeeded when the driver loads this, which is why no CudaDriver is asked for here.
//
// Handlers of exit run newest first, destructors among them. CUPTI loads libraries of its own when
// a collector starts, and calls after their destructors corrupt the heap: finish is asked for at
// exit again once the collector has started, so that it runs before those. It acts once.
//
// Only the first context is measured. Whatever fails is one line in the file's `problem`; the
// program goes on. Threads: callbacks come from any; one lock around the collector. What CUPTI
// itself launches or creates while a collector runs calls back on the same thread and is ignored.
#include "rt/counters/cupti/Collector.h"
#include "rt/counters/cupti/CuptiProbe.h"

#include "rt/support/Environment.h"
#include "rt/support/Log.h"
#include "rt/support/ProgramName.h"

#include <cupti_driver_cbid.h>

#include <cstdlib>
#include <mutex>
#include <optional>

namespace gpusched {
namespace {

constexpr const char* kRange = "range";

constexpr CUpti_CallbackId kLaunches[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
};

/// cuLaunchKernel_params and cuLaunchKernelEx_params of generated_cuda_meta.h, as far as they are
/// read. That header cannot be included: it needs types of CUDA 3 that cuda.h no longer has.
struct LaunchParameters {
  CUfunction function;
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes;
};
struct ExtendedLaunchParameters {
  const CUlaunchConfig* config;
};

bool isExtended(CUpti_CallbackId id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz;
}

/// The cooperative launch has the parameters of the plain one up to its stream.
LaunchShape shapeOf(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  LaunchShape shape;
  shape.kernel = data.symbolName ? data.symbolName : "";
  if (isExtended(id)) {
    const CUlaunchConfig& config =
        *static_cast<const ExtendedLaunchParameters*>(data.functionParams)->config;
    shape.blocks = uint64_t(config.gridDimX) * config.gridDimY * config.gridDimZ;
    shape.threadsPerBlock = config.blockDimX * config.blockDimY * config.blockDimZ;
    shape.dynamicSharedBytes = config.sharedMemBytes;
  } else {
    const auto& launch = *static_cast<const LaunchParameters*>(data.functionParams);
    shape.blocks = uint64_t(launch.gridX) * launch.gridY * launch.gridZ;
    shape.threadsPerBlock = launch.blockX * launch.blockY * launch.blockZ;
    shape.dynamicSharedBytes = launch.sharedBytes;
  }
  return shape;
}

void finishAtExit();

class Injection {
public:
  /// False: the request is not for us.
  bool begin() {
    output_ = environment("GPUSCHED_MEASURE_OUTPUT");
    Result<MeasureRequest> request = MeasureRequest::parse(environment("GPUSCHED_MEASURE"));
    Result<Cupti> cupti = Cupti::open(CuptiDriver::Answers); // it has loaded us
    if (output_.empty() || !request || !cupti)
      return refuse(!request ? request.message() : !cupti ? cupti.message() : "no output file");
    request_ = *request;
    cupti_ = *cupti;
    file_.program = runningProgram();
    file_.source = request_.source;
    file_.cuptiVersion = cupti_->version();
    if (Status status = subscribe(); !status)
      return refuse(status.message());
    return true;
  }

  void contextCreated(CUcontext context) {
    Entry entry(*this);
    if (entry.nested() || context_ || finished_)
      return;
    context_ = context;
    if (request_.source != kRange)
      start();
  }

  void contextGoes(CUcontext context) {
    if (context == context_)
      finish();
  }

  void beforeLaunch(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    Entry entry(*this);
    if (entry.nested() || data.context != context_ || !context_ || finished_ || !problem_.ok())
      return;
    if (!collector_)
      start();
    if (problem_.ok())
      problem_ = collector_->beforeLaunch(shapeOf(id, data));
  }

  void finish() {
    Entry entry(*this);
    if (entry.nested() || std::exchange(finished_, true))
      return;
    if (collector_) {
      Status last =
          collector_->finish(file_, uint32_t(environmentNumber("GPUSCHED_BLOCKS_PER_SM")));
      if (problem_.ok())
        problem_ = last;
    }
    file_.problem = problem_.message();
    if (Status written = writeMeasurement(output_, file_); !written)
      log(LogLevel::Error, "%s", written.message().c_str());
  }

private:
  /// Holds the lock; nested when this thread already did.
  class Entry {
  public:
    explicit Entry(Injection& owner) : owner_(owner), lock_(owner.mutex_) { ++owner_.depth_; }
    ~Entry() { --owner_.depth_; }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    bool nested() const { return owner_.depth_ > 1; }

  private:
    Injection& owner_;
    std::lock_guard<std::recursive_mutex> lock_;
  };

  bool refuse(const std::string& why) {
    file_.problem = why;
    log(LogLevel::Warning, "nothing is measured: %s", why.c_str());
    finished_ = true;
    if (!output_.empty())
      (void)writeMeasurement(output_, file_).ok();
    return false;
  }

  Status subscribe();

  void start() {
    problem_ = makeCollector();
    if (problem_.ok())
      problem_ = collector_->start(context_);
    finishAtExit();
  }

  Status makeCollector() {
    CuptiObstacle obstacle = CuptiObstacle::None;
    if (request_.source == "activity")
      collector_ = makeActivityCollector(*cupti_);
    else if (request_.source == "pc")
      collector_ = makePcCollector(*cupti_);
    if (collector_)
      return {};
    Result<std::string> chip = startProfiler(*cupti_, 0, obstacle);
    if (!chip)
      return chip.status();
    file_.chip = *chip;
    if (request_.source == kRange)
      collector_ = makeRangeCollector(*cupti_, *chip, request_.counters);
    else
      collector_ = makePmCollector(*cupti_, *chip, request_);
    return {};
  }

  std::recursive_mutex mutex_;
  int depth_ = 0;
  std::optional<Cupti> cupti_;
  MeasureRequest request_;
  std::string output_;
  MeasurementFile file_;
  std::unique_ptr<Collector> collector_;
  CUcontext context_ = nullptr;
  Status problem_;
  bool finished_ = false;
};

Injection& injection() {
  static Injection* const kInjection = new Injection; // callbacks may come during exit
  return *kInjection;
}

void finishAtExit() {
  (void)std::atexit([] { injection().finish(); });
}

void CUPTIAPI onCallback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                         const void* data) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    CUcontext context = static_cast<const CUpti_ResourceData*>(data)->context;
    if (id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED)
      injection().contextCreated(context);
    else if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
      injection().contextGoes(context);
    return;
  }
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API && call.callbackSite == CUPTI_API_ENTER)
    injection().beforeLaunch(id, call);
}

Status Injection::subscribe() {
  const CuptiTable& calls = cupti_->calls();
  CUpti_SubscriberHandle handle = nullptr;
  if (Status status =
          cupti_->check(calls.cuptiSubscribe(&handle, onCallback, nullptr),
                        "subscribing to CUPTI (does another tool profile this process?)");
      !status)
    return status;
  for (CUpti_CallbackId id :
       {CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING})
    if (Status status =
            cupti_->check(calls.cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_RESOURCE, id),
                          "watching contexts");
        !status)
      return status;
  if (request_.source != kRange)
    return {};
  for (CUpti_CallbackId id : kLaunches)
    if (Status status =
            cupti_->check(calls.cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_DRIVER_API, id),
                          "watching launches");
        !status)
      return status;
  return {};
}

} // namespace
} // namespace gpusched

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  if (!gpusched::environment("GPUSCHED_MEASURE").empty() && gpusched::injection().begin())
    gpusched::finishAtExit(); // a program without contexts
  return 1;
}
