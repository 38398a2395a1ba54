// Application.cpp - gpusched application: what `gpusched cluster` wants to know of a program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the trace of a run alone, as launched, with times, and the profiles of its kernels. Peak
// memory and pairs are not in them: they are for whoever writes the cluster workload.
#include "tools/gpusched/Subcommand.h"

#include "rt/cluster/ApplicationProfile.h"
#include "rt/profile/ProfileStore.h"
#include "rt/schema/ClusterWorkload.h"
#include "rt/support/Environment.h"

#include <cstdio>
#include <memory>

namespace gpusched::tool {
namespace {

struct ApplicationOptions {
  std::string trace, output, name, gpu;
  std::vector<std::string> profiles;
  double sampleMs = cluster::kSampleUs / 1000;
};

Result<ProfileFile> profilesOf(const ApplicationOptions& options, const TraceFile& trace) {
  return options.profiles.empty()
             ? readProfile(ProfileStore::dynamicPath(profileHome(), trace.program))
             : readProfiles(options.profiles);
}

Result<cluster::Application> applicationOf(const ApplicationOptions& options) {
  const Result<TraceFile> trace = readTrace(options.trace);
  if (!trace)
    return trace.status();
  const Result<ProfileFile> profiles = profilesOf(options, *trace);
  if (!profiles)
    return profiles.status();
  const Result<DeviceDescription> device = loadDeviceDescription(options.gpu);
  if (!device)
    return Status::error("--gpu=" + options.gpu + ": " + device.message());
  return cluster::applicationOf(*trace, profiles->kernels, *device, 1000 * options.sampleMs);
}

int application(const ApplicationOptions& options) {
  Result<cluster::Application> made = applicationOf(options);
  if (!made)
    return fail(kToolFailed, "application: " + made.message());
  if (!options.name.empty())
    made->name = options.name;
  std::printf("%s: %.1f ms, kernels run in %.1f %% of it, %zu samples\n", made->name.c_str(),
              made->timeUs / 1000, 100 * made->means[cluster::kGpuUtilisation],
              made->series.size());
  cluster::ClusterWorkloadFile file;
  file.applications.push_back(std::move(*made));
  if (Status written = cluster::writeClusterWorkload(options.output, file); !written)
    return fail(kToolFailed, "application: --output: " + written.message());
  return 0;
}

} // namespace

void addApplication(Command& command) {
  std::shared_ptr<ApplicationOptions> options = std::make_shared<ApplicationOptions>();
  options->gpu = environment("GPUSCHED_GPU");
  Options sub = command.add("application", "Describe a program for gpusched cluster",
                            [options] { return application(*options); });
  sub.add("--trace", options->trace,
          "Trace of a run alone, as launched (GPUSCHED=1, GPUSCHED_TRACE=FILE)")
      .required();
  sub.add("--output", options->output, "File for the application (docs/cluster.md)").required();
  sub.add("--name", options->name, "Its name, with its input; default: the program's");
  sub.add("--sample-ms", options->sampleMs, "Milliseconds between two samples")
      .positive()
      .showDefault();
  sub.add("--gpu", options->gpu, "Device description of the GPU it ran on").showDefault();
  sub.add("profiles", options->profiles, "Profile files; default: the program's in the store");
}

} // namespace gpusched::tool
