// Expect.h - what the execute tests share: buffers and the comparison with values from the host.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every test computes its expected values on the host, so a fault that the original and the
// persistent variant have in common is seen too; a hash of the bytes lets compare.py tell two
// runs apart that are both "right".
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess)
    return;
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  std::exit(1);
}

/// A zeroed device array; never freed, tests are short.
template <class T> T* deviceArray(std::size_t count) {
  void* data = nullptr;
  must(cudaMalloc(&data, count * sizeof(T)), "cudaMalloc");
  must(cudaMemset(data, 0, count * sizeof(T)), "cudaMemset");
  return static_cast<T*>(data);
}

template <class T> T* deviceCopy(const std::vector<T>& values) {
  T* data = deviceArray<T>(values.size());
  must(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "upload");
  return data;
}

/// Waits for the device, then prints "what: N values, hash H, ok" or the first wrong value.
template <class T, class Expected>
void expect(const char* what, const T* device, std::size_t count, const Expected& expected) {
  must(cudaGetLastError(), "launch");
  must(cudaDeviceSynchronize(), "run");
  std::vector<T> got(count);
  must(cudaMemcpy(got.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost), "download");
  std::uint64_t hash = 1469598103934665603ull;
  for (std::size_t index = 0; index < count * sizeof(T); ++index)
    hash = (hash ^ reinterpret_cast<const unsigned char*>(got.data())[index]) * 1099511628211ull;
  for (std::size_t index = 0; index < count; ++index) {
    const T wanted = static_cast<T>(expected(index));
    if (got[index] == wanted)
      continue;
    std::printf("%s: element %zu is %.9g, expected %.9g\n", what, index,
                static_cast<double>(got[index]), static_cast<double>(wanted));
    std::exit(1);
  }
  std::printf("%s: %zu values, hash %016llx, ok\n", what, count,
              static_cast<unsigned long long>(hash));
}
