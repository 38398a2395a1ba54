// Option.h - a word of the command line as "--name=value".
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace gpusched::papers {

struct Option {
  std::string name, value; // "--sets", "4"; without '=' the word itself and ""

  explicit Option(const std::string& word) : name(word.substr(0, word.find('='))) {
    if (name.size() < word.size())
      value = word.substr(name.size() + 1);
  }
};

} // namespace gpusched::papers
