// PrivateFolder.h - the folder of one gpusched-cc run; removed with all that is in it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made with mkdtemp under $TMPDIR (else /tmp): no fixed names, so any number of runs go side by
// side, and nothing is ever written beside the user's sources. Owned by one process; Guard's
// parent holds it, so it goes away even when the compile crashes.
#pragma once

#include "rt/support/Result.h"

#include <string>

namespace gpusched::cc {

class PrivateFolder {
public:
  static Result<PrivateFolder> make();
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::move(other.path_)) {
    other.path_.clear();
  }
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder() { remove(); }

  const std::string& path() const { return path_; }
  void remove();

private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

} // namespace gpusched::cc
