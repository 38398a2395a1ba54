// LaunchDevice.cpp - limits, private stream and driver entry point of one device.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits come from device attributes, which both runtimes answer, peak rates from a device
// description (DeviceRates.h).
#include "rt/launch/LaunchDevice.h"

#include "rt/launch/Cudart.h"
#include "rt/launch/DeviceRates.h"
#include "rt/launch/DriverTable.h"
#include "rt/launch/Inside.h"

namespace gpusched {
namespace {

DeviceLimits readLimits(const gpusched_cudart& runtime, int device) {
  DeviceLimits limits;
  limits.sms =
      uint32_t(cudart::attribute(runtime, cudart::kAttributeMultiProcessorCount, device, 1));
  limits.registersPerSm = uint64_t(
      cudart::attribute(runtime, cudart::kAttributeMaxRegistersPerMultiprocessor, device, 65536));
  limits.sharedBytesPerSm = uint64_t(cudart::attribute(
      runtime, cudart::kAttributeMaxSharedMemoryPerMultiprocessor, device, 49152));
  limits.blocksPerSm = uint32_t(
      cudart::attribute(runtime, cudart::kAttributeMaxBlocksPerMultiprocessor, device, 16));
  limits.threadsPerSm = uint32_t(
      cudart::attribute(runtime, cudart::kAttributeMaxThreadsPerMultiProcessor, device, 1024));
  return limits;
}

/// Dimensions whose attributes are numbered one after the other.
gpusched_dim3 readExtent(const gpusched_cudart& runtime, int device, int first,
                         const gpusched_dim3& fallback) {
  auto read = [&](int name, uint32_t otherwise) {
    return uint32_t(cudart::attribute(runtime, name, device, int(otherwise)));
  };
  return {read(first, fallback.x), read(first + 1, fallback.y), read(first + 2, fallback.z)};
}

LaunchExtents readExtents(const gpusched_cudart& runtime, int device) {
  return {readExtent(runtime, device, cudart::kAttributeMaxGridDimX, {2147483647, 65535, 65535}),
          readExtent(runtime, device, cudart::kAttributeMaxBlockDimX, {1024, 1024, 64})};
}

bool within(const gpusched_dim3& size, const gpusched_dim3& limit) {
  return size.x - 1 < limit.x && size.y - 1 < limit.y && size.z - 1 < limit.z; // 0 wraps
}

} // namespace

LaunchDevice::LaunchDevice(const gpusched_cudart& runtime, int ordinal)
    : runtime_(runtime), driver_(driverTable(runtime)), ordinal_(ordinal),
      limits_(readLimits(runtime, ordinal)), extents_(readExtents(runtime, ordinal)) {
  findRates(runtime, ordinal, limits_);
}

bool LaunchDevice::takes(const gpusched_launch_request& request) const {
  return within(request.grid, extents_.grid) && within(request.block, extents_.block);
}

gpusched_cudart LaunchDevice::runtime() const {
  if (Inside::isOwnThread())
    return driver_;
  std::lock_guard<std::mutex> lock(runtimeMutex_);
  return runtime_;
}

void LaunchDevice::use(const gpusched_cudart& runtime) {
  std::lock_guard<std::mutex> lock(runtimeMutex_);
  runtime_ = runtime;
}

StreamWaitValue LaunchDevice::streamWaitValue() {
  std::call_once(waitValueOnce_, [this] {
    waitValue_ = cudart::driverFunction<StreamWaitValue>(runtime(), "cuStreamWaitValue32",
                                                         cudart::kDriverVersionOfWaitValue);
  });
  return waitValue_;
}

int LaunchDevice::highestPriority() {
  std::call_once(priorityOnce_, [this] {
    const gpusched_cudart runtime = this->runtime();
    int lowest = 0;
    if (!runtime.deviceGetStreamPriorityRange)
      return;
    if (runtime.deviceGetStreamPriorityRange(&lowest, &highestPriority_) == cudart::kSuccess)
      return;
    cudart::discardError(runtime);
    highestPriority_ = 0;
  });
  return highestPriority_;
}

void* LaunchDevice::sideStream() {
  std::call_once(sideStreamOnce_, [this] { sideStream_ = cudart::makeStream(runtime()); });
  return sideStream_;
}

/// Is help at work in it, behind which other help would wait for the kernel's end?
bool LaunchDevice::lasts(const gpusched_cudart& runtime, const ReliefStream& stream) {
  return (!stream.begun || completions.finished(runtime, stream.begun)) &&
         !completions.finished(runtime, stream.last);
}

void* LaunchDevice::reliefStream(uint64_t ofStream) {
  const gpusched_cudart runtime = this->runtime();
  ReliefStream *chosen = nullptr, *lasting = nullptr;
  for (ReliefStream& known : reliefStreams_) {
    const bool isOwn = known.last && known.ofStream == ofStream && ofStream != kNobodys;
    if (isOwn && !lasts(runtime, known))
      return known.stream;
    if (isOwn)
      lasting = &known;
    else if (!chosen && (!known.last || completions.finished(runtime, known.last)))
      chosen = &known;
  }
  if (!chosen)
    return lasting ? lasting->stream : nullptr;
  if (!chosen->stream)
    chosen->stream = cudart::makeStream(runtime);
  chosen->ofStream = ofStream;
  return chosen->stream;
}

void LaunchDevice::helps(void* reliefStream, Completion* completion, Completion* begun) {
  for (ReliefStream& known : reliefStreams_) {
    if (known.stream != reliefStream)
      continue;
    for (Completion* former : {known.last, known.begun})
      if (former)
        completions.release(former);
    known.last = completion;
    known.begun = begun;
  }
}

bool LaunchDevice::copyNow(void* to, const void* from, size_t bytes, int kind) {
  const gpusched_cudart runtime = this->runtime();
  void* stream = sideStream();
  if (stream && runtime.memcpyAsync(to, from, bytes, kind, stream) == cudart::kSuccess &&
      runtime.streamSynchronize(stream) == cudart::kSuccess)
    return true;
  cudart::discardError(runtime);
  return false;
}

} // namespace gpusched
