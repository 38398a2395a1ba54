// ProfileStore.cpp - profiles by kernel name and block size.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names are compared with spaces removed: "k<int, 4>" and "k<int,4>" are the same kernel to
// two compilers' printers.
#include "rt/profile/ProfileStore.h"

#include "rt/support/Log.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace gpusched {
namespace {

std::string canonical(std::string_view name) {
  std::string out;
  for (char c : name)
    if (c != ' ')
      out += c;
  return out;
}

uint32_t distance(uint32_t a, uint32_t b) {
  return a > b ? a - b : b - a;
}

} // namespace

ProfileStore::ProfileStore(ProfileFile file) : file_(std::move(file)) {
  for (size_t i = 0; i < file_.kernels.size(); ++i) {
    const StaticProfile& fixed = file_.kernels[i].fixed;
    if (!file_.kernels[i].dynamic)
      continue;
    byName_[canonical(fixed.kernel)].push_back(i);
    if (fixed.symbol != fixed.kernel)
      byName_[canonical(fixed.symbol)].push_back(i);
  }
}

const DynamicProfile* ProfileStore::find(std::string_view kernel, uint32_t threadsPerBlock) const {
  std::unordered_map<std::string, std::vector<size_t>>::const_iterator found =
      byName_.find(canonical(kernel));
  if (kernel.empty() || found == byName_.end())
    return nullptr;
  const DynamicProfile* best = nullptr;
  for (size_t index : found->second) {
    const DynamicProfile& candidate = *file_.kernels[index].dynamic;
    if (!best || distance(candidate.threadsPerBlock, threadsPerBlock) <
                     distance(best->threadsPerBlock, threadsPerBlock))
      best = &candidate;
  }
  return best;
}

std::string ProfileStore::staticFolder(const std::string& home) {
  return home + "/static";
}

std::string ProfileStore::dynamicFolder(const std::string& home) {
  return home + "/dynamic";
}

std::string ProfileStore::dynamicPath(const std::string& home, const std::string& program) {
  return dynamicFolder(home) + "/" + program + ".json";
}

ProfileFile loadProfiles(const std::string& folder) {
  ProfileFile all;
  std::error_code error;
  std::vector<std::pair<std::filesystem::file_time_type, std::string>> paths;
  for (const std::filesystem::directory_entry& entry :
       std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".json")
      paths.emplace_back(entry.last_write_time(error), entry.path().string());
  std::sort(paths.begin(), paths.end());
  for (const auto& [time, path] : paths) {
    Result<ProfileFile> file = readProfile(path);
    if (!file) {
      log(LogLevel::Warning, "%s; skipped", file.message().c_str());
      continue;
    }
    for (KernelProfile& kernel : file->kernels)
      all.kernels.push_back(std::move(kernel));
  }
  return all;
}

Result<ProfileFile> readProfiles(const std::vector<std::string>& paths) {
  ProfileFile all;
  for (const std::string& path : paths) {
    Result<ProfileFile> file = readProfile(path);
    if (!file)
      return file;
    for (KernelProfile& kernel : file->kernels)
      all.kernels.push_back(std::move(kernel));
  }
  return all;
}

} // namespace gpusched
