// ProfileStore.h - where profiles are kept between a build, a profile run and a launch.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   $GPUSCHED_HOME/                    default ~/.local/share/gpusched
//     static/<any name>.json           written by gpusched-cc, one per translation unit
//     dynamic/<program>.json           written by `gpusched profile`, one per program
//
// A dynamic file holds complete kernels, static part included, so the runtime opens one file.
// A kernel occurs once per block size it was launched with. find() prefers the same number of
// threads and otherwise takes the nearest: class and stall mix barely move with block size,
// and the runtime bounds the budget by the occupancy of the launch at hand.
//
// Immutable after loading, hence thread-safe. Not a database: a program has tens of kernels.
#pragma once

#include "rt/schema/Profile.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gpusched {

class ProfileStore {
public:
  explicit ProfileStore(ProfileFile file = {});

  /// By source name or by symbol; null when there is no dynamic profile of it.
  const DynamicProfile* find(std::string_view kernel, uint32_t threadsPerBlock) const;
  const ProfileFile& file() const { return file_; }

  static std::string staticFolder(const std::string& home);
  static std::string dynamicFolder(const std::string& home);
  static std::string dynamicPath(const std::string& home, const std::string& program);

private:
  ProfileFile file_;
  std::unordered_map<std::string, std::vector<size_t>> byName_; // kernel name and symbol
};

/// Every profile of `folder`/*.json in one file, the newest file last. A file that cannot be read
/// is skipped with a warning; a missing folder gives an empty file.
ProfileFile loadProfiles(const std::string& folder);

/// The kernels of all these files in one, in order. Error: the first that cannot be read.
Result<ProfileFile> readProfiles(const std::vector<std::string>& paths);

} // namespace gpusched
