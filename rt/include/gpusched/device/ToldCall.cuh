// ToldCall.cuh - one call for function objects that take the built-ins and for others.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   f(i)  ->  ::gpusched::toldCall(f, blockIdx, gridDim)(i)
//
// In one instantiation f is a class with call__gs, in another a lambda that takes the built-ins
// behind its own arguments, in a third something that takes none. Which it is, the language says;
// that no f takes more than it should is seen to by the transform (analysis/VirtualFunctions).
#pragma once

// Generic lambdas: not in C++11, where a text that needs one is left to nvcc.
#if __cplusplus >= 201402L
namespace gpusched {

template <class... All> struct ToldTypes {};
template <int Value> struct ToldForm {};

class ToldForms {
  template <class T> static __host__ __device__ T value();

public:
  template <class F, class... Built, class... Arguments>
  static __host__ __device__ auto of(ToldTypes<Built...>, ToldTypes<Arguments...>, int)
      -> decltype(static_cast<void>(value<F>().call__gs(value<Built>()..., value<Arguments>()...)),
                  ToldForm<0>());
  template <class F, class... Built, class... Arguments>
  static __host__ __device__ auto of(ToldTypes<Built...>, ToldTypes<Arguments...>, long)
      -> decltype(static_cast<void>(value<F>()(value<Arguments>()..., value<Built>()...)),
                  ToldForm<1>());
  template <class F> static __host__ __device__ ToldForm<2> of(...);

  template <class First, class Second, class Third>
  static __host__ __device__ const First& pick(ToldForm<0>, const First& first, const Second&,
                                               const Third&) {
    return first;
  }
  template <class First, class Second, class Third>
  static __host__ __device__ const Second& pick(ToldForm<1>, const First&, const Second& second,
                                                const Third&) {
    return second;
  }
  template <class First, class Second, class Third>
  static __host__ __device__ const Third& pick(ToldForm<2>, const First&, const Second&,
                                               const Third& third) {
    return third;
  }
};

/// What is called with the arguments of a call of `function`. Lives no longer than these.
template <class F, class... Built>
__host__ __device__ __forceinline__ auto toldCall(F&& function, const Built&... built) {
  return [&](auto&&... arguments) -> decltype(auto) {
    using Form = decltype(ToldForms::of<F>(ToldTypes<const Built&...>(),
                                           ToldTypes<decltype(arguments)...>(), 0));
    return ToldForms::pick(
        Form(),
        [&](auto&& called) -> decltype(auto) {
          return static_cast<decltype(called)>(called).call__gs(
              built..., static_cast<decltype(arguments)>(arguments)...);
        },
        [&](auto&& called) -> decltype(auto) {
          return static_cast<decltype(called)>(called)(
              static_cast<decltype(arguments)>(arguments)..., built...);
        },
        [&](auto&& called) -> decltype(auto) {
          return static_cast<decltype(called)>(called)(
              static_cast<decltype(arguments)>(arguments)...);
        })(static_cast<F&&>(function));
  };
}

} // namespace gpusched
#endif
