// Measurement.cpp - measurements to JSON and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in Profile.cpp: a field's JSON name is its C++ name, NaN and infinity become null, and a null
// value of a kernel is left out again by the reader.
#include "rt/schema/Measurement.h"

#include "rt/schema/JsonReader.h"
#include "rt/schema/JsonWriter.h"
#include "rt/schema/TextFile.h"

#include <limits>

namespace gpusched {
namespace {

constexpr const char* kFormat = "gpusched-measurements";
constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

void check(JsonReader& json, const KernelMeasurement& kernel) {
  if (kernel.kernel.empty())
    json.fail("kernel", "a measurement needs a kernel's name");
}

void check(JsonWriter&, const auto&) {}

void map(auto& json, Field<MeasuredSeries> auto& series) {
  json.map("metric", series.metric);
  json.map("counter", series.counter);
  json.map("exact", series.exact);
  json.map("values", series.values, kNotMeasured);
}

void map(auto& json, Field<KernelMeasurement> auto& kernel) {
  json.map("kernel", kernel.kernel);
  json.map("threadsPerBlock", kernel.threadsPerBlock);
  json.map("dynamicSharedBytes", kernel.dynamicSharedBytes);
  json.map("blocks", kernel.blocks);
  json.map("blocksPerSm", kernel.blocksPerSm);
  json.map("launches", kernel.launches);
  json.map("timesUs", kernel.timesUs);
  json.map("values", kernel.values);
  json.map("series", kernel.series, [](auto& inner, auto& series) { map(inner, series); });
  check(json, kernel);
}

/// What follows the header.
void mapBody(auto& json, Field<MeasurementFile> auto& file) {
  json.map("source", file.source);
  json.map("program", file.program);
  json.map("device", file.device);
  json.map("chip", file.chip);
  json.map("driverVersion", file.driverVersion);
  json.map("cuptiVersion", file.cuptiVersion);
  json.map("dropped", file.dropped);
  json.map("problem", file.problem);
  json.map("kernels", file.kernels, [](auto& inner, auto& kernel) { map(inner, kernel); });
}

} // namespace

std::string toJson(const MeasurementFile& file) {
  JsonWriter json;
  json.map("format", kFormat);
  json.map("version", kMeasurementVersion);
  mapBody(json, file);
  return json.text();
}

Result<MeasurementFile> measurementFromJson(const std::string& text) {
  Result<nlohmann::json> value = parseJson(text);
  if (!value)
    return value.status();
  Status firstError;
  JsonReader in(*value, "", firstError);
  MeasurementFile file;
  std::string format;
  file.version = 0;
  in.map("format", format);
  in.map("version", file.version);
  if (firstError && (format != kFormat || file.version != kMeasurementVersion))
    return Status::error("expected format " + std::string(kFormat) + ", version " +
                         std::to_string(kMeasurementVersion) + ", got \"" + format + "\", " +
                         std::to_string(file.version));
  mapBody(in, file);
  if (!firstError)
    return firstError;
  return file;
}

Status writeMeasurement(const std::string& path, const MeasurementFile& file) {
  return writeTextFile(path, toJson(file));
}

Result<MeasurementFile> readMeasurement(const std::string& path) {
  Result<std::string> text = readTextFile(path);
  if (!text)
    return text.status();
  Result<MeasurementFile> file = measurementFromJson(*text);
  if (!file)
    return Status::error("measurements '" + path + "': " + file.message());
  return file;
}

} // namespace gpusched
