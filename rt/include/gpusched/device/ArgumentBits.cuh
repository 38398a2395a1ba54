// ArgumentBits.cuh - a kernel's argument, copied as a launch copies it: bit by bit.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   body(..., ::gpusched::ArgumentBits::of(owner).get());   // body takes Owner&
//
// A launch copies an argument on the host, by its class, and hands the kernel the bits; on the
// device neither the copy constructor nor the destructor runs; the class may not even have them
// there. One memcpy into the class's own type: of such a copy NVVM keeps what is written. Member by
// member it keeps all, in local memory, and with bytes of some KiB it does not come to an end.
#pragma once

#include <string.h>

namespace gpusched {

struct ArgumentBits {
  template <class T> class Copy {
  public:
    __device__ __forceinline__ explicit Copy(const T& argument) {
      ::memcpy(static_cast<void*>(&reinterpret_cast<char&>(held_.value)),
               static_cast<const void*>(&reinterpret_cast<const char&>(argument)), sizeof(T));
    }
    __device__ __forceinline__ T& get() { return held_.value; }

  private:
    union Held {
      __device__ __forceinline__ Held() {}
      __device__ __forceinline__ ~Held() {}
      T value;
    } held_;
  };

  template <class T> static __device__ __forceinline__ Copy<T> of(const T& argument) {
    return Copy<T>(argument);
  }
};

} // namespace gpusched
