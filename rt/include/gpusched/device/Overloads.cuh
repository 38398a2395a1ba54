// Overloads.cuh - one object for a name that means several functions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   const ::gpusched::Overloads<::at__gs_call, ::at__gs2_call> at   // at(1), at(2.0f)
//
// A class that takes over the call operators of its bases decides between them as a scope does
// between functions of those parameters: a using-declaration makes them members of its own. A call
// that meant one of them among more functions means the same one among fewer.
#pragma once

namespace gpusched {

template <class First, class... Rest> struct Overloads : First, Overloads<Rest...> {
  using First::operator();
  using Overloads<Rest...>::operator();
  __host__ __device__ __forceinline__ Overloads(const First& first, const Rest&... rest)
      : First(first), Overloads<Rest...>(rest...) {}
};

template <class First> struct Overloads<First> : First {
  using First::operator();
  __host__ __device__ __forceinline__ explicit Overloads(const First& first) : First(first) {}
};

} // namespace gpusched
