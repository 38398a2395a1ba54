// classifier_test - the published classes, and which threshold gives them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rt/saturation/Classifier.h"
#include "test/Check.h"
#include "test/rt/PublishedKernels.h"

#include <string>

using namespace gpusched;

static DynamicProfile profileOf(const PublishedKernel& row) {
  DynamicProfile profile;
  profile.stallExecution = row.execution;
  profile.stallFetch = row.fetch;
  profile.stallMemory = row.memory;
  profile.stallOther = row.others;
  profile.stallSync = row.sync;
  profile.stallTexture = row.texture;
  return profile;
}

static std::string mismatches(double threshold) {
  std::string ids;
  for (const PublishedKernel& row : kPublishedKernels)
    if (classify(profileOf(row), threshold) != row.kernelClass)
      ids += std::string(ids.empty() ? "" : " ") + row.id;
  return ids;
}

int main() {
  CHECK_EQUAL(mismatches(kPublishedThreshold), "");
  CHECK_EQUAL(mismatches(31.64), ""); // the upper end reproduces the table
  CHECK_EQUAL(mismatches(26.26), ""); // and the lower one
  CHECK_EQUAL(mismatches(26.25), "ft");
  CHECK_EQUAL(mismatches(kThesisThreshold), "conv"); // S as the thesis states it
  CHECK(classify(DynamicProfile{}) == KernelClass::Unknown);
  DynamicProfile both;
  both.stallMemory = 40, both.stallTexture = 45;
  CHECK(classify(both) == KernelClass::L1);
  both.stallMemory = 50;
  CHECK(classify(both) == KernelClass::Memory);
  return checkResult();
}
