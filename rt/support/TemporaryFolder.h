// TemporaryFolder.h - a folder of one run; removed with all that is in it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made with mkdtemp under $TMPDIR (else /tmp): no fixed names, so any number of runs go side by
// side, and nothing is ever written beside the user's files. Owned by one process, one thread at a
// time. Of gpusched-cc, Guard's parent holds it, so it goes away even when the compile crashes.
#pragma once

#include "rt/support/Result.h"

#include <string>
#include <utility>

namespace gpusched {

class TemporaryFolder {
public:
  static Result<TemporaryFolder> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder() { remove(); }

  /// Absolute.
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  void remove();

private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

} // namespace gpusched
