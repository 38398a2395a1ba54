// Workload.cpp - workloads to JSON and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Same rules as Profile.cpp: fields in the order of Workload.h, JSON names equal to C++ names.
#include "rt/schema/Workload.h"

#include "rt/schema/ProfileJson.h"
#include "rt/schema/TextFile.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace gpusched {
namespace {

constexpr const char* kFormat = "gpusched-workload";
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

Status checkHeader(JsonReader& in, WorkloadFile& file) {
  std::string format;
  in.map("format", format);
  in.map("version", file.version);
  if (format != kFormat)
    return Status::error("format: expected \"" + std::string(kFormat) + "\", got \"" + format +
                         "\"; is this a workload?");
  if (file.version != kWorkloadVersion)
    return Status::error("version: this program reads version " + std::to_string(kWorkloadVersion) +
                         ", the file has " + std::to_string(file.version));
  return {};
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

} // namespace

std::string toJson(const WorkloadFile& file) {
  JsonWriter json;
  json.map("format", kFormat);
  json.map("version", kWorkloadVersion);
  mapBody(json, file);
  return json.text();
}

Result<WorkloadFile> workloadFromJson(const std::string& text) {
  Result<nlohmann::json> value = parseJson(text);
  if (!value)
    return value.status();
  Status firstError;
  JsonReader in(*value, "", firstError);
  if (!firstError)
    return firstError;
  WorkloadFile file;
  file.version = 0;
  if (Status header = checkHeader(in, file); !header)
    return header;
  mapBody(in, file);
  if (!firstError)
    return firstError;
  return file;
}

Result<WorkloadFile> readWorkload(const std::string& path) {
  const std::string subject = "workload '" + path + "': ";
  Result<std::string> text = readTextFile(path);
  if (!text)
    return text.status();
  Result<WorkloadFile> file = workloadFromJson(*text);
  if (!file)
    return Status::error(subject + file.message());
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
