// TraceRecorder.cpp - an append-only list of launches.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences are handed out in order but may be added out of order by two threads, so a launch
// is found by searching back from the end: recent ones are asked for.
#include "rt/launch/TraceRecorder.h"

#include "rt/support/Log.h"
#include "rt/support/ProgramName.h"

namespace gpusched {

TraceRecorder::TraceRecorder(std::string path, bool timed, std::string policy)
    : path_(std::move(path)), timed_(timed) {
  trace_.policy = std::move(policy);
  trace_.program = runningProgram();
}

double TraceRecorder::nowUs() const {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start_)
      .count();
}

void TraceRecorder::add(TraceLaunch launch) {
  if (!enabled())
    return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (trace_.launches.size() == kMaxLaunches) {
    ++trace_.dropped;
    return;
  }
  launch.submittedUs = nowUs();
  trace_.launches.push_back(std::move(launch));
}

TraceLaunch* TraceRecorder::find(uint64_t sequence) {
  for (size_t i = trace_.launches.size(); i-- > 0;)
    if (trace_.launches[i].sequence == sequence)
      return &trace_.launches[i];
  return nullptr;
}

void TraceRecorder::completed(uint64_t sequence) {
  if (!enabled() || timed())
    return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (TraceLaunch* launch = find(sequence); launch && launch->completedUs == 0)
    launch->completedUs = nowUs();
}

void TraceRecorder::ran(uint64_t sequence, double beginUs, double endUs) {
  std::lock_guard<std::mutex> lock(mutex_);
  TraceLaunch* launch = find(sequence);
  if (!launch)
    return;
  const double zero =
      zeros_.try_emplace(launch->device, launch->submittedUs - beginUs).first->second;
  launch->startedUs = zero + beginUs;
  launch->completedUs = zero + endUs;
}

void TraceRecorder::paused(uint64_t sequence) {
  if (!enabled())
    return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (TraceLaunch* launch = find(sequence))
    ++launch->pauses;
}

uint64_t TraceRecorder::streamNumber(const void* stream) {
  if (!stream)
    return 0;
  std::lock_guard<std::mutex> lock(mutex_);
  return streams_.try_emplace(stream, streams_.size() + 1).first->second;
}

void TraceRecorder::write() {
  if (!enabled())
    return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (Status written = writeTrace(path_, trace_); !written)
    log(LogLevel::Error, "%s", written.message().c_str());
}

} // namespace gpusched
