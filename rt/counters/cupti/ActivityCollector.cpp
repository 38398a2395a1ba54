// ActivityCollector.cpp - start and end of every kernel, from CUPTI's activity records.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CONCURRENT_KERNEL, never KERNEL: the latter runs kernels one by one. Needs no permission. CUPTI
// hands filled buffers to a thread of its own; it parses them there under a lock. Records are kept
// up to kMaxSpans, later ones count as dropped.
#include "rt/counters/cupti/Collector.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace gpusched {
namespace {

constexpr size_t kBufferBytes = 8u << 20;
constexpr size_t kMaxSpans = 1'000'000;

/// CUPTI's callbacks have no user data, so there is one of these in the process.
struct Records {
  std::mutex mutex;
  const CuptiTable* calls = nullptr;
  std::vector<KernelSpan> spans;
  uint64_t dropped = 0;
};

Records& records() {
  static Records* const kRecords = new Records; // CUPTI's thread may outlive static objects
  return *kRecords;
}

void CUPTIAPI giveBuffer(uint8_t** buffer, size_t* bytes, size_t* maxRecords) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, kBufferBytes));
  *bytes = *buffer ? kBufferBytes : 0;
  *maxRecords = 0; // as many as fit
}

KernelSpan spanOf(const CUpti_ActivityKernel10& kernel) {
  KernelSpan span;
  span.shape.kernel = kernel.name ? kernel.name : "";
  span.shape.threadsPerBlock = uint32_t(kernel.blockX * kernel.blockY * kernel.blockZ);
  span.shape.blocks = uint64_t(kernel.gridX) * uint64_t(kernel.gridY) * uint64_t(kernel.gridZ);
  span.shape.dynamicSharedBytes = uint64_t(std::max(kernel.dynamicSharedMemory, 0));
  span.startNs = kernel.start;
  span.endNs = kernel.end;
  span.registersPerThread = kernel.registersPerThread;
  span.staticSharedBytes = uint64_t(std::max(kernel.staticSharedMemory, 0));
  return span;
}

void CUPTIAPI takeBuffer(CUcontext context, uint32_t stream, uint8_t* buffer, size_t,
                         size_t validBytes) {
  Records& all = records();
  std::lock_guard<std::mutex> lock(all.mutex);
  CUpti_Activity* record = nullptr;
  while (validBytes &&
         all.calls->cuptiActivityGetNextRecord(buffer, validBytes, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      continue;
    if (all.spans.size() < kMaxSpans)
      all.spans.push_back(spanOf(*reinterpret_cast<const CUpti_ActivityKernel10*>(record)));
    else
      ++all.dropped;
  }
  size_t dropped = 0;
  if (all.calls->cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS)
    all.dropped += dropped;
  std::free(buffer);
}

class ActivityCollector : public Collector {
public:
  explicit ActivityCollector(const Cupti& cupti) : cupti_(cupti) {}

  Status start(CUcontext) override { return startKernelRecords(cupti_); }

  Status finish(MeasurementFile& file, uint32_t blocksPerSm) override {
    file.kernels = sumTimes(takeKernelRecords(cupti_, file.dropped)).finish(blocksPerSm);
    return {};
  }

private:
  Cupti cupti_;
};

} // namespace

Status startKernelRecords(const Cupti& cupti) {
  records().calls = &cupti.calls();
  Status status = cupti.check(cupti.calls().cuptiActivityRegisterCallbacks(giveBuffer, takeBuffer),
                              "registering for activity records");
  if (!status)
    return status;
  return cupti.check(cupti.calls().cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL),
                     "recording kernels");
}

std::vector<KernelSpan> takeKernelRecords(const Cupti& cupti, uint64_t& dropped) {
  (void)cupti.calls().cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  (void)cupti.calls().cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  Records& all = records();
  std::lock_guard<std::mutex> lock(all.mutex);
  dropped += std::exchange(all.dropped, 0);
  return std::exchange(all.spans, {});
}

std::unique_ptr<Collector> makeActivityCollector(const Cupti& cupti) {
  return std::make_unique<ActivityCollector>(cupti);
}

} // namespace gpusched
