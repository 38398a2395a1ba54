// ArgumentBits.cuh - a kernel's argument, copied as a launch copies it: bit by bit.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   body(..., ::gpusched::ArgumentBits::of(owner).get());   // body takes Owner&
//
// A launch copies an argument on the host, by its class, and hands the kernel the bits; on the
// device neither the copy constructor nor the destructor runs; the class may not even have them
// there.
#pragma once

#include <string.h>
#include <type_traits>

namespace gpusched {

struct ArgumentBits {
  template <class T, bool trivial> class Copy {
  public:
    __device__ __forceinline__ explicit Copy(const T& argument) {
      ::memcpy(bytes_, static_cast<const void*>(&reinterpret_cast<const char&>(argument)),
               sizeof(T));
    }
    __device__ __forceinline__ T& get() { return reinterpret_cast<T&>(bytes_); }

  private:
    alignas(T) unsigned char bytes_[sizeof(T)];
  };

  /// The same bits; but of 4 KiB as bytes the compiler does not come to an end.
  template <class T> class Copy<T, true> {
  public:
    __device__ __forceinline__ explicit Copy(const T& argument) : argument_(argument) {}
    __device__ __forceinline__ T& get() { return argument_; }

  private:
    T argument_;
  };

  template <class T>
  using CopyOf =
      Copy<T, std::is_trivially_copyable<T>::value && std::is_copy_constructible<T>::value>;

  template <class T> static __device__ __forceinline__ CopyOf<T> of(const T& argument) {
    return CopyOf<T>(argument);
  }
};

} // namespace gpusched
