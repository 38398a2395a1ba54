// Workload.cpp - the parts of Workload.h that are the same in every program.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds no CUDA code, so that each .cu file stays quick to compile: the list of linked
// workloads, the comparison of a result with its reference, and the end on a CUDA error.
#include "benchmarks/kernels/Workload.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace bench {

static Registration*& head() {
  static Registration* list = nullptr;
  return list;
}

Registration::Registration(const char* registeredName, Factory factory)
    : name(registeredName), make(factory), next(head()) {
  head() = this;
}

Registration* Registration::first() {
  return head();
}

void require(cudaError_t error, const std::string& what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr,
               "benchmark: %s failed: %s (%s)\n"
               "  likely cause: no device, not enough device memory, or a kernel that failed "
               "earlier; try --size=test or `gpusched run --device=cpu`\n",
               what.c_str(), cudaGetErrorString(error), cudaGetErrorName(error));
  std::exit(1);
}

void Comparison::expect(std::size_t index, double expected, double got) {
  ++checked_;
  const double allowed = absolute_ + relative_ * std::fabs(expected);
  const bool near = std::fabs(expected - got) <= allowed; // false for a NaN on either side
  if (near || failed_)
    return;
  failed_ = true;
  index_ = index;
  expected_ = expected;
  got_ = got;
}

std::string Comparison::text() const {
  char line[200];
  if (failed_)
    std::snprintf(line, sizeof line, "element %zu: expected %.9g, got %.9g (tolerance %.3g)",
                  index_, expected_, got_, absolute_ + relative_ * std::fabs(expected_));
  else if (checked_ == 0)
    std::snprintf(line, sizeof line, "the check compared no element");
  else
    std::snprintf(line, sizeof line, "%zu elements checked", checked_);
  return line;
}

std::size_t sampleStride(std::size_t total, std::size_t wanted) {
  const std::size_t stride = total / wanted;
  return stride <= 1 ? 1 : stride | 1;
}

} // namespace bench
