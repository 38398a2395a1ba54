// Measurement.cpp - measurements to JSON and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in Profile.cpp: a field's JSON name is its C++ name, NaN and infinity become null, and a null
// value of a kernel is left out again by the reader.
#include "rt/schema/Measurement.h"

#include "rt/schema/Document.h"

#include <limits>

namespace gpusched {
namespace {

constexpr DocumentKind kKind = {"measurement", "gpusched-measurements", kMeasurementVersion,
                                kMeasurementVersion};
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
  json.map("besideOthers", kernel.besideOthers);
  json.map("timesUs", kernel.timesUs);
  json.map("values", kernel.values);
  json.map("series", kernel.series, [](auto& inner, auto& series) { map(inner, series); });
  json.map("blocksBySm", kernel.blocksBySm);
  check(json, kernel);
}

/// What follows the header.
void mapBody(auto& json, Field<MeasurementFile> auto& file) {
  json.map("source", file.source);
  json.map("program", file.program);
  json.map("device", file.device);
  json.map("chip", file.chip);
  json.map("sms", file.sms);
  json.map("driverVersion", file.driverVersion);
  json.map("cuptiVersion", file.cuptiVersion);
  json.map("dropped", file.dropped);
  json.map("problem", file.problem);
  json.map("kernels", file.kernels, [](auto& inner, auto& kernel) { map(inner, kernel); });
}

constexpr auto kBody = [](auto& json, auto& file) { mapBody(json, file); };

} // namespace

std::string toJson(const MeasurementFile& file) {
  return documentText(kKind, file, kBody);
}

Result<MeasurementFile> measurementFromJson(const std::string& text) {
  return documentFromText<MeasurementFile>(kKind, text, kBody);
}

Status writeMeasurement(const std::string& path, const MeasurementFile& file) {
  return writeTextFile(path, toJson(file));
}

Result<MeasurementFile> readMeasurement(const std::string& path) {
  return readDocument(kKind, path, measurementFromJson);
}

} // namespace gpusched
