// Workload.cpp - workloads to JSON and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Same rules as Profile.cpp: fields in the order of Workload.h, JSON names equal to C++ names.
#include "rt/schema/Workload.h"

#include "rt/schema/Document.h"
#include "rt/schema/ProfileJson.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace gpusched {
namespace {

constexpr DocumentKind kKind = {"workload", "gpusched-workload", kWorkloadVersion,
                                kWorkloadVersion};
constexpr uint64_t kMostLaunches = 1'000'000;

void checkNotNegative(JsonReader& json, const char* field, double value) {
  if (!(value >= 0 && std::isfinite(value)))
    json.fail(field, "expected a number of at least 0");
}

void check(JsonReader& json, const WorkloadLaunch& launch) {
  if (launch.kernel.empty())
    json.fail("kernel", "a launch needs the name of a kernel");
  checkNotNegative(json, "arrivalUs", launch.arrivalUs);
  checkNotNegative(json, "periodUs", launch.periodUs);
  if (launch.count == 0 || launch.count > kMostLaunches)
    json.fail("count", "expected 1 to 1000000 launches");
  checkNotNegative(json, "watts", launch.watts);
}

void check(JsonReader& json, const WorkloadFile& file) {
  checkNotNegative(json, "idleWatts", file.idleWatts);
}

void check(JsonWriter&, const auto&) {}

void map(auto& json, Field<WorkloadLaunch> auto& launch) {
  json.map("kernel", launch.kernel);
  json.map("threadsPerBlock", launch.threadsPerBlock);
  json.map("arrivalUs", launch.arrivalUs);
  json.map("periodUs", launch.periodUs);
  json.map("count", launch.count);
  json.map("stream", launch.stream);
  json.map("priority", launch.priority);
  json.map("blocks", launch.blocks);
  json.map("watts", launch.watts);
  check(json, launch);
}

/// What follows the header.
void mapBody(auto& json, Field<WorkloadFile> auto& file) {
  json.map("name", file.name);
  json.map("device", file.device);
  json.map("idleWatts", file.idleWatts);
  json.map("profiles", file.profiles);
  json.map("kernels", file.kernels,
           [](auto& inner, auto& kernel) { mapKernelProfile(inner, kernel); });
  json.map("launches", file.launches, [](auto& inner, auto& launch) { map(inner, launch); });
  check(json, file);
}

/// Every launch means a kernel, and there are not too many of them.
Status checkLaunches(const WorkloadFile& file) {
  if (file.launches.empty())
    return Status::error("launches: there is none");
  uint64_t all = 0;
  for (size_t i = 0; i < file.launches.size(); ++i) {
    all += file.launches[i].count;
    if (profileOf(file, file.launches[i]))
      continue;
    std::string known;
    for (const KernelProfile& kernel : file.kernels)
      known += (known.empty() ? "" : ", ") + kernel.fixed.kernel;
    return Status::error("launches[" + std::to_string(i) + "].kernel: no profile of '" +
                         file.launches[i].kernel +
                         "'; there are: " + (known.empty() ? "none" : known));
  }
  if (all > kMostLaunches)
    return Status::error("launches: " + std::to_string(all) + " launches, at most 1000000");
  return {};
}

constexpr auto kBody = [](auto& json, auto& file) { mapBody(json, file); };

} // namespace

std::string toJson(const WorkloadFile& file) {
  return documentText(kKind, file, kBody);
}

Result<WorkloadFile> workloadFromJson(const std::string& text) {
  return documentFromText<WorkloadFile>(kKind, text, kBody);
}

Result<WorkloadFile> readWorkload(const std::string& path) {
  Result<WorkloadFile> file = readDocument(kKind, path, workloadFromJson);
  if (!file)
    return file.status();
  const std::string subject = "workload '" + path + "': ";
  for (const std::string& name : file->profiles) {
    Result<ProfileFile> profiles =
        readProfile((std::filesystem::path(path).parent_path() / name).string());
    if (!profiles)
      return Status::error(subject + "profiles: " + profiles.message());
    file->kernels.insert(file->kernels.end(), profiles->kernels.begin(), profiles->kernels.end());
  }
  if (Status launches = checkLaunches(*file); !launches)
    return Status::error(subject + launches.message());
  return file;
}

const KernelProfile* profileOf(const WorkloadFile& file, const WorkloadLaunch& launch) {
  auto found =
      std::find_if(file.kernels.begin(), file.kernels.end(), [&](const KernelProfile& kernel) {
        bool named = kernel.fixed.kernel == launch.kernel || kernel.fixed.symbol == launch.kernel;
        bool shaped = launch.threadsPerBlock == 0 ||
                      (kernel.dynamic && kernel.dynamic->threadsPerBlock == launch.threadsPerBlock);
        return named && shaped;
      });
  return found == file.kernels.end() ? nullptr : &*found;
}

} // namespace gpusched
