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

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "gpusched-workload";
constexpr uint64_t kMostLaunches = 1'000'000;

Json write(const WorkloadLaunch& launch) {
  Json object;
  object["kernel"] = launch.kernel;
  object["threadsPerBlock"] = launch.threadsPerBlock;
  object["arrivalUs"] = launch.arrivalUs;
  object["periodUs"] = launch.periodUs;
  object["count"] = launch.count;
  object["stream"] = launch.stream;
  object["blocks"] = launch.blocks;
  object["watts"] = launch.watts;
  return object;
}

void readNotNegative(JsonReader& in, const char* field, double& target) {
  in.read(field, target);
  if (!(target >= 0 && std::isfinite(target)))
    in.fail(field, "expected a number of at least 0");
}

void read(JsonReader& in, WorkloadLaunch& launch) {
  in.read("kernel", launch.kernel);
  if (launch.kernel.empty())
    in.fail("kernel", "a launch needs the name of a kernel");
  in.read("threadsPerBlock", launch.threadsPerBlock);
  readNotNegative(in, "arrivalUs", launch.arrivalUs);
  readNotNegative(in, "periodUs", launch.periodUs);
  in.read("count", launch.count);
  if (launch.count == 0 || launch.count > kMostLaunches)
    in.fail("count", "expected 1 to 1000000 launches");
  in.read("stream", launch.stream);
  in.read("blocks", launch.blocks);
  readNotNegative(in, "watts", launch.watts);
}

Status checkHeader(JsonReader& in, WorkloadFile& file) {
  std::string format;
  in.read("format", format);
  in.read("version", file.version);
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
  Json object;
  object["format"] = kFormat;
  object["version"] = kWorkloadVersion;
  object["name"] = file.name;
  object["device"] = file.device;
  object["idleWatts"] = file.idleWatts;
  object["profiles"] = file.profiles;
  object["kernels"] = Json::array();
  for (const KernelProfile& kernel : file.kernels)
    object["kernels"].push_back(writeKernelProfile(kernel));
  object["launches"] = Json::array();
  for (const WorkloadLaunch& launch : file.launches)
    object["launches"].push_back(write(launch));
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
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
  in.read("name", file.name);
  in.read("device", file.device);
  readNotNegative(in, "idleWatts", file.idleWatts);
  in.read("profiles", file.profiles);
  in.forEach("kernels",
             [&](JsonReader& element) { readKernelProfile(element, file.kernels.emplace_back()); });
  in.forEach("launches", [&](JsonReader& element) { read(element, file.launches.emplace_back()); });
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
