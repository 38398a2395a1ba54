// ClusterWorkload.cpp - workloads of several GPUs to JSON and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Same rules as Workload.cpp: fields in the order of the header, JSON names equal to C++ names. A
// series is written by metric: "series": {"gpu_utilisation": [1, 0.5, ...]}.
#include "rt/schema/ClusterWorkload.h"

#include "rt/schema/Document.h"
#include "rt/schema/ProfileJson.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace gpusched::cluster {
namespace {

constexpr DocumentKind kKind = {"cluster workload", "gpusched-cluster", kClusterWorkloadVersion,
                                kClusterWorkloadVersion};
constexpr uint64_t kMostGpus = 10'000, kMostJobs = 100'000;

bool isTime(double value) {
  return value >= 0 && std::isfinite(value);
}

void check(JsonReader& json, const Application& application) {
  if (application.name.empty())
    json.fail("name", "an application needs a name");
  if (!(application.timeUs > 0 && std::isfinite(application.timeUs)))
    json.fail("timeUs", "expected its time alone, above 0");
}
void check(JsonReader& json, const GpuGroup& group) {
  if (group.count == 0 || group.count > kMostGpus)
    json.fail("count", "expected 1 to 10000 GPUs");
}
void check(JsonReader& json, const PairSlowdown& pair) {
  if (!(pair.slowdown >= 1 && std::isfinite(pair.slowdown)))
    json.fail("slowdown", "expected a number of at least 1: time beside the other / time alone");
}
void check(JsonReader& json, const ClusterArrivals& arrivals) {
  if (!isTime(arrivals.arrivalUs) || !isTime(arrivals.periodUs))
    json.fail("arrivalUs", "expected arrivalUs and periodUs of at least 0");
  if (arrivals.count == 0 || arrivals.count > kMostJobs)
    json.fail("count", "expected 1 to 100000 jobs");
}
void check(JsonWriter&, const auto&) {}

void mapSeries(JsonReader& json, std::vector<Metrics>& series) {
  json.within("series", [&](JsonReader& inner) {
    for (size_t metric = 0; metric < kMetrics; ++metric) {
      std::vector<double> values;
      inner.map(name(Metric(metric)), values);
      if (series.empty())
        series.resize(values.size());
      if (!values.empty() && values.size() != series.size())
        inner.fail(name(Metric(metric)), "expected as many values as the series before it has");
      for (size_t i = 0; i < std::min(values.size(), series.size()); ++i)
        series[i][metric] = values[i];
    }
  });
}

void mapSeries(JsonWriter& json, const std::vector<Metrics>& series) {
  if (series.empty())
    return;
  json.within("series", [&](JsonWriter& inner) {
    for (size_t metric = 0; metric < kMetrics; ++metric) {
      std::vector<double> values;
      for (const Metrics& sample : series)
        values.push_back(sample[metric]);
      inner.map(name(Metric(metric)), values);
    }
  });
}

void map(auto& json, Field<GpuGroup> auto& group) {
  json.map("count", group.count);
  json.map("memoryBytes", group.memoryBytes);
  check(json, group);
}

void map(auto& json, Field<Application> auto& application) {
  json.map("name", application.name);
  json.map("timeUs", application.timeUs);
  json.map("peakMemoryBytes", application.peakMemoryBytes);
  json.map("kernelClass", application.kernelClass, kClassNames);
  json.within("means", [&](auto& inner) {
    for (size_t metric = 0; metric < kMetrics; ++metric)
      inner.map(name(Metric(metric)), application.means[metric]);
  });
  mapSeries(json, application.series);
  check(json, application);
}

void map(auto& json, Field<PairSlowdown> auto& pair) {
  json.map("application", pair.application);
  json.map("beside", pair.beside);
  json.map("slowdown", pair.slowdown);
  check(json, pair);
}

void map(auto& json, Field<ClusterArrivals> auto& arrivals) {
  json.map("application", arrivals.application);
  json.map("arrivalUs", arrivals.arrivalUs);
  json.map("periodUs", arrivals.periodUs);
  json.map("count", arrivals.count);
  check(json, arrivals);
}

constexpr auto kBody = [](auto& json, auto& file) {
  const auto each = [](auto& inner, auto& element) { map(inner, element); };
  json.map("name", file.name);
  json.map("gpus", file.gpus, each);
  json.map("applicationFiles", file.applicationFiles);
  json.map("applications", file.applications, each);
  json.map("pairs", file.pairs, each);
  json.map("arrivals", file.arrivals, each);
};

Status checkName(const ClusterWorkloadFile& file, const std::string& name,
                 const std::string& where) {
  if (applicationNamed(file, name))
    return {};
  std::string known;
  for (const Application& application : file.applications)
    known += (known.empty() ? "" : ", ") + application.name;
  return Status::error(where + ": no application '" + name +
                       "'; there are: " + (known.empty() ? "none" : known));
}

Status checkNames(const ClusterWorkloadFile& file) {
  for (const Application& application : file.applications)
    if (applicationNamed(file, application.name) != &application)
      return Status::error("applications: two are called '" + application.name + "'");
  for (size_t i = 0; i < file.pairs.size(); ++i) {
    const std::string where = "pairs[" + std::to_string(i) + "].";
    if (Status known = checkName(file, file.pairs[i].application, where + "application"); !known)
      return known;
    if (Status known = checkName(file, file.pairs[i].beside, where + "beside"); !known)
      return known;
  }
  for (size_t i = 0; i < file.arrivals.size(); ++i)
    if (Status known = checkName(file, file.arrivals[i].application,
                                 "arrivals[" + std::to_string(i) + "].application");
        !known)
      return known;
  return {};
}

Status checkSizes(const ClusterWorkloadFile& file) {
  uint64_t gpus = 0, jobs = 0;
  for (const GpuGroup& group : file.gpus)
    gpus += group.count;
  for (const ClusterArrivals& arrivals : file.arrivals)
    jobs += arrivals.count;
  if (gpus == 0 || gpus > kMostGpus)
    return Status::error("gpus: " + std::to_string(gpus) + ", expected 1 to 10000");
  if (jobs == 0 || jobs > kMostJobs)
    return Status::error("arrivals: " + std::to_string(jobs) + " jobs, expected 1 to 100000");
  return {};
}

} // namespace

std::string toJson(const ClusterWorkloadFile& file) {
  return documentText(kKind, file, kBody);
}

Result<ClusterWorkloadFile> clusterWorkloadFromJson(const std::string& text) {
  return documentFromText<ClusterWorkloadFile>(kKind, text, kBody);
}

Result<ClusterWorkloadFile> readClusterWorkload(const std::string& path) {
  Result<ClusterWorkloadFile> file = readDocument(kKind, path, clusterWorkloadFromJson);
  if (!file)
    return file;
  const std::string subject = std::string(kKind.name) + " '" + path + "': ";
  for (const std::string& name : file->applicationFiles) {
    Result<ClusterWorkloadFile> more =
        readDocument(kKind, (std::filesystem::path(path).parent_path() / name).string(),
                     clusterWorkloadFromJson);
    if (!more)
      return Status::error(subject + "applicationFiles: " + more.message());
    for (Application& application : more->applications)
      file->applications.push_back(std::move(application));
  }
  for (const Status& checked : {checkNames(*file), checkSizes(*file)})
    if (!checked)
      return Status::error(subject + checked.message());
  return file;
}

Status writeClusterWorkload(const std::string& path, const ClusterWorkloadFile& file) {
  return writeTextFile(path, toJson(file));
}

const Application* applicationNamed(const ClusterWorkloadFile& file, const std::string& name) {
  const auto found =
      std::find_if(file.applications.begin(), file.applications.end(),
                   [&](const Application& application) { return application.name == name; });
  return found == file.applications.end() ? nullptr : &*found;
}

} // namespace gpusched::cluster
