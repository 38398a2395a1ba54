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

namespace gpusched {

struct ArgumentBits {
  template <class T> class Copy {
  public:
    __device__ __forceinline__ explicit Copy(const T& argument) {
      ::memcpy(bytes_, static_cast<const void*>(&reinterpret_cast<const char&>(argument)),
               sizeof(T));
    }
    __device__ __forceinline__ T& get() { return reinterpret_cast<T&>(bytes_); }

  private:
    alignas(T) unsigned char bytes_[sizeof(T)];
  };

  template <class T> static __device__ __forceinline__ Copy<T> of(const T& argument) {
    return Copy<T>(argument);
  }
};

} // namespace gpusched
