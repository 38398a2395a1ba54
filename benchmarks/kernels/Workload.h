// Workload.h - the interface of one benchmark kernel, and the little that all of them share.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A workload is one row of the K-Scheduler thesis (table in benchmarks/README.md) as a class: it
// makes its input from a seed, launches its kernels on a stream, hands back the raw bytes of its
// result and checks them against a plain CPU reference. One .cu file holds one workload and ends
// with BENCH_WORKLOAD(Class, "name"); Main.cu runs the one that is linked, Corun.cu any number of
// them.
//
//   setup(size, seed)   once: inputs, buffers, constant memory (may use the default stream)
//   launch(stream)      any number of times; every launch leaves the same result
//   result()            after the stream has been synchronised; overwrites it on the device, so a
//                       later launch that does nothing cannot pass
//   check(result)       the CPU reference; large results are checked at sampled elements
//
// Two instances of one workload share its constant memory, so they need the same size and seed.
// No workload uses floating-point atomics: equal compilers give equal bytes.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace bench {

using Bytes = std::vector<unsigned char>;

/// Test: at most about 5e7 lane-instructions, for the cpu device. Small: about a millisecond on
/// a GPU. Large: tens of milliseconds on an H200.
enum class Size { Test, Small, Large };

/// The value of a parameter at a size.
template <class T> T pick(Size size, T test, T small, T large) {
  return size == Size::Test ? test : size == Size::Small ? small : large;
}

/// splitmix64: the same numbers on every machine and compiler.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint32_t bits() {
    state_ += 0x9E3779B97F4A7C15ull;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ull;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBull;
    return static_cast<std::uint32_t>((mixed ^ (mixed >> 31)) >> 32);
  }
  /// In [low, high), with 24 random bits.
  float uniform(float low, float high) {
    return low + (high - low) * (static_cast<float>(bits() >> 8) * (1.0f / 16777216.0f));
  }
  /// In 0..limit-1.
  unsigned below(unsigned limit) {
    return static_cast<unsigned>((static_cast<std::uint64_t>(bits()) * limit) >> 32);
  }

private:
  std::uint64_t state_;
};

/// Ends the program with a message when a CUDA call failed.
void require(cudaError_t error, const std::string& what);

/// A device buffer that owns its memory.
template <class T> class DeviceArray {
public:
  DeviceArray() = default;
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }

  void allocate(std::size_t count) {
    if (data_ != nullptr)
      require(cudaFree(data_), "cudaFree");
    data_ = nullptr;
    count_ = count;
    require(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()),
            "cudaMalloc of " + std::to_string(bytes()) + " bytes");
  }
  void upload(const std::vector<T>& values) {
    allocate(values.size());
    require(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice), "copy to device");
  }
  void copyFrom(const DeviceArray& other, cudaStream_t stream) {
    require(cudaMemcpyAsync(data_, other.data_, bytes(), cudaMemcpyDeviceToDevice, stream),
            "copy on device");
  }
  void clear(cudaStream_t stream) {
    require(cudaMemsetAsync(data_, 0, bytes(), stream), "cudaMemsetAsync");
  }
  /// Appends the contents to `result` and overwrites them on the device; blocks.
  void take(Bytes& result) {
    const std::size_t old = result.size();
    result.resize(old + bytes());
    require(cudaMemcpy(result.data() + old, data_, bytes(), cudaMemcpyDeviceToHost),
            "copy to host");
    require(cudaMemset(data_, 0xA5, bytes()), "cudaMemset");
    require(cudaDeviceSynchronize(), "cudaMemset"); // launches go to non-blocking streams
  }
  Bytes take() {
    Bytes result;
    take(result);
    return result;
  }
  T* get() const { return data_; }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

/// The elements of a result, `offset` bytes into it.
template <class T> std::vector<T> view(const Bytes& result, std::size_t offset = 0) {
  std::vector<T> values((result.size() - offset) / sizeof(T));
  std::memcpy(values.data(), result.data() + offset, values.size() * sizeof(T));
  return values;
}

/// Collects the comparisons of one check: |expected - got| <= absolute + relative * |expected|.
class Comparison {
public:
  Comparison(double relative, double absolute) : relative_(relative), absolute_(absolute) {}

  void expect(std::size_t index, double expected, double got);
  bool passed() const { return checked_ > 0 && !failed_; }
  /// "1024 elements checked" or "element 7: expected 1.5, got 0 (tolerance 1e-06)".
  std::string text() const;

private:
  double relative_, absolute_;
  std::size_t checked_ = 0, index_ = 0;
  bool failed_ = false;
  double expected_ = 0, got_ = 0;
};

/// A stride that visits about `wanted` of `total` elements, spread over all residues.
std::size_t sampleStride(std::size_t total, std::size_t wanted);

class Workload {
public:
  virtual ~Workload() = default; ///< frees what setup allocated
  virtual void setup(Size size, std::uint64_t seed) = 0;
  virtual void launch(cudaStream_t stream) = 0;
  virtual Bytes result() = 0;
  virtual Comparison check(const Bytes& result) const = 0;
};

/// One linked workload; static objects of this type form the list that programs choose from.
class Registration {
public:
  using Factory = std::unique_ptr<Workload> (*)();
  Registration(const char* name, Factory factory);

  const char* name;
  Factory make;
  Registration* next;
  static Registration* first();
};

} // namespace bench

#define BENCH_WORKLOAD(Class, Name)                                                                \
  static bench::Registration registrationOf##Class(                                                \
      Name, []() -> std::unique_ptr<bench::Workload> { return std::make_unique<Class>(); });
