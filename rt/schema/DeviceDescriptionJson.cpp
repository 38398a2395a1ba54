// DeviceDescriptionJson - finds and reads a device description file.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every field of the struct is a member of the JSON object under the same name. Fields with
// a default may be missing; an unknown member is an error, so that a misspelt name is
// noticed. Members whose name starts with "_" are notes on where a value comes from.
#include "rt/schema/DeviceDescription.h"

#include <nlohmann/json.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

namespace gpusched {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Reader {
public:
  Reader(const json& object, std::string file) : object_(object), file_(std::move(file)) {}

  template <class T> void read(const char* name, T& value, bool required = false) {
    known_.insert(name);
    const auto found = object_.find(name);
    if (found == object_.end()) {
      if (required)
        fail(std::string("'") + name + "' is missing");
      return;
    }
    const bool fits = std::is_same_v<T, std::string> ? found->is_string()
                      : std::is_same_v<T, double>    ? found->is_number()
                                                     : found->is_number_unsigned();
    if (!fits)
      return fail(std::string("'") + name + "' must be " +
                  (std::is_same_v<T, std::string> ? "a string" : "a number of at least 0"));
    value = found->get<T>();
  }

  Status finish() {
    for (const auto& [name, value] : object_.items())
      if (!known_.contains(name) && !name.starts_with("_"))
        fail("'" + name + "' is not a field");
    return message_.empty() ? Status() : Status::error(message_);
  }

private:
  void fail(const std::string& what) {
    if (message_.empty())
      message_ =
          "device description " + file_ + ": " + what + "; see rt/schema/DeviceDescription.h";
  }

  const json& object_;
  std::string file_;
  std::set<std::string, std::less<>> known_;
  std::string message_;
};

Result<DeviceDescription> fromJson(const json& object, const std::string& file) {
  DeviceDescription device;
  Reader reader(object, file);
  reader.read("name", device.name, true);
  reader.read("computeMajor", device.computeMajor, true);
  reader.read("computeMinor", device.computeMinor, true);
  reader.read("sms", device.sms, true);
  reader.read("warpsPerSm", device.warpsPerSm, true);
  reader.read("blocksPerSm", device.blocksPerSm, true);
  reader.read("threadsPerBlock", device.threadsPerBlock);
  reader.read("registersPerSm", device.registersPerSm);
  reader.read("registersPerBlock", device.registersPerBlock);
  reader.read("registerAllocationUnit", device.registerAllocationUnit);
  reader.read("sharedBytesPerSm", device.sharedBytesPerSm, true);
  reader.read("sharedBytesPerBlock", device.sharedBytesPerBlock);
  reader.read("sharedBytesPerBlockOptin", device.sharedBytesPerBlockOptin);
  reader.read("sharedReservedPerBlock", device.sharedReservedPerBlock);
  reader.read("sharedAllocationUnit", device.sharedAllocationUnit);
  reader.read("memoryBytes", device.memoryBytes, true);
  reader.read("l1Bytes", device.l1Bytes);
  reader.read("l2Bytes", device.l2Bytes);
  reader.read("memoryBusBits", device.memoryBusBits);
  reader.read("clockMhz", device.clockMhz, true);
  reader.read("dramGbPerSecond", device.dramGbPerSecond, true);
  reader.read("dramEfficiency", device.dramEfficiency);
  reader.read("l2GbPerSecond", device.l2GbPerSecond);
  reader.read("schedulersPerSm", device.schedulersPerSm);
  reader.read("fp32LanesPerSm", device.fp32LanesPerSm);
  reader.read("fp64LanesPerSm", device.fp64LanesPerSm);
  reader.read("int32LanesPerSm", device.int32LanesPerSm);
  reader.read("sfuLanesPerSm", device.sfuLanesPerSm);
  reader.read("aluLatency", device.aluLatency);
  reader.read("sharedLatency", device.sharedLatency);
  reader.read("l1Latency", device.l1Latency);
  reader.read("l2Latency", device.l2Latency);
  reader.read("dramLatency", device.dramLatency);
  if (Status status = reader.finish(); !status)
    return status;
  if (!device.sms || !device.warpsPerSm || !device.blocksPerSm)
    return Status::error("device description " + file +
                         ": sms, warpsPerSm and blocksPerSm must be at least 1");
  return device;
}

Result<DeviceDescription> readFile(const fs::path& path) {
  std::ifstream stream(path);
  if (!stream)
    return Status::error("cannot read device description " + path.string() + "; check the path");
  const json object = json::parse(stream, nullptr, false, true);
  if (!object.is_object())
    return Status::error("device description " + path.string() + " is not a JSON object");
  return fromJson(object, path.string());
}

/// share/gpusched/devices beside the library or program this code is in, then the
/// folders of $GPUSCHED_DEVICES (separated by ':'), then the build folder.
std::vector<fs::path> folders() {
  std::vector<fs::path> found;
  std::error_code ignored;
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&loadDeviceDescription), &info) && info.dli_fname) {
    const fs::path here = fs::canonical(info.dli_fname, ignored).parent_path();
    if (!here.empty())
      found.push_back(here.parent_path() / "share/gpusched/devices");
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  if (!program.empty())
    found.push_back(program.parent_path() / "share/gpusched/devices");
  if (const char* listed = std::getenv("GPUSCHED_DEVICES")) {
    const std::string text = listed;
    for (size_t at = 0; at <= text.size();) {
      const size_t end = std::min(text.find(':', at), text.size());
      if (end > at)
        found.emplace_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  found.emplace_back(GPUSCHED_DEVICES_BUILD_FOLDER);
  return found;
}

} // namespace

Result<DeviceDescription> loadDeviceDescription(const std::string& nameOrPath) {
  if (nameOrPath.ends_with(".json"))
    return readFile(nameOrPath);
  std::set<std::string> names;
  std::string searched;
  for (const fs::path& folder : folders()) {
    std::error_code ignored;
    const fs::path file = folder / (nameOrPath + ".json");
    if (fs::is_regular_file(file, ignored))
      return readFile(file);
    searched += "\n  " + folder.string();
    for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored))
      if (it->path().extension() == ".json")
        names.insert(it->path().stem().string());
  }
  std::string known;
  for (const std::string& name : names)
    known += (known.empty() ? "" : ", ") + name;
  return Status::error("no device description named '" + nameOrPath + "'" +
                       (known.empty() ? "" : "; known: " + known) + "; searched:" + searched);
}

} // namespace gpusched
