// Measurement.cpp - measurements to JSON and back.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As in Profile.cpp: a field's JSON name is its C++ name, NaN and infinity become null, and a null
// value of a kernel is left out again by the reader.
#include "rt/schema/Measurement.h"

#include "rt/schema/JsonReader.h"
#include "rt/schema/TextFile.h"

#include <cmath>
#include <limits>

namespace gpusched {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "gpusched-measurements";
constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json write(const std::vector<double>& values) {
  Json array = Json::array();
  for (double value : values)
    array.push_back(number(value));
  return array;
}

Json write(const MeasuredSeries& series) {
  Json object;
  object["metric"] = series.metric;
  object["counter"] = series.counter;
  object["exact"] = series.exact;
  object["values"] = write(series.values);
  return object;
}

Json write(const KernelMeasurement& kernel) {
  Json object;
  object["kernel"] = kernel.kernel;
  object["threadsPerBlock"] = kernel.threadsPerBlock;
  object["dynamicSharedBytes"] = kernel.dynamicSharedBytes;
  object["blocks"] = kernel.blocks;
  object["blocksPerSm"] = kernel.blocksPerSm;
  object["launches"] = kernel.launches;
  object["timesUs"] = write(kernel.timesUs);
  object["values"] = Json::object();
  for (const auto& [metric, value] : kernel.values)
    object["values"][metric] = number(value);
  object["series"] = Json::array();
  for (const MeasuredSeries& series : kernel.series)
    object["series"].push_back(write(series));
  return object;
}

void read(JsonReader& in, KernelMeasurement& kernel) {
  in.read("kernel", kernel.kernel);
  in.read("threadsPerBlock", kernel.threadsPerBlock);
  in.read("dynamicSharedBytes", kernel.dynamicSharedBytes);
  in.read("blocks", kernel.blocks);
  in.read("blocksPerSm", kernel.blocksPerSm);
  in.read("launches", kernel.launches);
  in.read("timesUs", kernel.timesUs);
  in.read("values", kernel.values);
  in.forEach("series", [&](JsonReader& element) {
    MeasuredSeries& series = kernel.series.emplace_back();
    element.read("metric", series.metric);
    element.read("counter", series.counter);
    element.read("exact", series.exact);
    element.read("values", series.values, kNotMeasured);
  });
  if (kernel.kernel.empty())
    in.fail("kernel", "a measurement needs a kernel's name");
}

} // namespace

std::string toJson(const MeasurementFile& file) {
  Json object;
  object["format"] = kFormat;
  object["version"] = kMeasurementVersion;
  object["source"] = file.source;
  object["program"] = file.program;
  object["device"] = file.device;
  object["chip"] = file.chip;
  object["driverVersion"] = file.driverVersion;
  object["cuptiVersion"] = file.cuptiVersion;
  object["dropped"] = file.dropped;
  object["problem"] = file.problem;
  object["kernels"] = Json::array();
  for (const KernelMeasurement& kernel : file.kernels)
    object["kernels"].push_back(write(kernel));
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
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
  in.read("format", format);
  in.read("version", file.version);
  if (firstError && (format != kFormat || file.version != kMeasurementVersion))
    return Status::error("expected format " + std::string(kFormat) + ", version " +
                         std::to_string(kMeasurementVersion) + ", got \"" + format + "\", " +
                         std::to_string(file.version));
  in.read("source", file.source);
  in.read("program", file.program);
  in.read("device", file.device);
  in.read("chip", file.chip);
  in.read("driverVersion", file.driverVersion);
  in.read("cuptiVersion", file.cuptiVersion);
  in.read("dropped", file.dropped);
  in.read("problem", file.problem);
  in.forEach("kernels", [&](JsonReader& element) { read(element, file.kernels.emplace_back()); });
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
