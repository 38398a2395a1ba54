// TwinNames.h - which suffix tells the twins of kernels of one name apart, over several parses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pass of nvcc must give a kernel's twin one name, or host stub and device code do not meet.
// The passes may see different texts of a kernel, in another order and among other kernels, so a
// suffix belongs to what a pass cannot change: scope, name and type. Where several definitions of
// one parse have all of that in common, they are numbered as they come.
#pragma once

#include <map>
#include <string>

namespace gpusched::passes {

class TwinNames {
public:
  /// Definitions are numbered anew.
  void beginParse() { found_.clear(); }

  /// "__gs" for the first kernel of that name, "__gs2" for the next and so on.
  std::string suffixOf(const std::string& name, const std::string& type) {
    const std::string kernel = type + '#' + std::to_string(++found_[type]);
    const auto [known, isNew] = suffixes_.try_emplace(kernel);
    if (isNew) {
      const unsigned ordinal = ++ordinals_[name];
      known->second = ordinal == 1 ? "__gs" : "__gs" + std::to_string(ordinal);
    }
    return known->second;
  }

private:
  std::map<std::string, unsigned> found_;    ///< by type: definitions in this parse
  std::map<std::string, unsigned> ordinals_; ///< by name: suffixes given
  std::map<std::string, std::string> suffixes_;
};

} // namespace gpusched::passes
