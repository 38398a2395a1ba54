// Room.cpp - what is free on each GPU.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/cluster/Room.h"

#include <algorithm>
#include <limits>

namespace gpusched::cluster {
namespace {

uint64_t bytesOf(const Gpu& gpu) {
  return gpu.memoryBytes == 0 ? std::numeric_limits<uint64_t>::max() : gpu.memoryBytes;
}

} // namespace

Room::Room(const State& state) : gpus_(state.gpus) {
  for (const Gpu& gpu : gpus_)
    largestBytes_ = std::max(largestBytes_, bytesOf(gpu));
}

const Application* Room::only(size_t gpu) const {
  return gpus_[gpu].running.size() == 1 ? gpus_[gpu].running.front().application : nullptr;
}

uint64_t Room::freeBytes(size_t gpu) const {
  uint64_t used = 0;
  for (const Job& job : gpus_[gpu].running)
    used += job.application->peakMemoryBytes;
  const uint64_t bytes = bytesOf(gpus_[gpu]);
  return bytes > used ? bytes - used : 0;
}

bool Room::fits(size_t gpu, const Application& application) const {
  if (idle(gpu) && application.peakMemoryBytes > largestBytes_)
    return true;
  return gpus_[gpu].running.size() < kJobsPerGpu && application.peakMemoryBytes <= freeBytes(gpu);
}

size_t Room::firstIdle(const Application& application) const {
  size_t gpu = 0;
  while (gpu < size() && !(idle(gpu) && fits(gpu, application)))
    ++gpu;
  return gpu;
}

void Room::put(size_t gpu, const Job& job, std::string reason) {
  gpus_[gpu].running.push_back(job);
  placements.push_back({job.id, gpu, std::move(reason)});
}

} // namespace gpusched::cluster
