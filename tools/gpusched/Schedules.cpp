// Schedules.cpp - one run per block order, compared with the first.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every launch of at most five blocks starts them in the n-th permutation, on one worker, so that
// each block runs ahead of the ones after it; the first run says how many orders can differ (120
// at most). Launches of one program take the same n: all orders of each launch are seen, not all
// combinations of several launches.
#include "tools/gpusched/Schedules.h"

#include "tools/gpusched/ChildProcess.h"
#include "tools/gpusched/Subcommand.h"

#include "rt/schema/TextFile.h"
#include "rt/support/TemporaryFolder.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace gpusched::tool {
namespace {

std::string contents(const std::string& path) {
  Result<std::string> text = readTextFile(path);
  return text ? *text : std::string();
}

/// "line 3: 'a' instead of 'b'"
std::string firstDifference(const std::string& got, const std::string& want) {
  size_t line = 1, begin = 0, at = 0;
  for (; at < got.size() && at < want.size() && got[at] == want[at]; ++at)
    if (got[at] == '\n')
      ++line, begin = at + 1;
  const auto lineOf = [&](const std::string& text) {
    return begin < text.size() ? text.substr(begin, text.find('\n', begin) - begin) : std::string();
  };
  return "line " + std::to_string(line) + " of its output is '" + lineOf(got) + "' instead of '" +
         lineOf(want) + "'";
}

} // namespace

int runUnderAllOrders(const std::vector<std::string>& words) {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder)
    return fail(kToolFailed, "run: " + folder.message());
  const std::string output = folder->file("output"), count = folder->file("orders");
  setenv("GPUSCHED_SCHEDULE_ORDERS", count.c_str(), 1);
  std::string first;
  int firstCode = 0;
  uint64_t orders = 1;
  for (uint64_t order = 1; order <= orders; ++order) {
    setenv("GPUSCHED_SCHEDULE", ("order:" + std::to_string(order)).c_str(), 1);
    const int code = runAndWait(words, output);
    const std::string text = contents(output);
    orders = std::max<uint64_t>(orders, std::strtoull(contents(count).c_str(), nullptr, 10));
    if (order == 1) {
      first = text, firstCode = code;
      std::cout << text << std::flush;
      continue;
    }
    if (code == firstCode && text == first)
      continue;
    return fail(code ? code : kFindings,
                "run: block order " + std::to_string(order) + " of " + std::to_string(orders) +
                    ": " +
                    (code != firstCode ? "the program ended with code " + std::to_string(code) +
                                             " instead of " + std::to_string(firstCode)
                                       : firstDifference(text, first)) +
                    "; see it again with GPUSCHED_SCHEDULE=order:" + std::to_string(order));
  }
  std::cerr << "gpusched: run: " << orders
            << (orders == 1 ? " block order" : " block orders, all with the same output") << "\n";
  return firstCode;
}

} // namespace gpusched::tool
