// DriverTable.cpp - finds the driver's functions and gives them the table's forms.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of each function the form that CUDA 12.0 has, which differs from the table's only where it says
// so below. CUevent, CUstream and CUdeviceptr are as large as pointers.
#include "rt/launch/DriverTable.h"

#include "rt/launch/Cudart.h"

#include <optional>

namespace gpusched {
namespace {

constexpr unsigned kVersion = 12000;

struct DriverFunctions {
  int (*copyAsync)(const void* to, const void* from, size_t bytes, void* stream) = nullptr;
  decltype(gpusched_cudart::streamCreateWithFlags) createStream = nullptr;
  decltype(gpusched_cudart::eventQuery) queryEvent = nullptr;
  decltype(gpusched_cudart::threadExchangeStreamCaptureMode) exchangeCaptureMode = nullptr;
};

template <class Function>
bool find(const gpusched_cudart& program, const char* name, Function& function) {
  function = cudart::driverFunction<Function>(program, name, kVersion);
  return function != nullptr;
}

std::optional<DriverFunctions> findAll(const gpusched_cudart& program) {
  DriverFunctions all;
  if (find(program, "cuMemcpyAsync", all.copyAsync) &&
      find(program, "cuStreamCreate", all.createStream) &&
      find(program, "cuEventQuery", all.queryEvent) &&
      find(program, "cuThreadExchangeStreamCaptureMode", all.exchangeCaptureMode))
    return all;
  return std::nullopt;
}

const std::optional<DriverFunctions>& driver(const gpusched_cudart& program) {
  static const std::optional<DriverFunctions> kFound = findAll(program);
  return kFound;
}

/// The driver tells by the addresses which way it goes.
int copyAsync(void* to, const void* from, size_t bytes, int /*kind*/, void* stream) {
  return driver({})->copyAsync(to, from, bytes, stream);
}

/// Driver functions keep no last error.
int noError() {
  return cudart::kSuccess;
}

} // namespace

gpusched_cudart driverTable(const gpusched_cudart& program) {
  const std::optional<DriverFunctions>& found = driver(program);
  gpusched_cudart table = program;
  if (!found)
    return table;
  table.getLastError = noError;
  table.memcpyAsync = copyAsync;
  table.streamCreateWithFlags = found->createStream;
  table.eventQuery = found->queryEvent;
  table.threadExchangeStreamCaptureMode = found->exchangeCaptureMode;
  return table;
}

} // namespace gpusched
