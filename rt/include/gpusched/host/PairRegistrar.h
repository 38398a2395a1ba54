// PairRegistrar.h - one static object per pair of kernels that may be launched as one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It instantiates the kernel for the pair (device/PairedBlocks.cuh) and adds it to the program's
// list, as a kernel without a twin that names the two. A pair whose parameters would not fit into
// those of one kernel is no entry of the list.
#pragma once

#include "../device/PairedBlocks.cuh"
#include "Registrar.h"

namespace gpusched {

/// Of parameters, with the room that alignment may take.
template <class...> struct ParameterSpace {
  static const size_t bytes = sizeof(gpusched_pair);
  static const bool fits = true;
};
template <class Parameter, class... Others> struct ParameterSpace<Parameter, Others...> {
  static const size_t bytes =
      sizeof(Parameter) + alignof(Parameter) + ParameterSpace<Others...>::bytes;
  static const bool fits = bytes <= 4096; // that any architecture takes
};

template <bool kFits, class Pair, class... Parameters> struct PairKernel {
  GPUSCHED_ONCE static void add(gpusched_kernel& kernel) {
    void (*const stub)(gpusched_pair, Parameters...) = &pairedKernels<Pair, Parameters...>;
    kernel.native = reinterpret_cast<const void*>(stub);
    kernel.first = reinterpret_cast<const void*>(Pair::first());
    kernel.second = reinterpret_cast<const void*>(Pair::second());
    kernel.parameters = 1 + sizeof...(Parameters);
    kernel.parameterBytes = parameterBytes(stub);
    Registrar::push(kernel);
  }
};
template <class Pair, class... Parameters> struct PairKernel<false, Pair, Parameters...> {
  GPUSCHED_ONCE static void add(gpusched_kernel&) {}
};

/// `Pair`: a class of an unnamed namespace with the types of two kernels' addresses, First and
/// Second, and static __host__ __device__ functions first() and second() that return them.
/// Nothing is done for other types than of functions that return nothing and may throw.
template <class Pair, class First = typename Pair::First, class Second = typename Pair::Second>
class __attribute__((visibility("hidden"))) PairRegistrar {
public:
  GPUSCHED_ONCE PairRegistrar(const char*, const char*, gpusched_u32) {}
};
template <class Pair, class... OfFirst, class... OfSecond>
class __attribute__((visibility("hidden")))
PairRegistrar<Pair, void (*)(OfFirst...), void (*)(OfSecond...)> {
public:
  GPUSCHED_ONCE PairRegistrar(const char* name, const char* file, gpusched_u32 line) : kernel_() {
    kernel_.name = name;
    kernel_.file = file;
    kernel_.line = line;
    PairKernel<ParameterSpace<OfFirst..., OfSecond...>::fits, Pair, OfFirst..., OfSecond...>::add(
        kernel_);
  }

private:
  gpusched_kernel kernel_;
};

} // namespace gpusched
