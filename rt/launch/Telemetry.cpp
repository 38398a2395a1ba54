// Telemetry.cpp - sampling, the buffers' way to the device and back, the file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/launch/Telemetry.h"

#include "rt/launch/Cudart.h"
#include "rt/support/Log.h"
#include "rt/support/ProgramName.h"

#include <algorithm>
#include <cstring>

namespace gpusched {
namespace {

/// In a thread of the CUDA runtime, once the copy has arrived.
void takeBack(void* data) {
  TelemetryBuffer& buffer = *static_cast<TelemetryBuffer*>(data);
  try {
    buffer.recorder->take(buffer.launch, *buffer.host);
  } catch (...) {
    GPUSCHED_LOG_ONCE(LogLevel::Warning, "telemetry of a launch is lost: out of memory");
  }
  std::lock_guard<std::mutex> lock(*buffer.mutex);
  buffer.used = false;
}

} // namespace

TelemetryRecorder::TelemetryRecorder(uint32_t every, bool timed, std::string path)
    : every_(every), path_(std::move(path)), sums_(timed) {}

bool TelemetryRecorder::due(const LaunchPlan& plan) {
  if (every_ == 0)
    return false;
  std::lock_guard<std::mutex> lock(mutex_);
  return launches_[&plan]++ % every_ == 0;
}

void TelemetryRecorder::sampled() {
  std::lock_guard<std::mutex> lock(mutex_);
  ++sampled_;
}

void TelemetryRecorder::take(const SampledLaunch& launch, const gpusched_telemetry& head) {
  const uint32_t count = std::min(head.written, head.capacity);
  std::vector<gpusched_worker_record> records(count);
  std::memcpy(records.data(), &head + 1, count * sizeof(gpusched_worker_record));
  std::lock_guard<std::mutex> lock(mutex_);
  ++taken_;
  droppedRecords_ += head.written - count;
  sums_.add(launch, records);
}

MeasurementFile TelemetryRecorder::file() const {
  MeasurementFile file;
  file.source = "telemetry";
  file.program = runningProgram();
  file.kernels = sums_.kernels();
  file.dropped = sampled_ - taken_ + droppedRecords_;
  if (file.kernels.empty())
    file.problem =
        sampled_ == 0
            ? "no launch ran as a persistent kernel with telemetry: compile with gpusched-cc "
              "--gpusched-telemetry, and see gpusched run --trace for kernels that stayed native"
            : "none of " + std::to_string(sampled_) +
                  " sampled launches had come back when the program ended or reset its device";
  return file;
}

void TelemetryRecorder::write() {
  if (every_ == 0)
    return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (Status written = writeMeasurement(path_, file()); !written)
    log(LogLevel::Warning, "telemetry: %s", written.message().c_str());
}

bool TelemetryBuffers::make(const gpusched_cudart& runtime, TelemetryBuffer& buffer) const {
  buffer.capacity = capacity_;
  cudart::MemoryPair memory;
  if (!cudart::allocate(runtime, memory, buffer.bytes(), buffer.bytes()))
    return false;
  buffer.device = static_cast<gpusched_telemetry*>(memory.device);
  buffer.host = static_cast<gpusched_telemetry*>(memory.host);
  return true;
}

TelemetryBuffer* TelemetryBuffers::take(const gpusched_cudart& runtime) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (TelemetryBuffer& buffer : buffers_) {
    if (buffer.used || (!buffer.device && !make(runtime, buffer)))
      continue;
    buffer.mutex = &mutex_;
    buffer.used = true;
    return &buffer;
  }
  return nullptr;
}

TelemetryBuffer* TelemetryBuffers::begin(const gpusched_cudart& runtime,
                                         TelemetryRecorder& recorder, SampledLaunch launch,
                                         void* stream) {
  TelemetryBuffer* buffer = take(runtime);
  if (!buffer)
    return nullptr;
  buffer->recorder = &recorder;
  buffer->launch = std::move(launch);
  *buffer->host = {buffer->capacity, 0};
  if (runtime.memcpyAsync(buffer->device, buffer->host, sizeof *buffer->host, cudart::kHostToDevice,
                          stream) == cudart::kSuccess)
    return buffer;
  cudart::discardError(runtime);
  return nullptr;
}

void TelemetryBuffers::end(const gpusched_cudart& runtime, TelemetryBuffer& buffer, void* stream) {
  buffer.recorder->sampled();
  if (runtime.memcpyAsync(buffer.host, buffer.device, buffer.bytes(), cudart::kDeviceToHost,
                          stream) != cudart::kSuccess ||
      runtime.launchHostFunc(stream, takeBack, &buffer) != cudart::kSuccess)
    cudart::discardError(runtime);
}

} // namespace gpusched
