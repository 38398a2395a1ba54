// Offer.cpp - prices by GPU, speeds relative to a K80.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmarks/papers/hierarchical-milp/Offer.h"

#include "rt/learn/Random.h"

#include <cmath>

namespace gpusched::papers {

using capacity::CapacityJob;
using capacity::VmType;

namespace {

struct Model {
  const char* gpu;
  double usdPerGpuHour; // rented, or electricity in house
  double speed;         // of a K80
};

constexpr Model kModels[] = {
    {"K80", 0.90, 1}, {"M60", 1.14, 1.5}, {"Quadro P600", 0.20, 0.4}, {"GTX 1080 Ti", 3.00, 3}};

const Model& modelOf(const VmType& type) {
  for (const Model& model : kModels)
    if (type.gpu == model.gpu)
      return model;
  return kModels[0];
}

double between(learn::Random& random, double least, double most) {
  return least + (most - least) * random.real();
}

} // namespace

std::vector<VmType> documentTypes() {
  std::vector<VmType> types = {{"Standard_NC6", "K80", 1},
                               {"Standard_NC12", "K80", 2},
                               {"Standard_NC24", "K80", 4},
                               {"Standard_NC24X", "K80", 8},
                               {"Standard_NV6", "M60", 1},
                               {"Standard_NV12", "M60", 2},
                               {"Standard_NV24", "M60", 4},
                               {"Standard_NV24X", "M60", 8},
                               {"in-house P600", "Quadro P600", 8},
                               {"in-house P600 x2", "Quadro P600", 2},
                               {"in-house 1080 Ti", "GTX 1080 Ti", 8}};
  for (VmType& type : types)
    type.usdPerSecond = modelOf(type).usdPerGpuHour * double(type.gpus) / 3600;
  return types;
}

std::vector<CapacityJob> drawCapacityJobs(const std::vector<VmType>& types, size_t count,
                                          uint64_t seed) {
  learn::Random random(seed);
  std::vector<CapacityJob> jobs;
  double now = 0;
  for (size_t i = 0; i < count; ++i) {
    now += -std::log(1 - random.real()) * 3600 / kJobsPerHour;
    const double alone = 3600 * between(random, 0.5, 4), serial = between(random, 0.05, 0.3);
    CapacityJob job{"job " + std::to_string(i),
                    now,
                    now + alone * between(random, 0.5, 2),
                    between(random, 0.1, 1) / 3600,
                    {}};
    for (const VmType& type : types) {
      std::vector<double>& seconds = job.seconds.emplace_back();
      for (size_t gpus = 1; gpus <= type.gpus; ++gpus)
        seconds.push_back(alone / modelOf(type).speed * (serial + (1 - serial) / double(gpus)));
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

} // namespace gpusched::papers
