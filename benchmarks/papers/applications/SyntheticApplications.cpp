// SyntheticApplications.cpp - draws applications and profiles them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "benchmarks/papers/applications/SyntheticApplications.h"

#include "rt/cluster/ApplicationProfile.h"
#include "rt/learn/Random.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace gpusched::papers {
namespace {

using cluster::Metrics;
using learn::Random;

/// Ranges of one kind. All are ours.
struct Shape {
  const char* name;
  double hostShare, copyShare; // of the time of a phase, at most
  double kernelMs[2];          // of one launch
  double memoryGb[2];
};

const Shape& shapeOf(Kind kind) {
  static constexpr Shape kShapes[] = {
      {"any", 0.5, 0.3, {20, 60}, {0.3, 8}},        {"busy GPU", 0.02, 0.02, {20, 60}, {0.3, 4}},
      {"large memory", 0.2, 0.1, {20, 60}, {5, 9}}, {"copies", 0.2, 0.7, {20, 60}, {1, 6}},
      {"training", 0.1, 0.1, {20, 40}, {3, 8}},     {"inference", 0.7, 0.2, {10, 30}, {0.5, 3}},
      {"HPC", 0.05, 0.05, {30, 90}, {1, 6}}};
  return kShapes[size_t(kind)];
}

double between(Random& random, double low, double high) {
  return low + (high - low) * random.real();
}

constexpr double kPcieGbPerSecond = 12; // of 3.0 x16, as the documents' GPUs have

Step drawStep(const Shape& shape, size_t kernels, Random& random) {
  Step step;
  step.kernel = random.below(kernels);
  step.kernelUs = 1000 * between(random, shape.kernelMs[0], shape.kernelMs[1]);
  const double host = shape.hostShare * random.real(), copy = shape.copyShare * random.real();
  const double kernelShare = std::max(0.05, 1 - host - copy);
  step.hostUs = step.kernelUs * host / kernelShare;
  step.copyUs = step.kernelUs * copy / kernelShare;
  step.toDevice = random.real();
  return step;
}

double timeOf(const Step& step) {
  return step.hostUs + step.copyUs + step.kernelUs;
}

void drawSteps(SyntheticApplication& application, const Shape& shape, size_t kernels,
               Random& random) {
  std::vector<Step> phases(1 + random.below(4));
  for (Step& phase : phases)
    phase = drawStep(shape, kernels, random);
  const double phaseUs = between(random, 1e6, 20e6), totalUs = between(random, 60e6, 300e6);
  double us = 0;
  for (size_t phase = 0; us < totalUs; phase = (phase + 1) % phases.size()) {
    const double end = std::min(totalUs, us + phaseUs);
    while (us < end) {
      application.steps.push_back(phases[phase]);
      us += timeOf(phases[phase]);
    }
  }
}

Metrics metricsOf(const PolicyKernel& kernel, const DeviceDescription& device) {
  return cluster::kernelMetrics(
      kernel.utilisation, kernel.eligibleWarpsPerCycle, kernel.blocks, device.sms,
      double(kernel.occupancyBlocksPerSm) * kernel.threadsPerBlock / (32.0 * device.warpsPerSm));
}

KernelClass longestClass(const SyntheticApplication& application,
                         const std::vector<sim::SimKernel>& kernels) {
  double us[4] = {};
  for (const Step& step : application.steps)
    us[size_t(kernels[step.kernel].known.kernelClass)] += step.kernelUs;
  return KernelClass(std::max_element(std::begin(us), std::end(us)) - us);
}

} // namespace

const char* name(Kind kind) {
  return shapeOf(kind).name;
}

void profileAlone(SyntheticApplication& application, const std::vector<sim::SimKernel>& kernels,
                  const DeviceDescription& device) {
  cluster::MetricRecorder recorder;
  for (const Step& step : application.steps) {
    Metrics copying = {};
    copying[cluster::kHostToDevice] = kPcieGbPerSecond * step.toDevice;
    copying[cluster::kDeviceToHost] = kPcieGbPerSecond * (1 - step.toDevice);
    recorder.add(step.hostUs, {});
    recorder.add(step.copyUs, copying);
    recorder.add(step.kernelUs, metricsOf(kernels[step.kernel].known, device));
  }
  recorder.finish(application.known);
  application.known.kernelClass = longestClass(application, kernels);
}

std::vector<SyntheticApplication> drawApplications(const std::vector<sim::SimKernel>& kernels,
                                                   const DeviceDescription& device, size_t count,
                                                   unsigned seed, Kind kind) {
  Random random(seed);
  std::vector<SyntheticApplication> all(count);
  for (size_t i = 0; i < count; ++i) {
    const Kind own = kind == Kind::Any ? kKinds[i % std::size(kKinds)] : kind;
    const Shape& shape = shapeOf(own);
    all[i].known.name = std::string(shape.name) + " " + std::to_string(i);
    all[i].known.peakMemoryBytes =
        uint64_t(1e9 * between(random, shape.memoryGb[0], shape.memoryGb[1]));
    drawSteps(all[i], shape, kernels.size(), random);
    profileAlone(all[i], kernels, device);
  }
  return all;
}

} // namespace gpusched::papers
