// A kernel's return type may be void by another name, which decides whether there is an overload. A twin has a name of its own and
// returns void by that name: in nvcc's pass for the host the condition may be false, as where it asks for __CUDA_ARCH__.
// RUN: %gpusched-opt --splice %s | grep -v '^ *// ' | FileCheck %s
// RUN: %gpusched-opt --splice %s | %reparse --cicc-prefix %build/bin/gpusched-cicc
// RUN: %gpusched-opt %s | grep -v '^ *// ' | FileCheck %s --check-prefix=OUTLINED
// RUN: %gpusched-opt %s | %reparse
// CHECK: } template < class T , int N > __global__ void add__gs(const
// CHECK: } template < class T , int N > __global__ __launch_bounds__ ( 64 ) void add__gs2(const
// CHECK: -> typename std::enable_if<Known<T>::yes>::type { {{.*}} } template < class T > __global__ auto scale__gs(const ::gpusched_params gpusched_launch, T * a) -> void{
// CHECK: } template < class T > __global__ void made__gs(const
// CHECK: } template < class T > GLOBAL_IF ( Known < T > :: yes ) notAlone__gs(const
// CHECK: } __global__ void named__gs(const
// CHECK: } static __global__ void add__gs3(const
// OUTLINED: __global__ std :: enable_if_t < ( N > 0 ) && Known < T > :: yes > add(T * a) { add__gs_body
// OUTLINED: } template < class T , int N > __global__ void add__gs(const
// OUTLINED: auto scale__gs_body({{.*}} -> typename std::enable_if<Known<T>::yes>::type {
// OUTLINED: __global__ auto scale__gs(const ::gpusched_params gpusched_launch, T * a) -> void{
#include <type_traits>
#define IF(...) std::enable_if_t<__VA_ARGS__>
#define GLOBAL_IF(...) __global__ std::enable_if_t<__VA_ARGS__>
template <class T> struct Known { static constexpr bool yes = false; };
template <> struct Known<float> { static constexpr bool yes = true; };
#ifdef __CUDA_ARCH__
template <> struct Known<double> { static constexpr bool yes = true; };
#endif
template <class T, int N> __global__ std::enable_if_t<(N > 0) && Known<T>::yes> add(T* a) { a[blockIdx.x] += N; }
template <class T, int N> __global__ __launch_bounds__(64) std::enable_if_t<(N == 0) || std::is_same_v<T, int>> add(T* a) { a[blockIdx.x] += 1; }
template <class T> __global__ auto scale(T* a) -> typename std::enable_if<Known<T>::yes>::type { a[blockIdx.x] *= 2; }
template <class T> __global__ IF(Known<T>::yes) made(T* a) { a[blockIdx.x] -= 2; }
template <class T> GLOBAL_IF(Known<T>::yes) notAlone(T* a) { a[blockIdx.x] -= 3; }
using Nothing = void;
__global__ Nothing named(int* a) { a[blockIdx.x] -= 2; }
template <> __global__ std::enable_if_t<true> add<int, 0>(int* a) { a[blockIdx.x] = 5; }
int main() {
  add<float, 4><<<1, 1>>>(static_cast<float*>(nullptr)), add<float, 0><<<1, 1>>>(static_cast<float*>(nullptr));
  add<int, 0><<<1, 1>>>(static_cast<int*>(nullptr)), scale<<<1, 1>>>(static_cast<float*>(nullptr));
  made<<<1, 1>>>(static_cast<float*>(nullptr)), notAlone<<<1, 1>>>(static_cast<float*>(nullptr)), named<<<1, 1>>>(nullptr);
}
