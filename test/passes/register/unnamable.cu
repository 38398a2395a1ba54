// Instantiations over closures are found by their symbols; the twin is declared before the body,
// which instantiates it. The others of the template are named, and another template stays as it was. Default
// arguments are the definition's, and parameters get names.
// RUN: %gpusched-opt --explain %s -- -std=c++17 2>&1 >%t.out | count 0
// RUN: grep -v '^// ' %t.out | FileCheck %s
// RUN: %reparse %t.out --extended-lambda
namespace space {
// CHECK: template < class F > __global__ void apply__gs(const ::gpusched_params, F f) ; template <class F> static __device__ __forceinline__ void apply__gs_body({{.*}}, F &f) { (void)&apply__gs<F>; f(1); }
template <class F> __global__ void apply(F f) { f(1); }
// CHECK: {{^}}template <class T> static __device__ {{.*}} { a[0] = 1; }
template <class T> __global__ void plain(T* a) { a[0] = 1; }
// CHECK: (void)&pack__gs<N, F...>; (f(N), ...); }
template <int N, class... F> __global__ void pack(F... f) { (f(N), ...); }
} // namespace space
struct Nothing { __device__ void operator()(int) const {} };
// CHECK: template < int N , class F , class gpusched_T2 > __global__ void defaults__gs(const ::gpusched_params, F f , int n) ;
// CHECK-SAME: template <int N = 3, class F = Nothing, class gpusched_T2 = Nothing> static
// CHECK-SAME: (void)&defaults__gs<N, F, gpusched_T2>;
template <int N = 3, class F = Nothing, class = Nothing> __global__ void defaults(F f, int n = N) { f(n); }
// Overloads keep their signatures.
// CHECK-DAG: either__gs_registrar1("_Z6eitherIZ4mainEUliE2_Ev?i", "_Z10either__gsIZ4mainEUliE2_Ev15gpusched_params?i",
// CHECK-DAG: either__gs2_registrar1("_Z6eitherIZ4mainEUliE2_Ev?ii",
template <class F> __global__ void either(F f, int a) { f(a); }
template <class F> __global__ void either(F f, int a, int b) { f(a + b); }
int main() {
  int* out = nullptr;
  space::apply<<<1, 1>>>([=] __device__(int i) { out[i] = i; });
  space::apply<<<1, 1>>>(Nothing());
  space::plain<<<1, 1>>>(out);
  space::pack<2><<<1, 1>>>([=] __device__(int i) { out[i] = i; });
  defaults<<<1, 1>>>([=] __device__(int i) { out[i] = i; });
  const auto f = [=] __device__(int i) { out[i] = i; };
  either<<<1, 1>>>(f, 1);
  either<<<1, 1>>>(f, 1, 2);
}
// CHECK-DAG: static const ::gpusched::NamedRegistrar apply__gs_registrar{{[12]}}("_ZN5space5applyIZ4mainEUliE_EEv*", "_ZN5space9apply__gsIZ4mainEUliE_EEv*", "space::apply<(lambda at {{.*}}", 9, 1, 49);
// CHECK-DAG: (&::space::apply<Nothing>, &::space::apply__gs<Nothing>,
// CHECK-DAG: (&::space::plain<int>, &::space::plain__gs<int>,
// CHECK-DAG: NamedRegistrar pack__gs_registrar1("_ZN5space4packILi2EJZ4mainEUliE0_EEEv*",
