// Room.cpp - what is free on each GPU.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/cluster/Room.h"

#include <limits>

namespace gpusched::cluster {

const Application* Room::only(size_t gpu) const {
  return gpus_[gpu].running.size() == 1 ? gpus_[gpu].running.front().application : nullptr;
}

uint64_t Room::freeBytes(size_t gpu) const {
  if (gpus_[gpu].memoryBytes == 0)
    return std::numeric_limits<uint64_t>::max();
  uint64_t used = 0;
  for (const Job& job : gpus_[gpu].running)
    used += job.application->peakMemoryBytes;
  return gpus_[gpu].memoryBytes > used ? gpus_[gpu].memoryBytes - used : 0;
}

bool Room::fits(size_t gpu, const Application& application) const {
  return idle(gpu) ||
         (gpus_[gpu].running.size() < kJobsPerGpu && application.peakMemoryBytes <= freeBytes(gpu));
}

void Room::put(size_t gpu, const Job& job, std::string reason) {
  gpus_[gpu].running.push_back(job);
  placements.push_back({job.id, gpu, std::move(reason)});
}

} // namespace gpusched::cluster
