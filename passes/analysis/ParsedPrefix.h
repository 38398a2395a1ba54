// ParsedPrefix.h - the headers that every file begins with, parsed once and kept.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before the user's first line Clang reads its CUDA wrapper, the toolkit's headers and our shim:
// most of the time a small file takes. Their parse is kept as a precompiled header in a folder, one
// for each set of arguments that could change it:
//
//   KEY.txt   asked    somebody wanted it once; the second one makes it
//             failed   these arguments do not get through the headers
//             made     and each name that the headers include
//   KEY.pch   what Clang wrote
//
// KEY hashes Clang's version, the names of our shim's headers, and all arguments but the user's
// search folders and -include files, which come later. A prefix is used only where none of those
// folders holds a file of an included name; that its headers are unchanged is checked by Clang,
// which then refuses it. Whatever goes wrong costs a plain parse, nothing else. Files are replaced
// by rename, so any number of processes share a folder; the least used ones beyond 32 are removed.
#pragma once

#include "passes/Transform.h"

#include <functional>
#include <string>
#include <vector>

namespace gpusched::passes {

/// What the headers gave: a precompiled header, or nothing after errors, and the included names.
struct MadePrefix {
  std::string data;
  std::vector<std::string> names;
};

class ParsedPrefix {
public:
  /// `identity`: the command that parses the prefix alone, and what else decides what it finds. An
  /// empty folder: nothing is kept.
  ParsedPrefix(const std::string& folder, const std::vector<std::string>& identity);

  /// The precompiled header to begin with, or "". Calls `make` when it is time to.
  std::string find(const std::vector<std::string>& searchFolders,
                   const std::function<MadePrefix()>& make) const;

  /// Clang refused it: the next one who asks makes it anew.
  void forget() const;

private:
  std::string make(const std::function<MadePrefix()>& make) const;

  std::string folder_, state_, header_;
};

/// The user's arguments, apart: those that may change the prefix, the folders that includes are
/// searched in, and what -include and -imacros put behind the prefix.
struct PrefixArguments {
  std::vector<std::string> decisive, searchFolders, preIncludes;
};
PrefixArguments splitForPrefix(const std::vector<std::string>& clangArguments);

} // namespace gpusched::passes
