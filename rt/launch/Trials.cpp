// Trials.cpp - timing events, progress copies, and what follows from them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A measurement that cannot be made is not made: no failure here reaches the program.
#include "rt/launch/Trials.h"

#include "rt/launch/Cudart.h"
#include "rt/launch/WorkerPlan.h"

#include <algorithm>

namespace gpusched {
namespace {

bool succeeded(const gpusched_cudart& runtime, int error) {
  if (error != cudart::kSuccess)
    cudart::discardError(runtime);
  return error == cudart::kSuccess;
}

bool copyProgress(const gpusched_cudart& runtime, const Trial& trial, size_t moment, void* stream) {
  return !trial.subject.neighbourSlot ||
         succeeded(runtime, runtime.memcpyAsync(&trial.progress[moment],
                                                &trial.subject.neighbourSlot->control->next,
                                                sizeof(uint64_t), cudart::kDeviceToHost, stream));
}

} // namespace

double Trials::alone(const PolicyKernel* kernel) const {
  auto found = alone_.find(kernel);
  return found == alone_.end() ? 0 : found->second.value;
}

void Trials::disturb(const StreamClock& before) {
  for (const std::unique_ptr<Trial>& trial : trials_)
    if (!before.reached(trial->subject.stream, trial->subject.sequence))
      trial->spoilt = true;
}

bool Trials::wants(const TrialSubject& subject, const PairHistory& history) {
  if (!subject.neighbour) {
    auto found = alone_.find(subject.kernel);
    return found == alone_.end() || found->second.count < kAlone;
  }
  if (!subject.neighbourSlot || alone(subject.kernel) == 0 || alone(subject.neighbour) == 0)
    return false;
  return !history.known(subject.kernel->name, subject.neighbour->name) ||
         ++sinceLast_ % kAgainEvery == 0;
}

Trial* Trials::freeTrial(const gpusched_cudart& runtime) {
  for (const std::unique_ptr<Trial>& trial : trials_)
    if (!trial->underWay)
      return trial.get();
  if (trials_.size() == kAtOnce)
    return nullptr;
  std::unique_ptr<Trial> made = std::make_unique<Trial>();
  void* words = nullptr;
  if (!succeeded(runtime, runtime.eventCreateWithFlags(&made->before, 0)) ||
      !succeeded(runtime, runtime.eventCreateWithFlags(&made->after, 0)) ||
      !succeeded(runtime, runtime.mallocHost(&words, 2 * sizeof(uint64_t))))
    return nullptr;
  made->progress = static_cast<uint64_t*>(words);
  return trials_.emplace_back(std::move(made)).get();
}

Trial* Trials::begin(const gpusched_cudart& runtime, const TrialSubject& subject, void* stream,
                     const PairHistory& history) {
  if (!wants(subject, history))
    return nullptr;
  Trial* trial = freeTrial(runtime);
  if (!trial)
    return nullptr;
  trial->subject = subject;
  trial->spoilt = false;
  if (!copyProgress(runtime, *trial, 0, stream) ||
      !succeeded(runtime, runtime.eventRecord(trial->before, stream)))
    return nullptr;
  return trial;
}

void Trials::end(const gpusched_cudart& runtime, Trial& trial, void* stream) {
  trial.underWay = copyProgress(runtime, trial, 1, stream) &&
                   succeeded(runtime, runtime.eventRecord(trial.after, stream));
}

void Trials::collect(const gpusched_cudart& runtime, PairHistory& history) {
  for (const std::unique_ptr<Trial>& trial : trials_) {
    if (!trial->underWay)
      continue;
    int error = runtime.eventQuery(trial->after);
    if (error == cudart::kErrorNotReady) {
      cudart::discardError(runtime);
      continue;
    }
    trial->underWay = false;
    if (succeeded(runtime, error) && !trial->spoilt)
      take(runtime, *trial, history);
  }
}

void Trials::take(const gpusched_cudart& runtime, const Trial& trial, PairHistory& history) {
  const TrialSubject& subject = trial.subject;
  float milliseconds = 0;
  if (!succeeded(runtime, runtime.eventElapsedTime(&milliseconds, trial.before, trial.after)) ||
      milliseconds <= 0 || subject.blocks == 0)
    return;
  double microseconds = 1000.0 * double(milliseconds);
  if (!subject.neighbour) {
    Mean& mean = alone_[subject.kernel];
    ++mean.count;
    mean.value += (microseconds / double(subject.blocks) - mean.value) / mean.count;
    return;
  }
  const auto claimed = [&](uint64_t next) {
    return claimedBlocks(uint32_t(next) - subject.neighbourBase, subject.neighbourBatches);
  };
  uint64_t before = claimed(trial.progress[0]);
  uint64_t after = claimed(trial.progress[1]);
  bool ranThroughout = before > 0 && after > before && after < subject.neighbourBlocks;
  if (!ranThroughout)
    return;
  double serial = double(subject.blocks) * alone(subject.kernel) +
                  double(after - before) * alone(subject.neighbour);
  history.add(subject.kernel->name, subject.neighbour->name, serial / microseconds);
}

} // namespace gpusched
